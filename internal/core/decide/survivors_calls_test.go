package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// pays makes the model at work ask for the same payment.
func (p *player) pays(spec run.ToolSpec) {
	p.t.Helper()
	spec.Operation = "refund"
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "pay",
		Args: json.RawMessage(`{"amount":5,"currency":"EUR"}`), Spec: spec}}}})
}

// A call that failed may be repeated under the approval it had, also one by a timeout, for as long as the same
// rule asks. Another rule asks for itself.
func TestRepeatedCallsUnderRules(t *testing.T) {
	for again, want := range map[string]int{"r": 0, "s": 1} {
		p := play(t, `{"workflow":"w","timeout":0,"steps":[{"id":"l","agent":"other","timeout":"9h"}]}`)
		rule := "r"
		p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
			if s.Tool != "pay" {
				return policy.Verdict{}
			}
			return policy.Verdict{Effect: policy.Asks, Rule: rule, Policy: "p",
				Ask: policy.Ask{Timeout: time.Hour, Then: gate.ThenApprove}}
		})
		p.do(run.Start{})
		p.pays(run.ToolSpec{})
		p.env.Now = t0.Add(time.Hour)
		p.do(run.Tick{})
		p.do(run.CompleteCall{Key: p.key("l"), Result: run.CallResult{Error: "no connection"}})
		rule = again
		p.pays(run.ToolSpec{})
		if got := len(p.s.Pending()); got != want {
			t.Errorf("under rule %s: %d questions", again, got)
		}
	}
}

// A rule's own title counts most, then what the tool says about the call, then what the call is about.
func TestTitlesOfCallsUnderRules(t *testing.T) {
	for _, c := range []struct{ title, tool, want string }{
		{"Pay {amount}", "Moves money", "Pay 5.00"}, {"Pay {amount}", "", "Pay 5.00"},
		{"", "Moves money", "r: Moves money"}, {"", "", "Refund 5.00 EUR"},
	} {
		p := play(t, oneLoop)
		p.env.Judge = judges(func(s policy.Subject) policy.Verdict {
			if s.Tool != "pay" {
				return policy.Verdict{}
			}
			return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p", Title: c.title}
		})
		p.do(run.Start{})
		p.pays(run.ToolSpec{Description: c.tool})
		if got := p.titles(); got != c.want {
			t.Errorf("rule %q, tool %q: %s", c.title, c.tool, got)
		}
	}
}

// A step that the policy forbids by the time of its next attempt is not attempted again.
func TestRetriesThatAreForbidden(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund","retry":{"max":3}}]}`)
	effect := policy.Verdict{}
	p.env.Judge = judges(func(policy.Subject) policy.Verdict { return effect })
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("a"), Failure: busy})
	effect = policy.Verdict{Effect: policy.Denies, Rule: "no", Deny: "closed"}
	had := len(p.log)
	p.later()
	var got []string
	for _, e := range p.log[had:] {
		got = append(got, e.Fact.Type())
	}
	if !slices.Equal(got, []string{"step.failed", "run.failed"}) || p.s.Error.Code != "denied" {
		t.Errorf("%v, %+v", got, p.s.Error)
	}
}

// An output that is rejected by a timeout, where rejection tells, is not used; one that is approved by it is.
func TestTimeoutsAtTheEnd(t *testing.T) {
	for then, want := range map[string]string{"reject": "null", "approve": "1"} {
		p := play(t, fmt.Sprintf(`{"workflow":"w","timeout":0,"steps":[{"id":"a","agent":"x"}],
			"gates":[{"id":"g","at":"end","on_reject":"tell","timeout":{"after":"1h","then":%q}}]}`, then))
		p.do(run.Start{})
		p.answer("a", `1`)
		p.env.Now = t0.Add(time.Hour)
		p.do(run.Tick{})
		if p.s.Status != run.Completed || string(p.s.Output) != want {
			t.Errorf("then %s: %s, %s", then, p.s.Status, p.s.Output)
		}
	}
}

// A question whether to continue is withdrawn when nothing is left to continue with.
func TestNothingLeftToContinueWith(t *testing.T) {
	p := play(t, layered)
	p.do(run.Start{})
	p.answer("a", `1`)
	if len(p.s.Pending()) != 1 {
		t.Fatal(p.titles())
	}
	p.do(run.SkipStep{Step: "b"})
	if p.s.Status != run.Completed || len(p.s.Pending()) != 0 {
		t.Errorf("%s, still asking %q", p.s.Status, p.titles())
	}
}

// Reports under the key of another run, another kind of work or another step are stale.
func TestReportsUnderOtherKeys(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":["a"]}]}`)
	p.do(run.Start{})
	for name, change := range map[string]func(*run.Key){
		"another run":      func(k *run.Key) { k.Run = "run_q" },
		"a turn":           func(k *run.Key) { k.Kind = run.KeyTurn },
		"a call":           func(k *run.Key) { k.Kind = run.KeyCall },
		"a later step":     func(k *run.Key) { k.Step = "b" },
		"no step":          func(k *run.Key) { k.Step = "gone" },
		"an element":       func(k *run.Key) { k.Index = 0 },
		"a later revision": func(k *run.Key) { k.Rev = 1 },
		"a later attempt":  func(k *run.Key) { k.Try = 2 },
	} {
		key := p.key("a")
		change(&key)
		for _, do := range []run.Operation{run.Complete{Key: key, Result: run.Result{Output: json.RawMessage(`1`)}},
			run.Rebind{Key: key}, run.EndChild{Key: key, Status: run.Completed}} {
			if err := p.try(run.Command{Do: do}); !fault.Is(err, fault.Stale) {
				t.Errorf("%s: %T: %v", name, do, err)
			}
		}
	}
	p.answer("a", `1`)
}

// A question for input about a call that was attempted becomes one whether to attempt it again: silence neither
// supplies other input nor approves.
func TestInputForCallsThatWereAttempted(t *testing.T) {
	p := play(t, `{"workflow":"w","timeout":0,"steps":[{"id":"l","agent":"other","timeout":"9h"}],"gates":[{"id":"g","at":"call pay","kind":"input",
		"input_schema":{"type":"object"},"timeout":{"after":"1h","then":"default","default":{"amount":7}}}]}`)
	p.do(run.Start{})
	p.pays(run.ToolSpec{})
	c := decideAs("bob", nil, p.s.Pending()[0], gate.Submit)
	d := c.Do.(run.Decide)
	d.Answer.Data = json.RawMessage(`{"amount":6}`)
	c.Do = d
	if err := p.try(c); err != nil {
		t.Fatal(err)
	}
	p.do(run.Rebind{Key: p.key("l"), Spec: &run.ToolSpec{Operation: "refund",
		Implementation: []gate.Implementation{{Kind: "tool", Name: "pay", Version: 2}}}})
	if len(p.s.Pending()) != 1 {
		t.Fatalf("%d questions", len(p.s.Pending()))
	}
	a := p.s.Pending()[0]
	if a.Kind != gate.KindApproval || slices.Contains(a.Terms.Acts, gate.Submit) || a.Terms.Then != gate.ThenPause ||
		a.Terms.Default != nil {
		t.Errorf("%s with %v, then %s %s", a.Kind, a.Terms.Acts, a.Terms.Then, a.Terms.Default)
	}
	p.env.Now = t0.Add(2 * time.Hour)
	p.do(run.Tick{})
	if p.s.Status != run.Paused || len(p.s.Pending()) != 1 {
		t.Errorf("when its time is up: %s", p.s.Status)
	}
}

// The steps of the first layer can be skipped together, like those of any other.
func TestSkippedLayers(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]},
		{"id":"c","agent":"x","needs":["a","b"]}],"gates":[{"id":"g","at":"before a"},{"id":"h","at":"before b"}]}`)
	p.do(run.Start{})
	first, none, over := 0, -1, 2
	for _, layer := range []*int{&none, &over} {
		if err := p.try(run.Command{Do: run.SkipStep{Layer: layer}}); !fault.Is(err, fault.NotFound) {
			t.Errorf("layer %d: %v", *layer, err)
		}
	}
	p.do(run.SkipStep{Layer: &first})
	if len(p.s.Pending()) != 0 || len(p.keys("c")) != 1 {
		t.Errorf("%s, %v", p.titles(), p.keys("c"))
	}
}

// Of two calls with the same id, the one of the step that is named is changed.
func TestChangedCallsOfOneStep(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other","needs":[]},{"id":"k","agent":"other","needs":[]}]}`)
	p.env.Judge = asks(policy.Ask{})
	p.do(run.Start{})
	for _, step := range []string{"l", "k"} {
		p.do(run.CompleteTurn{Key: p.key(step), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "pay",
			Args: json.RawMessage(`{"n":1}`)}}}})
	}
	p.do(run.ModifyArgs{Step: "k", Call: "c", Changes: json.RawMessage(`{"n":2}`)})
	got := map[string]string{}
	for _, a := range p.s.Pending() {
		got[a.Step] = string(a.Proposed)
	}
	if fmt.Sprint(got) != `map[k:{"n":2} l:{"n":1}]` {
		t.Error(got)
	}
}

// The cost of a result that cannot be used is part of the run's cost.
func TestUnusableResultsAreCounted(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`{`), Usage: run.Usage{TokensIn: 4}}})
	if p.s.Status != run.Failed || p.s.Usage.TokensIn != 4 {
		t.Errorf("%s, %+v", p.s.Status, p.s.Usage)
	}
}
