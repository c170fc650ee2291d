package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// keys lists the work that a step owes: element, revision, attempt and approved version.
func (p *player) keys(step string) (out []string) {
	for _, e := range p.s.Effects() {
		do, ok := e.Do.(run.Invoke)
		if !ok || e.Key.Step != step {
			continue
		}
		text := fmt.Sprintf("%d#%d~%d", e.Key.Index, e.Key.Rev, e.Key.Try)
		if len(do.Approved) > 0 {
			text += fmt.Sprintf(" v%d", do.Approved[0].Version)
		}
		out = append(out, text)
	}
	return out
}

var busy = run.Failure{Message: "busy", Transient: true}

// later ticks the clock when the next deadline is due.
func (p *player) later() {
	p.t.Helper()
	at, ok := p.s.NextDeadline()
	if !ok {
		p.t.Fatal("nothing is due")
	}
	p.env.Now = at
	p.do(run.Tick{})
}

// Deciding remembers nothing: a command whose events could not be stored can be sent again.
func TestDecidingRemembersNothing(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	key := p.key("a")
	for range 2 {
		events, err := decide.Handle(p.s, p.env, run.Command{ID: "once",
			Do: run.Complete{Key: key, Result: run.Result{Output: json.RawMessage(`1`)}}})
		if err != nil || len(events) == 0 {
			t.Fatalf("%d events, %v", len(events), err)
		}
	}
}

// A retried element takes the place it had among those at work.
func TestRetriedElementsTakeOnePlace(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":2,"retry":{"max":3}}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2,3,4]}`)})
	first := p.key("m")
	p.do(run.Fail{Key: first, Failure: busy})
	if got := p.keys("m"); !slices.Equal(got, []string{"1#0~1"}) {
		t.Errorf("while it waits: %v", got)
	}
	p.later()
	p.answer("m", `1`)
	if got := p.keys("m"); !slices.Equal(got, []string{"1#0~1", "2#0~1"}) {
		t.Errorf("when it is done: %v", got)
	}
}

// An element that is tried again uses what was approved by then, not what it was first started with.
func TestRetriedElementsUseTheNewApproval(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":2,"retry":{"max":3}}],
		"gates":[{"id":"g","at":"before m"}]}`)
	p.inForce(1)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
	p.decides(gate.Approve)
	first, second := p.key("m"), p.key("m")
	second.Index = 1
	p.inForce(2)
	p.do(run.Rebind{Key: first, Implementation: p.env.InForce("agent", "x")})
	p.decides(gate.Approve)
	if got := p.keys("m"); !slices.Equal(got, []string{"0#0~2 v2", "1#0~1 v1"}) {
		t.Fatalf("%v", got)
	}
	p.do(run.Fail{Key: second, Failure: busy})
	p.later()
	if got := p.keys("m"); !slices.Equal(got, []string{"0#0~2 v2", "1#0~2 v2"}) {
		t.Errorf("%v", got)
	}
}

// Input that people change before the first attempt is the first work; after an attempt it is other work.
func TestChangesBeforeAndAfterAnAttempt(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"before a"}]}`)
	p.do(run.Start{})
	p.do(run.ModifyArgs{Step: "a", Changes: json.RawMessage(`{"n":1}`)})
	p.change(`{"n":2}`)
	if got := p.keys("a"); !slices.Equal(got, []string{"-1#0~1"}) {
		t.Errorf("a step: %v", got)
	}

	p = play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","with":{"v":"item"},"operation":"refund"}]}`)
	p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
		if s.Result {
			return policy.Verdict{}
		}
		return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p"}
	})
	p.inForce(1)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1]}`)})
	p.change(`{"v":2}`)
	if got := p.keys("m"); !slices.Equal(got, []string{"0#0~1 v1"}) {
		t.Fatalf("an element, before: %v", got)
	}
	p.inForce(2)
	p.do(run.Rebind{Key: p.key("m"), Implementation: p.env.InForce("agent", "x")})
	p.change(`{"v":3}`)
	if got := p.keys("m"); !slices.Equal(got, []string{"0#1~1 v2"}) {
		t.Errorf("an element, after: %v", got)
	}
	if got := string(p.s.InputFor("m", 0)); got != `{"v":3}` {
		t.Error(got)
	}
}

// A list that people change after some of it was done is another list: it starts from its beginning.
func TestListsThatAreChangedLate(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":1,"retry":{"max":1},"with":{"v":"item"}}],
		"gates":[{"id":"g","at":"before m"}]}`)
	p.inForce(1)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
	p.decides(gate.Approve)
	p.answer("m", `1`)
	p.do(run.Fail{Key: p.key("m")})
	p.inForce(2)
	p.do(run.Resume{})
	if got := p.proposed(); got != `[{"v":1},{"v":2}]` {
		t.Fatalf("%s: %s", p.s.Status, got)
	}
	p.change(`[{"v":8},{"v":9},{"v":10}]`)
	var got []string
	for p.s.Status == run.Running {
		got = append(got, p.keys("m")...)
		got = append(got, string(p.s.InputFor("m", p.key("m").Index)))
		p.answer("m", `5`)
	}
	if want := []string{"0#1~1 v2", `{"v":8}`, "1#1~1 v2", `{"v":9}`, "2#1~1 v2", `{"v":10}`}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A run that has ended no longer asks for advice or searches for steps, even after it is resumed.
func TestEndedRunsLookForNothing(t *testing.T) {
	p := play(t, `{"workflow":"w","loops":{"agent":{"agent":"x","at":"on_error"}},"steps":[{"id":"a","agent":"x","needs":[],"retry":{"max":1}},
		{"id":"b","agent":"x","needs":[]}],"gates":[{"id":"g","at":"before b"}]}`)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("a")})
	p.do(run.Replan{Requirement: "more"})
	looks := func() (n int) {
		for _, e := range p.s.Effects() {
			switch e.Do.(type) {
			case run.Advise, run.FindSteps:
				n++
			}
		}
		return n
	}
	if got := looks(); got != 2 {
		t.Fatalf("%d searches", got)
	}
	p.decides(gate.Reject)
	if p.s.Status != run.Failed {
		t.Fatal(p.s.Status)
	}
	p.do(run.Resume{})
	if got := looks(); got != 0 || p.key("a").Try != 2 {
		t.Errorf("%d searches, %v", got, p.keys("a"))
	}
}

// Messages that arrive between two attempts of a step are not part of the second: it is the same work.
func TestRetriesReadTheSameMessages(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other","needs":[]},{"id":"a","agent":"x","needs":[],"retry":{"max":3}},
		{"id":"b","agent":"x","needs":["l","a"]}]}`)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("a"), Failure: busy})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: run.ToolSendMessage,
		Args: json.RawMessage(`{"to":"x","text":"hello"}`)}}}})
	for len(p.s.Pending()) > 0 {
		p.decides(gate.Approve)
	}
	inbox := func(step string) int {
		for _, e := range p.s.Effects() {
			if do, ok := e.Do.(run.Invoke); ok && do.Step == step {
				return len(do.Messages)
			}
		}
		t.Fatalf("%s does not work", step)
		return 0
	}
	p.later()
	if got := inbox("a"); got != 0 || p.s.Messages != 1 {
		t.Errorf("the second attempt reads %d of %d messages", got, p.s.Messages)
	}
	p.answer("a", `1`)
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Output: json.RawMessage(`1`)}})
	if got := inbox("b"); got != 1 {
		t.Errorf("the next step reads %d", got)
	}
}

// A decision costs what it touches: settled approvals and steps leave the lists of open ones, and the
// elements of a map that have begun are not looked at again.
func TestListsOfOpenWorkStayShort(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"m","agent":"x","needs":[],"each":"input.list","width":2}],
		"gates":[{"id":"g","at":"after a"},{"id":"h","at":"after a"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2,3,4]}`)})
	m, _ := p.s.StepByID("m")
	if m.Next != 2 {
		t.Errorf("the next element is %d", m.Next)
	}
	p.answer("a", `1`)
	p.decides(gate.Approve)
	if got := len(p.s.OpenApproval); got != 1 {
		t.Errorf("%d open approvals", got)
	}
	p.decides(gate.Approve)
	if got, active := len(p.s.OpenApproval), len(p.s.Active); got != 0 || active != 1 {
		t.Errorf("%d open approvals, %d steps at work", got, active)
	}
	p.answer("m", `1`)
	if m, _ = p.s.StepByID("m"); m.Next != 3 {
		t.Errorf("the next element is %d", m.Next)
	}
	p.do(run.Abort{})
	if active := len(p.s.Active); active != 0 {
		t.Errorf("%d steps at work after the end", active)
	}
}
