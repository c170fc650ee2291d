package gate_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

// A decision records the fields its act uses, and nothing else that was sent with it.
func TestDecisionKeepsWhatItsActUses(t *testing.T) {
	roles := func(q *gate.Request) { q.Terms.Quorum, q.Terms.Roles = 3, map[string]int{"legal": 1} }
	all := gate.Answer{
		By: person("lea", "legal"), Option: "yes", Changes: json.RawMessage(`{"amount":2}`), Data: json.RawMessage(`{"n":3}`),
		Comment: "because", To: "max", Role: "legal", Version: 1,
	}
	for act, want := range map[gate.Act]string{
		gate.Approve:         "role",
		gate.Modify:          "changes role",
		gate.Reject:          "",
		gate.RequestRevision: "",
		gate.Escalate:        "to",
		gate.Delegate:        "to",
		gate.Choose:          "option role",
		gate.Submit:          "data role",
	} {
		a := open(func(q *gate.Request) {
			roles(q)
			switch act {
			case gate.Choose:
				q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "yes"}}
			case gate.Submit:
				q.Kind = gate.KindInput
			}
		})
		ans := all
		ans.Act = act
		r, err := a.Decide(ans, t0)
		if err != nil {
			t.Errorf("%s: %v", act, err)
			continue
		}
		d := r.Decision
		var kept []string
		for name, there := range map[string]bool{"changes": d.Changes != nil, "data": d.Data != nil,
			"option": d.Option != "", "to": d.To != ""} {
			if there {
				kept = append(kept, name)
			}
		}
		if d.Role != "" {
			kept = append(kept, "role")
		}
		if got := strings.Join(kept, " "); got != want {
			t.Errorf("%s keeps %q, want %q", act, got, want)
		}
	}
}

// JSON that two parsers could read differently is rejected, with its position.
func TestDecisionIsStrict(t *testing.T) {
	input := func(q *gate.Request) { q.Kind = gate.KindInput }
	cases := []struct {
		ask  func(q *gate.Request)
		ans  gate.Answer
		path string
	}{
		{nil, gate.Answer{Act: gate.Modify, Changes: json.RawMessage(`{"a":{"amount":1,"amount":2}}`)}, "changes.a.amount"},
		{nil, gate.Answer{Act: gate.Modify, Changes: json.RawMessage(`{"amount":1,"amount":2}`)}, "changes.amount"},
		{input, gate.Answer{Act: gate.Submit, Data: json.RawMessage(`{"a":{"n":1,"n":2}}`)}, "data.a.n"},
	}
	for _, c := range cases {
		c.ans.By, c.ans.Version = person("bob"), 1
		_, err := open(c.ask).Decide(c.ans, t0)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Problems) != 1 || f.Problems[0].Path != c.path {
			t.Errorf("%s: got %v", c.path, err)
		}
	}
	if _, err := open(nil).Decide(gate.Answer{By: person("bob"), Act: gate.Modify, Changes: json.RawMessage(`{"a"`),
		Version: 1}, t0); err == nil {
		t.Error("half a document is taken")
	}
	// Fields an act does not use are not validated.
	if _, err := open(nil).Decide(gate.Answer{By: person("bob"), Act: gate.Approve, Changes: json.RawMessage(`{"a"`),
		Version: 1}, t0); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestChangesFitTheKindOfProposal(t *testing.T) {
	list := func(q *gate.Request) { q.Proposed, q.Action.ArgsSchema = json.RawMessage(`[1]`), nil }
	cases := []struct {
		name, changes string
		ask           func(q *gate.Request)
		refused       bool
	}{
		{"a list for an object", `[1]`, nil, true},
		{"null for an object", `null`, nil, true},
		{"an object for an object", `{"amount":1}`, nil, false},
		{"a list for a list", `[2]`, list, false},
		{"an object for a list", `{"n":1}`, list, false},
		{"null for a list", `null`, list, true},
	}
	for _, c := range cases {
		ans := gate.Answer{By: person("bob"), Act: gate.Modify, Changes: json.RawMessage(c.changes), Version: 1}
		_, err := open(c.ask).Decide(ans, t0)
		if (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), "/changes") {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestLongestComment(t *testing.T) {
	for _, letter := range []string{"x", "ü", "決", "🎉"} {
		ans := gate.Answer{By: person("bob"), Act: gate.Approve, Comment: strings.Repeat(letter, gate.CommentMax), Version: 1}
		if _, err := open(nil).Decide(ans, t0); err != nil {
			t.Errorf("a comment of %d times %s is refused: %v", gate.CommentMax, letter, err)
		}
		ans.Comment += letter
		if _, err := open(nil).Decide(ans, t0); err == nil || !strings.Contains(err.Error(), "at most 10000 characters") {
			t.Errorf("a comment of %d times %s: %v", gate.CommentMax+1, letter, err)
		}
	}
}

func TestFill(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{`{"a":1}`, `[2]`, `[2]`},
		{`[1]`, `{"b":2}`, `{"b":2}`},
		{``, `{"b":2}`, `{"b":2}`},
	} {
		if got := gate.Fill(json.RawMessage(c[0]), json.RawMessage(c[1])); string(got) != c[2] {
			t.Errorf("%s filled with %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// A refusal names whom to ask instead.
func TestRefusalNamesEveryoneWhoMay(t *testing.T) {
	a := open(func(q *gate.Request) {
		q.Terms.Role, q.Terms.Assignees = "ops", []string{"cid"}
		q.Terms.Roles = map[string]int{"legal": 1, "finance": 1, "a": 1, "b": 1, "c": 1, "d": 1}
	})
	say(t, a, gate.Answer{By: person("cid"), Act: gate.Escalate, To: "role:board"})
	_, err := a.Decide(gate.Answer{By: person("bob"), Act: gate.Approve, Version: 2}, t0)
	want := "apr_1 needs the role ops or the role a or the role b or the role c or the role d or the role finance" +
		" or the role legal or cid or role:board"
	if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestDelegations(t *testing.T) {
	asked := func(q *gate.Request) { q.Terms.Assignees = []string{"bob"} }
	// Delegated to a role: its members vote in the delegator's seat, and only they do.
	a := open(asked)
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Delegate, To: "role:legal"})
	if _, err := a.Decide(gate.Answer{By: person("zoe", "sales"), Act: gate.Approve, Version: 2},
		t0); !fault.Is(err, fault.Forbidden) {
		t.Errorf("somebody without the role: got %v", err)
	}
	r, err := a.Decide(gate.Answer{By: person("lea", "legal"), Act: gate.Approve, Version: 2, Via: gate.ViaSlack}, t0)
	if err != nil || r.Decision.OnBehalfOf != "bob" || r.Decision.Via != gate.ViaSlack {
		t.Errorf("got %+v, %v", r.Decision, err)
	}
	// Delegating back to the sender is refused; to another person it is not.
	a = open(asked)
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Delegate, To: "cid"})
	_, err = a.Decide(gate.Answer{By: person("cid"), Act: gate.Delegate, To: "bob", Version: 2}, t0)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "bob delegated this to you") {
		t.Errorf("got %v", err)
	}
	if _, err = a.Decide(gate.Answer{By: person("cid"), Act: gate.Delegate, To: "kim", Version: 2}, t0); err != nil {
		t.Errorf("got %v", err)
	}
}

// A person whose roles have no free seats is not offered a vote.
func TestAllowedKnowsTakenPlaces(t *testing.T) {
	acts := []gate.Act{gate.Approve, gate.Choose}
	for name, ask := range map[string]func(q *gate.Request){
		"approval": func(q *gate.Request) {},
		"choice": func(q *gate.Request) {
			q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}}
		},
	} {
		a := open(func(q *gate.Request) {
			q.Terms.Acts, q.Terms.Roles = acts, map[string]int{"legal": 1, "finance": 1}
			ask(q)
		})
		vote := positiveAct(a)
		say(t, a, gate.Answer{By: person("lea", "legal"), Act: vote, Option: "red"})
		if got := a.Allowed(person("lou", "legal")); len(got) != 0 {
			t.Errorf("%s: a second lawyer may %v", name, got)
		}
		if got := a.Allowed(person("lea", "legal", "finance")); len(got) != 0 {
			t.Errorf("%s: who has voted may %v, in another role", name, got)
		}
		if got := a.Allowed(person("fay", "finance")); len(got) == 0 {
			t.Errorf("%s: finance may not vote", name)
		}
	}
	// For another option of a choice the seats are still free.
	a := open(func(q *gate.Request) {
		q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}, {Value: "blue"}}
		q.Terms.Acts, q.Terms.Roles = acts, map[string]int{"legal": 1, "finance": 1}
	})
	say(t, a, gate.Answer{By: person("lea", "legal"), Act: gate.Choose, Option: "red"})
	if got := a.Allowed(person("lou", "legal")); len(got) == 0 {
		t.Error("nobody may vote for blue")
	}
}

// Decide works on a clone; recording there must not affect the original.
func TestCloneSharesNoRoom(t *testing.T) {
	a := open(nil)
	a.Decisions = make([]gate.Decision, 0, 4)
	a.Delegations = make([]gate.Delegation, 0, 4)
	a.Also = make([]string, 0, 4)
	a.Comments = make([]gate.Comment, 0, 4)
	c := a.Clone()
	c.Record(gate.Decision{By: "bob", Act: gate.Delegate, To: "cid"})
	c.Record(gate.Decision{By: "bob", Act: gate.Escalate, To: "max"})
	c.Comments = append(c.Comments, gate.Comment{By: "bob"})
	if a.Decisions[:1][0].By != "" || a.Delegations[:1][0].From != "" || a.Also[:1][0] != "" ||
		a.Comments[:1][0].By != "" {
		t.Errorf("the clone wrote into the original: %+v", a)
	}
}

func TestSettleEndsEveryClock(t *testing.T) {
	a := open(func(q *gate.Request) {
		q.Terms.Deadline, q.Terms.PauseAt, q.Terms.Remind = t0.Add(1), t0.Add(2), 3
	})
	if a.RemindAt.IsZero() || a.PauseAt.IsZero() || a.DeadlineAt.IsZero() {
		t.Fatalf("got %+v", a)
	}
	a.Settle(gate.Outcome{Status: gate.TimedOut, Act: gate.Modify, Proposed: json.RawMessage(`{"amount":1}`)}, t0)
	if !a.RemindAt.IsZero() || !a.PauseAt.IsZero() || !a.DeadlineAt.IsZero() {
		t.Errorf("something is still due: %v, %v, %v", a.RemindAt, a.PauseAt, a.DeadlineAt)
	}
	if string(a.Current) != `{"amount":1}` {
		t.Errorf("what goes on is %s", a.Current)
	}
}

func TestEscalationPastTheChain(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Escalate = []gate.Rung{{To: "max"}} })
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Escalate})
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Escalate, To: "board"})
	if a.Rungs != 1 || strings.Join(a.Also, " ") != "max board" {
		t.Errorf("got %d rungs, %v", a.Rungs, a.Also)
	}
}
