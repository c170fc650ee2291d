package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// begun is a run of a workflow whose only agent is x.
func begun(t *testing.T, workflow, input string) *State {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentScripted}}}
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	p, problems := plan.Compile(def)
	if p == nil {
		t.Fatal(problems)
	}
	s := New("run_1", p)
	s.happens(&run.RunStarted{Input: json.RawMessage(input)})
	return s
}

func (s *State) happens(facts ...run.Fact) {
	for _, f := range facts {
		s.Apply(run.Event{Run: s.ID, Seq: s.Seq + 1, At: t0, Fact: f})
	}
}

// puts sets outputs of steps.
func (s *State) puts(output string, steps ...string) {
	for _, id := range steps {
		s.happens(&run.StepStarted{Step: id, Try: 1},
			&run.StepCompleted{Step: id, Result: &run.Result{Output: json.RawMessage(output)}})
	}
}

// A policy evaluated on an approval may refer to the run's data at that time. A field of the proposal never
// stands in for a step.
func TestNamesInPolicies(t *testing.T) {
	s := begun(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},
		{"id":"b","agent":"x","needs":["a"],"operation":"refund","risk":"high"},{"id":"c","agent":"x","needs":["b"]},
		{"id":"d","agent":"x","needs":[]},{"id":"m","agent":"x","needs":[],"each":"input.list"}]}`, `{"list":["one","two"]}`)
	s.puts(`{"v":1}`, "a", "d")
	sure, second := 0.5, 1
	asked := func(spot run.Spot) *gate.Approval {
		a := &gate.Approval{Request: gate.Request{ID: fmt.Sprintf("apr_1_%d", len(s.Approvals)+1), Agent: "other",
			Subject: &gate.Subject{Key: "k"}, Confidence: &sure, Proposed: json.RawMessage(`{"amount":5,"b":6,"c":7,"d":8}`),
			Action: gate.Action{Tool: "pay", Operation: "send"}, Risk: gate.Risk{Level: "low"}}}
		s.Approvals, s.Spots = append(s.Approvals, a), append(s.Spots, spot)
		return a
	}
	const proposed = `{"amount":5,"b":6,"c":7,"d":8}`
	for _, c := range []struct {
		spot run.Spot
		want string // unknown names have none
	}{
		{run.Spot{At: run.AtBefore, Step: "b"},
			`a={"v":1} b= c= d= amount=5 agent="x" operation="refund" risk="high" confidence=0.5`},
		{run.Spot{At: run.AtAfter, Step: "b"},
			`a={"v":1} b=` + proposed + ` c= d= amount=5 agent="x" operation="refund" risk="high" confidence=0.5`},
		{run.Spot{At: run.AtCall, Step: "b", Call: 1},
			`a={"v":1} b= c= d= amount=5 agent="other" tool="pay" operation="send" risk="low" confidence=0.5`},
		{run.Spot{At: run.AtBefore, Step: "m", Index: &second},
			`a= b= c= d= amount=5 agent="x" confidence=0.5 item="two" index=1`},
		{run.Spot{At: run.AtBefore, Step: "m"}, `a= b= c= d= amount=5 agent="x" confidence=0.5`},
	} {
		look := s.Look(asked(c.spot))
		var got []string
		for _, name := range []string{"a", "b", "c", "d", "amount", "agent", "tool", "operation", "risk", "confidence",
			"item", "index", "nothing"} {
			if v, ok := look(name); ok {
				got = append(got, name+"="+string(v))
			}
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.spot, all, c.want)
		}
	}
	without := asked(run.Spot{At: run.AtBefore, Step: "b"})
	without.Subject = nil
	gone := asked(run.Spot{At: run.AtBefore, Step: "gone"})
	if s.Look(without) != nil || s.Look(gone) != nil || s.Look(&gate.Approval{}) != nil {
		t.Error("there is something to name where no policy is asked")
	}
	if b, no := s.Operation("b"), s.Operation("gone"); b != "refund" || no != "" {
		t.Errorf("%q, %q", b, no)
	}
}

func TestIDsOfDeliverables(t *testing.T) {
	for id, want := range map[string]int{"dlv_1_1": 0, "dlv_1_20": 19, "7": 6,
		"dlv_1_0": -1, "dlv_1_-3": -1, "dlv_1_x": -1, "": -1} {
		n, ok := DeliverableAt(id)
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d, %t", id, n, ok)
		}
	}
	s := begun(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`, `{}`)
	for _, name := range []string{"plan", "bill", "plan"} {
		s.happens(&run.DeliverableCreated{Deliverable: run.Deliverable{Name: name}})
	}
	for _, id := range []string{"dlv_1_3", "dlv_1_4", "dlv_1_0"} {
		s.happens(&run.DeliverableMarked{ID: id, Status: "final"})
	}
	plans := s.Versions("plan")
	newest, ok := s.Newest("plan")
	if !slices.Equal(plans, []int{0, 2}) || newest != 2 || !ok || s.Deliverables[2].Status != "final" ||
		s.Deliverables[0].Status != "" {
		t.Errorf("%v, %d, %+v", plans, newest, s.Deliverables)
	}
	if n, ok := s.Newest("gone"); ok {
		t.Error(n)
	}
}

func TestFamilies(t *testing.T) {
	s := &State{ID: "run_3"}
	if got := s.Family(); got != "run_3" {
		t.Error(got)
	}
	if s.Forked = (&run.RunForked{From: "run_2"}); s.Family() != "run_2" { // before forks named their family
		t.Error(s.Family())
	}
	if s.Started.Family = "run_1"; s.Family() != "run_1" {
		t.Error(s.Family())
	}
}

// A store's sums count each act once, with its last attempt, without acts that were taken back or copied by a
// fork.
func TestActsThatBegan(t *testing.T) {
	s := &State{ID: "run_1"}
	started := func(act string, minute int) run.Event {
		at := t0.Add(time.Duration(minute) * time.Minute)
		return run.Event{At: at, Fact: &run.StepStarted{Counted: &run.Counted{Act: act}}}
	}
	taken := func(act string) run.Event { return run.Event{Fact: &run.CallRebound{Act: act}} }
	call := run.Event{At: t0, Fact: &run.CallStarted{Counted: &run.Counted{Act: "call"}}}
	s.Counted = []run.Counted{{Act: "again"}}
	show := func(events ...run.Event) string {
		begun, back := CountedIn(s, events)
		var out []string
		for _, c := range begun {
			out = append(out, fmt.Sprintf("%s@%g", c.Act, c.At.Sub(t0).Minutes()))
		}
		return strings.Join(out, " ") + " back " + strings.Join(back, " ")
	}
	for _, c := range []struct {
		events []run.Event
		want   string
	}{
		{[]run.Event{started("a", 0), call, started("a", 2), {Fact: &run.StepStarted{}}}, "call@0 a@2 back "},
		{[]run.Event{started("a", 0), taken("a"), taken(""), taken("again"), {Fact: &run.StepRebound{Act: "b"}}},
			"a@0 back a b"},
		{[]run.Event{started("a", 0), taken("b"), {Fact: &run.RunForked{}}, started("c", 1)}, "c@1 back "},
	} {
		if got := show(c.events...); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A rule that decides several questions about one act is used once.
func TestUsesOfRules(t *testing.T) {
	one, two := 0, 1
	alsoOne := 0
	approved := func(rule, step string, index *int) run.Event {
		f := &run.ApprovalAutoApproved{Spot: run.Spot{At: run.AtBefore, Step: step, Index: index}}
		if rule != "" {
			f.Request.Rule = &gate.Rule{Name: rule, MaxUses: 3}
		}
		return run.Event{Fact: f}
	}
	got := Uses([]run.Event{approved("r", "a", &one), approved("r", "a", &alsoOne), approved("r", "a", &two),
		approved("r", "b", nil), approved("s", "b", nil), approved("", "b", nil), {Fact: &run.RunWaiting{}}})
	if want := []RuleUse{{"r", 3}, {"r", 3}, {"r", 3}, {"s", 3}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A clock that jumps back does not reduce working time.
func TestWorkingTime(t *testing.T) {
	s := &State{WorkSince: t0, Worked: time.Minute}
	s.stopWork(t0.Add(-time.Hour))
	if s.Worked != time.Minute || !s.WorkSince.IsZero() {
		t.Errorf("%s since %s", s.Worked, s.WorkSince)
	}
	s.stopWork(t0.Add(time.Hour)) // it has stopped
	if s.Worked != time.Minute {
		t.Error(s.Worked)
	}
}

func TestSnapshotsThatDoNotFit(t *testing.T) {
	s := begun(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`, `{}`)
	snapshot, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Restore(snapshot, s.plan); err != nil || back.Plan() != s.plan {
		t.Error(err)
	}
	other := begun(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`, `{}`)
	if _, err := Restore(snapshot, other.plan); err == nil ||
		!strings.Contains(err.Error(), "it has 1 steps, its plan 2: it belongs to another version") {
		t.Error(err)
	}
	if _, err := Restore([]byte(`{"id":1}`), s.plan); err == nil {
		t.Error("anything is restored")
	}
	s.happens(&run.PlanChanged{Steps: []plan.Step{{ID: "a", Agent: "x"}}}) // there is one of that name
	if len(s.Steps) != 1 || len(s.PlanChanges) != 0 {
		t.Errorf("%d steps, %d changes", len(s.Steps), len(s.PlanChanges))
	}
	s.PlanChanges = []*run.PlanChanged{{Steps: []plan.Step{{ID: "a", Agent: "x"}}}}
	snapshot, _ = s.Snapshot()
	if _, err := Restore(snapshot, s.plan); err == nil || !strings.Contains(err.Error(), "redo plan change") {
		t.Error(err)
	}
}

// A run's subject follows its input, until that is deleted.
func TestSubjects(t *testing.T) {
	s := begun(t, `{"workflow":"w","subject":"Order {n}","steps":[{"id":"a","agent":"x"}]}`, `{"n":1}`)
	first := s.Subject()
	again := s.Subject()
	s.Input = json.RawMessage(`{"n":2}`)
	second := s.Subject()
	s.plan = begun(t, `{"workflow":"w","subject":"Bill {n}","steps":[{"id":"a","agent":"x"}]}`, `{}`).plan
	third := s.Subject()
	s.Input = slices.Clone(run.Removed)
	removed := s.Subject()
	s.Input = nil
	if got := []string{first, again, second, third, removed, s.Subject()}; !slices.Equal(got,
		[]string{"Order 1", "Order 1", "Order 2", "Bill 2", "", ""}) {
		t.Errorf("%q", got)
	}
}
