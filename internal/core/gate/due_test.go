package gate_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// The time-driven events of an approval: remind, escalate, pause, time out.
func TestNextTellsTheEarliest(t *testing.T) {
	h := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Hour) }
	a := open(func(q *gate.Request) {
		q.Terms.Remind, q.Terms.PauseAt, q.Terms.Deadline, q.Terms.Then = 24*time.Hour, h(72), h(72), gate.ThenReject
		q.Terms.Escalate = []gate.Rung{{At: h(2), To: "role:manager"}, {At: h(24), To: "zoe"}, {At: h(48), To: "max"}}
	})
	want := []gate.Due{
		{At: h(2), What: gate.Escalates, To: "role:manager"},
		{At: h(24), What: gate.Reminds}, // the milder one first
		{At: h(24), What: gate.Escalates, To: "zoe"},
		{At: h(48), What: gate.Reminds},
		{At: h(48), What: gate.Escalates, To: "max"},
		{At: h(72), What: gate.Pauses}, // which serves as the reminder
		{At: h(72), What: gate.TimesOut},
	}
	for n, w := range want {
		got, ok := a.Next()
		if !ok || got != w {
			t.Fatalf("%d: got %+v %v, want %+v", n, got, ok, w)
		}
		a.Pass(got.What, got.To, got.At)
	}
	if got, ok := a.Next(); ok {
		t.Errorf("%+v is still due", got)
	}
	for _, p := range []gate.Person{person("zoe"), person("kim", "manager")} {
		if _, err := a.Decide(gate.Answer{By: p, Act: gate.Approve, Version: a.Version}, t0); err != nil {
			t.Errorf("%s may answer since it was escalated: %v", p.Name, err)
		}
	}
}

func TestNothingIsDue(t *testing.T) {
	if got, ok := open(nil).Next(); ok {
		t.Errorf("nothing was asked for, and yet %+v", got)
	}
	a := open(func(q *gate.Request) { q.Terms.Remind, q.Terms.Deadline = time.Hour, t0.Add(time.Minute) })
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Approve})
	if got, ok := a.Next(); ok {
		t.Errorf("it is settled, and yet %+v", got)
	}
}

// After a long outage one reminder is sent, not one for every day missed.
func TestRemindersAfterAnOutage(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Remind = 24 * time.Hour })
	late := t0.Add(100*24*time.Hour + time.Minute)
	a.Pass(gate.Reminds, "", late)
	if got, _ := a.Next(); !got.At.Equal(late.Add(24 * time.Hour)) {
		t.Errorf("next at %s", got.At)
	}
}

// Escalating manually moves up the chain, so the timer does not do it again.
func TestEscalationByHandMovesUpTheChain(t *testing.T) {
	a := open(func(q *gate.Request) {
		q.Terms.Role = "clerk"
		q.Terms.Escalate = []gate.Rung{{At: t0.Add(time.Hour), To: "kim"}, {At: t0.Add(2 * time.Hour), To: "zoe"}}
	})
	say(t, a, gate.Answer{By: person("cy", "clerk"), Act: gate.Escalate})
	if got, _ := a.Next(); got.To != "zoe" {
		t.Errorf("next is %+v", got)
	}
	say(t, a, gate.Answer{By: person("kim"), Act: gate.Escalate, To: "lou"}) // not on the chain
	if got, _ := a.Next(); got.To != "zoe" {
		t.Errorf("next is %+v", got)
	}
	say(t, a, gate.Answer{By: person("lou"), Act: gate.Approve})
}

func TestOnTimeout(t *testing.T) {
	cases := []struct {
		then     gate.Then
		kind     gate.Kind
		def      string
		changed  bool // one of several approvers modified it before
		want     string
		positive bool
	}{
		{then: gate.ThenApprove, want: `{"status":"timed_out","act":"approve","comment":"timed out without an answer"}`,
			positive: true},
		{
			then: gate.ThenApprove, changed: true, positive: true,
			want: `{"status":"timed_out","act":"modify","comment":"timed out without an answer","proposed":{"amount":9,"to":"x@y"}}`,
		},
		{then: gate.ThenReject, want: `{"status":"timed_out","act":"reject","comment":"timed out without an answer"}`},
		{then: gate.ThenCancel, want: `{"status":"timed_out","act":"reject","comment":"timed out without an answer","cancel":true}`},
		{
			then: gate.ThenDefault, kind: gate.KindChoice, def: `"red"`, positive: true,
			want: `{"status":"timed_out","act":"choose","option":"red","comment":"timed out without an answer"}`,
		},
		{
			then: gate.ThenDefault, kind: gate.KindInput, def: `{"date":"today"}`, positive: true,
			want: `{"status":"timed_out","act":"submit","data":{"date":"today"},"comment":"timed out without an answer","proposed":{"amount":10,"to":"x@y","date":"today"}}`,
		},
		{
			then: gate.ThenDefault, def: `{"amount":1}`, positive: true,
			want: `{"status":"timed_out","act":"approve","comment":"timed out without an answer","proposed":{"amount":1,"to":"x@y"}}`,
		},
		{then: gate.ThenPause, want: `null`},
		{then: gate.ThenEscalate, want: `null`},
		{want: `null`},
	}
	for _, c := range cases {
		a := open(func(q *gate.Request) {
			q.Terms.Then, q.Terms.Default, q.Terms.Quorum = c.then, json.RawMessage(c.def), 2
			if c.kind != "" {
				q.Kind = c.kind
			}
		})
		if c.changed {
			say(t, a, gate.Answer{By: person("bob"), Act: gate.Modify, Changes: json.RawMessage(`{"amount":9}`)})
		}
		o := a.OnTimeout()
		if got, _ := json.Marshal(o); string(got) != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.then, c.kind, got, c.want)
		}
		if o != nil && o.Positive() != c.positive {
			t.Errorf("%s: positive %v", c.then, o.Positive())
		}
	}
}
