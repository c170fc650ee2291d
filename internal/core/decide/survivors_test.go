package decide_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

var bob = run.Actor{Kind: run.Person, Name: "bob"}

// forked is a fork of a run, with edits.
func (p *player) forked(edits run.Edits) *player {
	p.t.Helper()
	events, err := decide.Fork(p.env, "run_f", p.s.Plan(), p.log, edits, run.Command{By: bob})
	if err != nil {
		p.t.Fatal(err)
	}
	f := &player{t: p.t, s: machine.New("run_f", p.s.Plan()), env: p.env, log: events}
	for _, e := range events {
		f.s.Apply(e)
	}
	return f
}

// A map whose list is edited in a fork starts again with the new list; with the same list it continues where
// it stopped.
func TestEditedListsOfMaps(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"items":["x","y","z"]}`, `{"item":"x"} {"item":"y"} {"item":"z"}`},
		{`{"items":["a","b"]}`, `{"item":"b"}`},
	} {
		p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.items","width":1,"with":{"item":"item"}}]}`)
		p.do(run.Start{Input: json.RawMessage(`{"items":["a","b"]}`)})
		p.answer("m", `"first"`)
		f := p.forked(run.Edits{Input: json.RawMessage(c.input)})
		var asked []string
		for f.s.Status == run.Running {
			key := f.key("m")
			asked = append(asked, string(f.s.InputFor("m", key.Index)))
			f.do(run.Complete{Key: key, Result: run.Result{Output: json.RawMessage(`1`)}})
		}
		if got := strings.Join(asked, " "); got != c.want {
			t.Errorf("%s: asked for %s", c.input, got)
		}
	}
}

// If a step returns its list again, the map starts again.
func TestListsOfStepsThatStartOver(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"m","agent":"x","each":"a.items","width":1,"with":{"item":"item"}}]}`)
	p.do(run.Start{})
	p.answer("a", `{"items":["a","b"]}`)
	p.answer("m", `1`)
	f := p.forked(run.Edits{Outputs: map[string]json.RawMessage{"a": json.RawMessage(`{"items":["z"]}`)}})
	if got := string(f.s.InputFor("m", f.key("m").Index)); got != `{"item":"z"}` {
		t.Error(got)
	}
}

// Only sub-runs in progress are listed.
func TestSubRunsAtWork(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"s","workflow":"child"},{"id":"b","agent":"x"}]}`)
	p.do(run.Start{})
	ids := p.s.SubRuns()
	if len(ids) != 1 || ids[0] == "" {
		t.Fatalf("%v", ids)
	}
	p.do(run.EndChild{Key: p.key("s"), Status: run.Completed, Output: json.RawMessage(`1`)})
	if got := p.s.SubRuns(); len(got) != 0 {
		t.Errorf("%v", got)
	}
	p.answer("b", `1`)
	if got := p.s.SubRuns(); got != nil {
		t.Errorf("%v", got)
	}
}

// asks is a policy that requires approval of everything, in the same way.
type asks policy.Ask

func (a asks) Judge(time.Time, policy.Subject) policy.Verdict {
	return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p", Ask: policy.Ask(a)}
}

// A rule sets a deadline if it defines both the time and the fallback.
func TestDeadlinesOfRules(t *testing.T) {
	for _, c := range []struct {
		ask  policy.Ask
		want time.Time
	}{
		{policy.Ask{Timeout: time.Hour, Then: gate.ThenReject}, t0.Add(time.Hour)},
		{policy.Ask{Timeout: time.Hour}, time.Time{}},
		{policy.Ask{Then: gate.ThenReject}, time.Time{}},
	} {
		p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
		p.env.Judge = asks(c.ask)
		p.do(run.Start{})
		if terms := p.s.Pending()[0].Terms; !terms.Deadline.Equal(c.want) ||
			(terms.Then == gate.ThenReject) != !c.want.IsZero() {
			t.Errorf("%+v: %+v", c.ask, terms)
		}
	}
}

// A repeated question counts all its times from then on.
func TestQuestionsThatArePutAgain(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],
		"gates":[{"id":"g","at":"before a","timeout":{"after":"2h","then":"reject"},"escalate":[{"after":"1h","to":"boss"}]}]}`)
	p.env.InForce = func(kind, name string) []gate.Implementation {
		return []gate.Implementation{{Kind: kind, Name: name, Version: 1}}
	}
	p.do(run.Start{})
	first := p.s.Pending()[0]
	p.env.Now = t0.Add(30 * time.Minute)
	p.env.InForce = func(kind, name string) []gate.Implementation {
		return []gate.Implementation{{Kind: kind, Name: name, Version: 2}}
	}
	if err := p.try(decideAs("bob", nil, first, gate.Approve)); err != nil {
		t.Fatal(err)
	}
	pending := p.s.Pending()
	if len(pending) != 1 || pending[0].ID == first.ID {
		t.Fatalf("it was not put again: %+v", pending)
	}
	before, after := first.Terms, pending[0].Terms
	const later = 30 * time.Minute
	if after.Deadline.Sub(before.Deadline) != later || len(after.Escalate) != 1 ||
		after.Escalate[0].At.Sub(before.Escalate[0].At) != later ||
		before.PauseAt.IsZero() != after.PauseAt.IsZero() ||
		!before.PauseAt.IsZero() && after.PauseAt.Sub(before.PauseAt) != later {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// The cost of a failed turn and of a tool's question is part of the run's cost.
func TestFailuresAndQuestionsAreCounted(t *testing.T) {
	p := play(t, oneLoop)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("l"), Failure: run.Failure{Message: "busy", Transient: true, Usage: run.Usage{TokensIn: 3}}})
	if u := p.s.Usage; u.TokensIn != 3 {
		t.Errorf("after a failure: %+v", u)
	}
	p = play(t, oneLoop)
	p.do(run.Start{})
	p.call("read_file")
	p.do(run.CompleteCall{Key: p.key("l"), Result: run.CallResult{
		Input: &run.CallInput{Message: "which one?"}, Usage: run.Usage{TokensIn: 5},
	}})
	if u := p.s.Usage; u.TokensIn != 5 {
		t.Errorf("after a question: %+v", u)
	}
}

// Results for elements that a map does not have, and failures of turns that are not expected, are rejected.
func TestReportsAboutNothing(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.items"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"items":[1,2]}`)})
	key := p.key("m")
	for _, index := range []int{2, 3} {
		key.Index = index
		if err := p.try(run.Command{Do: run.Complete{Key: key,
			Result: run.Result{Output: json.RawMessage(`1`)}}}); !fault.Is(err, fault.Stale) {
			t.Errorf("element %d of 2: %v", index, err)
		}
	}
	p = play(t, oneLoop)
	p.do(run.Start{})
	turn := p.key("l")
	turn.N++
	if err := p.try(run.Command{Do: run.Fail{Key: turn}}); !fault.Is(err, fault.Stale) {
		t.Errorf("a turn that nobody asked for: %v", err)
	}
}

// A fork of a run whose start was not approved asks again, and its input is checked.
func TestForksAtTheStart(t *testing.T) {
	p := play(t, `{"workflow":"w","input":{"type":"object","properties":{"n":{"type":"number"}}},
		"steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"n":1}`)})
	if f := p.forked(run.Edits{}); len(f.s.Pending()) != 1 || f.s.Status != run.Waiting {
		t.Errorf("%s with %d questions", f.s.Status, len(f.s.Pending()))
	}
	_, err := decide.Fork(p.env, "run_f", p.s.Plan(), p.log,
		run.Edits{Input: json.RawMessage(`{"n":"x"}`)}, run.Command{By: bob})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Invalid || len(f.Problems) != 1 || f.Problems[0].Path != "/input/n" {
		t.Errorf("%v", err)
	}
}

// grants approves everything by one rule, and notes for which acts it is told that
// this rule has approved before.
type grants struct{ told *[]string }

func (g grants) Judge(_ time.Time, s policy.Subject) policy.Verdict {
	*g.told = append(*g.told, s.Step+":"+s.Granted)
	return policy.Verdict{Effect: policy.Approves, Rule: "small", Policy: "p"}
}

// A use that a rule was granted for one act does not make room for the next one that
// the same command starts.
func TestGrantsAreForOneAct(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[],"operation":"refund"},{"id":"b","agent":"x","needs":[]},
		{"id":"c","agent":"x","needs":["b"],"operation":"refund"}],"gates":[{"id":"g","at":"before a"}]}`)
	var told []string
	p.env.Judge = grants{&told}
	p.do(run.Start{})
	p.do(run.Pause{})
	if err := p.try(decideAs("bob", nil, p.s.Pending()[0], gate.Approve)); err != nil {
		t.Fatal(err)
	}
	p.answer("b", `1`)
	told = nil
	p.do(run.Resume{})
	if got := strings.Join(told, " "); got != "a:small c:" {
		t.Error(got)
	}
}
