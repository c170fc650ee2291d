package sums_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/sums"
)

// counter counts every act once, and remembers the subjects that it was asked about.
type counter struct{ asked *[]policy.Subject }

func (c counter) Counts(s policy.Subject) []policy.Count {
	*c.asked = append(*c.asked, s)
	return []policy.Count{{Sum: "spent", Of: json.RawMessage(`{"amount":1}`)}}
}

func state(t *testing.T) *machine.State {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}}
	const workflow = `{"workflow":"pay","steps":[{"id":"a","agent":"x"}]}`
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	p, problems := plan.Compile(def)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := machine.New("run_1", p)
	s.Started.TestMode = true
	return s
}

// A total is known only if those of other runs are, and then it holds them, what began here since, and what waits here.
func TestTotals(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	var asked []policy.Subject
	s := state(t)
	one := []policy.Count{{Sum: "spent", Of: json.RawMessage(`{"amount":1}`)}, {Sum: "other"}}
	s.Counted = []run.Counted{{Act: "old", Operation: "pay", At: now.Add(-time.Hour), Counts: one},
		{Act: "now", Operation: "pay", At: now, Counts: one}, {Act: "this", Operation: "pay", At: now, Counts: one},
		{Act: "else", Operation: "read", At: now, Counts: one}}
	s.Approvals = []*gate.Approval{
		{Request: gate.Request{ID: "apr_1", Step: "a", Agent: "x", Subject: &gate.Subject{Key: "waits"},
			Action: gate.Action{Operation: "pay", Tool: "till", ReversibleBy: plan.ReversibleNone}},
			Status: gate.Pending},
		{Request: gate.Request{ID: "apr_2", Subject: &gate.Subject{Key: "settled"},
			Action: gate.Action{Operation: "pay"}}, Status: gate.Approved},
		{Request: gate.Request{ID: "apr_3", Subject: &gate.Subject{Key: "result", Result: true},
			Action: gate.Action{Operation: "pay"}}, Status: gate.Pending},
	}
	s.Spots = make([]run.Spot, 3)
	s.OpenApproval = []int{0, 1, 2}
	known := true
	l := sums.Ledger{State: s, Judge: counter{&asked}, Elsewhere: func(e run.Elsewhere) ([]run.Tally, bool) {
		if e.Run != "run_1" || e.Sum != "spent" || !e.Since.Equal(now) {
			t.Errorf("asked elsewhere for %+v", e)
		}
		return []run.Tally{{Operation: "pay", Total: policy.Total{Acts: 10}}, {Operation: "read",
			Total: policy.Total{Acts: 100}}}, known
	}}
	q := policy.SumQuery{Sum: "spent", Since: now, Operations: []string{"pay"}}
	got, ok := l.Totals("this")(q)
	if !ok || got.Acts != 12 || got.Unknown != 0 { // 10 elsewhere, one now, one that waits
		t.Errorf("%+v %v", got, ok)
	}
	if len(asked) != 1 || !asked[0].Irreversible || !asked[0].Test || asked[0].Run != "run_1" ||
		asked[0].Workflow != "pay" || asked[0].Step != "a" || asked[0].Tool != "till" || asked[0].Key != "waits" {
		t.Errorf("judged %+v", asked)
	}
	if got, ok := l.Totals("waits")(q); !ok || got.Acts != 12 { // it does not count itself: 10, and two that began
		t.Errorf("of what waits: %+v %v", got, ok)
	}
	known = false
	if _, ok := l.Totals("this")(q); ok {
		t.Error("known, though those of other runs are not")
	}
	l.Elsewhere = nil
	if _, ok := l.Totals("this")(q); ok {
		t.Error("known without asking other runs")
	}
}

// What an act adds is judged with the run it is of.
func TestContribution(t *testing.T) {
	var asked []policy.Subject
	l := sums.Ledger{State: state(t), Judge: counter{&asked}}
	got := l.Contribution(policy.Subject{Key: "k", Operation: "pay", Step: "a"})
	want := policy.Subject{Key: "k", Operation: "pay", Step: "a", Run: "run_1", Workflow: "pay", Test: true}
	if got == nil || got.Act != "k" || got.Operation != "pay" || len(got.Counts) != 1 || len(asked) != 1 ||
		!reflect.DeepEqual(asked[0], want) {
		t.Errorf("%+v of %+v", got, asked)
	}
	if got := l.Contribution(policy.Subject{Key: "k"}); got != nil {
		t.Errorf("without an operation: %+v", got)
	}
	l.Judge = nil
	if got := l.Contribution(policy.Subject{Key: "k", Operation: "pay"}); got != nil {
		t.Errorf("without a policy: %+v", got)
	}
}

// Of two acts that wait, the later one includes the earlier one, and one that has begun is not added again.
func TestActsThatWait(t *testing.T) {
	var asked []policy.Subject
	s := state(t)
	for _, key := range []string{"", "early", "late"} {
		a := &gate.Approval{Status: gate.Pending}
		if a.ID = "apr_" + key; key != "" {
			a.Subject, a.Action.Operation = &gate.Subject{Key: key}, "pay"
		}
		s.Approvals, s.Spots = append(s.Approvals, a), append(s.Spots, run.Spot{})
	}
	s.OpenApproval = []int{0, 1, 2}
	l := sums.Ledger{State: s, Judge: counter{&asked}, Elsewhere: func(e run.Elsewhere) ([]run.Tally, bool) {
		if (e.Family == "run_1") != e.Since.IsZero() {
			t.Errorf("asked elsewhere for %+v", e)
		}
		return nil, true
	}}
	acts := func(act string, since time.Time) int {
		got, _ := l.Totals(act)(policy.SumQuery{Sum: "spent", Since: since, Operations: []string{"pay"}})
		return got.Acts
	}
	early, late, third := acts("early", time.Time{}), acts("late", time.Unix(1, 0)), acts("new", time.Time{})
	if early != 0 || late != 1 || third != 2 {
		t.Errorf("the first includes %d, the second %d, a new one %d", early, late, third)
	}
	s.Counted = []run.Counted{{Act: "early", Operation: "pay", At: time.Unix(2, 0),
		Counts: []policy.Count{{Sum: "spent", Of: json.RawMessage(`{"amount":1}`)}}}}
	if late = acts("late", time.Unix(1, 0)); late != 1 {
		t.Errorf("what began is added %d times", late)
	}
}
