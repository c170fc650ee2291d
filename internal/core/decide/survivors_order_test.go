package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// A clock that is looked at late handles what was due in the order in which it was due.
func TestLateTicksKeepTheOrder(t *testing.T) {
	for _, c := range []struct{ step, approval, want string }{
		{"1h", "2h", "timeout"}, {"2h", "1h", "rejected"},
	} {
		p := play(t, fmt.Sprintf(`{"workflow":"w","timeout":0,"steps":[{"id":"a","agent":"x","needs":[]},
			{"id":"b","agent":"x","needs":[],"timeout":%q,"retry":{"max":1}}],
			"gates":[{"id":"g","at":"before a","timeout":{"after":%q,"then":"reject"},"remind":0}]}`, c.step, c.approval))
		p.do(run.Start{})
		p.env.Now = t0.Add(3 * time.Hour)
		p.do(run.Tick{})
		if p.s.Status != run.Failed || p.s.Error.Code != c.want {
			t.Errorf("step after %s, approval after %s: %s %+v", c.step, c.approval, p.s.Status, p.s.Error)
		}
	}
}

// A clock that was not looked at for days catches up at once.
func TestLateTicksCatchUp(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"before a"}]}`)
	p.do(run.Start{})
	p.env.Now = t0.Add(100 * time.Hour)
	p.do(run.Tick{})
	if at, ok := p.s.NextDeadline(); p.s.Status != run.Paused || ok && !at.After(p.env.Now) {
		t.Errorf("%s, and the next deadline was %s ago", p.s.Status, p.env.Now.Sub(at))
	}
}

// Of what is due at the same moment, a retry starts before a timeout ends the run.
func TestRetriesStartBeforeTimeouts(t *testing.T) {
	const workflow = `{"workflow":"w","timeout":0,"steps":[{"id":"a","agent":"x","needs":[],"timeout":"1h","retry":{"max":1}},
		{"id":"b","agent":"x","needs":[],"timeout":"2h","retry":{"max":3,"backoff":"10m"}}]}`
	p := play(t, workflow)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("b"), Failure: busy})
	at, _ := p.s.NextDeadline()
	wait := at.Sub(t0) // depends on the key alone
	if wait <= 0 || wait > 10*time.Minute {
		t.Fatal(wait)
	}
	p = play(t, workflow)
	p.do(run.Start{})
	p.env.Now = t0.Add(time.Hour - wait)
	p.do(run.Fail{Key: p.key("b"), Failure: busy})
	had := len(p.log)
	p.env.Now = t0.Add(time.Hour)
	p.do(run.Tick{})
	var got []string
	for _, e := range p.log[had:] {
		got = append(got, e.Fact.Type())
	}
	if want := []string{"step.started", "step.failed", "run.failed"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// sums asks about every refund, and notes the total of the others that it is told.
type sums struct{ told map[string]string }

func (sums) Counts(s policy.Subject) []policy.Count {
	if s.Operation == "" {
		return nil
	}
	return []policy.Count{{Sum: "s", Of: s.Data}}
}

func (j sums) Judge(_ time.Time, s policy.Subject) policy.Verdict {
	if s.Operation == "" {
		return policy.Verdict{}
	}
	total, known := s.Total(policy.SumQuery{Sum: "s", Operations: []string{"refund"}})
	key := s.Step
	if s.Result {
		key += "'"
	}
	j.told[key] = fmt.Sprintf("%d %t", total.Acts, known)
	return policy.Verdict{Effect: policy.Asks, Rule: "r", Policy: "p"}
}

// Of acts that wait for approval, each counts those that have waited for longer, and no other operation, no
// result and nothing twice.
func TestActsThatWaitAreCounted(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[],"operation":"refund","with":{"n":"1"}},
		{"id":"b","agent":"x","needs":[],"operation":"refund","with":{"n":"2"}},
		{"id":"o","agent":"x","needs":[],"operation":"other","with":{"n":"4"}},
		{"id":"plain","agent":"x","needs":[]},{"id":"free","agent":"x","needs":[]},
		{"id":"c","agent":"x","needs":["plain"],"operation":"refund","with":{"n":"8"}}],
		"gates":[{"id":"g","at":"before a"},{"id":"h","at":"after plain"},{"id":"i","at":"before free"}]}`)
	j := sums{map[string]string{}}
	p.env.Judge = j
	p.env.Elsewhere = func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	p.do(run.Start{})
	if got := fmt.Sprint(j.told); got != "map[a:0 true b:1 true o:2 true]" {
		t.Errorf("at the start: %s", got)
	}
	p.answer("plain", `1`)
	for _, a := range p.s.Pending() {
		if a.Gate == "h" {
			if err := p.try(decideAs("bob", nil, a, gate.Approve)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := j.told["c"]; got != "2 true" {
		t.Errorf("c: %s", got)
	}
	// b begins. It counts as begun, and not once more as waiting for the approval of its result.
	j.told["c"] = ""
	for _, step := range []string{"b", "c"} {
		for _, a := range p.s.Pending() {
			if a.Step == step {
				if err := p.try(decideAs("bob", nil, a, gate.Approve)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if step == "b" {
			p.answer("b", `1`)
		}
	}
	if got := j.told["c"]; got != "2 true" {
		t.Errorf("c, before it starts: %s", got)
	}
	if got := j.told["b'"]; got != "1 true" {
		t.Errorf("the result of b: %s", got)
	}
}

// An act that is asked about again before it is repeated has begun: it counts once. The result of a simulated
// act is not an act.
func TestActsCountOnce(t *testing.T) {
	const workflow = `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[],"operation":"refund","with":{"n":"1"},"retry":{"max":3}},
		{"id":"plain","agent":"x","needs":[]},{"id":"c","agent":"x","needs":["plain"],"operation":"refund","with":{"n":"8"}}]}`
	p := play(t, workflow)
	j := sums{map[string]string{}}
	p.env.Judge = j
	p.env.Elsewhere = func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	p.do(run.Start{})
	p.decides(gate.Approve)
	p.do(run.Fail{Key: p.key("a"), Failure: busy})
	p.env.Judge = stricter{j}
	p.later()
	if len(p.s.Pending()) != 1 {
		t.Fatalf("%d questions", len(p.s.Pending()))
	}
	p.answer("plain", `1`)
	if got := j.told["c"]; got != "1 true" {
		t.Errorf("beside one that is to be repeated: %s", got)
	}

	p = play(t, strings.Replace(strings.Replace(workflow, `"agent":"x"`, `"agent":"other","sample":{"n":1}`, 1), `}]}`,
		`}],"gates":[{"id":"g","at":"after a"}]}`, 1))
	p.env.Judge = j
	p.env.Elsewhere = func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	p.do(run.Start{TestMode: true})
	p.decides(gate.Approve)
	if len(p.s.Pending()) == 0 || p.s.Pending()[0].Gate != "g" {
		t.Fatal(p.titles())
	}
	p.answer("plain", `1`)
	if got := j.told["c"]; got != "0 true" {
		t.Errorf("beside one that is simulated: %s", got)
	}
}

// stricter is the same policy, with one more person to ask.
type stricter struct{ sums }

func (j stricter) Judge(now time.Time, s policy.Subject) policy.Verdict {
	v := j.sums.Judge(now, s)
	v.Ask.Count = 2
	return v
}

// A question that a rule put with "a timeout approves" is put again without that while the emergency stop is
// on. A gate keeps its own terms: when its time is up, the stop counts.
func TestQuestionsThatArePutAgainDuringAStop(t *testing.T) {
	for _, c := range []struct {
		rule, stopped bool
		then          gate.Then
		want          gate.Then
	}{
		{true, true, gate.ThenDefault, gate.ThenPause}, {true, false, gate.ThenDefault, gate.ThenDefault},
		{true, true, gate.ThenApprove, gate.ThenPause}, {true, false, gate.ThenApprove, gate.ThenApprove},
		{true, true, gate.ThenReject, gate.ThenReject}, {false, true, gate.ThenApprove, gate.ThenApprove},
	} {
		p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[],"operation":"refund"},
			{"id":"b","agent":"x","needs":[]}]}`)
		p.env.Judge = asks(policy.Ask{Timeout: time.Hour, Then: c.then})
		if !c.rule {
			p = play(t, fmt.Sprintf(`{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]}],
				"gates":[{"id":"g","at":"before a","timeout":{"after":"1h","then":%q}}]}`, c.then))
		}
		p.do(run.Start{})
		p.do(run.Fail{Key: p.key("b")}) // withdraws the question
		p.env.Stopped = c.stopped
		p.do(run.Resume{})
		if got := p.s.Pending(); len(got) != 1 || got[0].Terms.Then != c.want {
			t.Errorf("%+v: %d questions, then %s", c, len(got), got[0].Terms.Then)
		}
	}
}

// While a run is being cancelled, an agent that reaches its limits is neither stopped for turns or cost nor
// asked about; its time ends it.
func TestLimitsWhileCancelling(t *testing.T) {
	limited := plan.Agent{Name: "limited", Kind: plan.AgentLLM, Limits: &plan.Limits{
		Duration: quantity.Duration(time.Hour), Iterations: 1, OnLimit: "ask"}}
	p := playWith(t, `{"workflow":"w","steps":[{"id":"l","agent":"limited","timeout":"3h"}]}`, limited)
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "read_file"}}}})
	if len(p.s.Pending()) != 1 || p.s.Pending()[0].Reason != gate.ReasonLimit {
		t.Fatalf("%s", p.titles())
	}
	p.do(run.Cancel{})
	if p.s.Status != run.Cancelled {
		t.Errorf("a run that only waits for people: %s", p.s.Status)
	}

	p = playWith(t, `{"workflow":"w","steps":[{"id":"l","agent":"limited","timeout":"3h"}]}`, limited)
	p.do(run.Start{})
	p.do(run.Cancel{})
	p.env.Now = t0.Add(time.Hour - 1)
	p.do(run.Tick{})
	if p.s.Status != run.Running {
		t.Fatalf("before its time is up: %s", p.s.Status)
	}
	p.env.Now = t0.Add(time.Hour)
	p.do(run.Tick{})
	st, _ := p.s.StepByID("l")
	if p.s.Status != run.Cancelled || st.Error == nil || st.Error.Code != "timeout" {
		t.Errorf("when its time is up: %s, %+v", p.s.Status, st.Error)
	}
}

// An agent may use all of its turns.
func TestTheLastTurnCounts(t *testing.T) {
	limited := plan.Agent{Name: "limited", Kind: plan.AgentLLM, Limits: &plan.Limits{Iterations: 2}}
	p := playWith(t, `{"workflow":"w","steps":[{"id":"l","agent":"limited"}]}`, limited)
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "gone",
		Spec: run.ToolSpec{Unknown: true}}}}})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Output: json.RawMessage(`1`)}})
	if p.s.Status != run.Completed {
		t.Error(p.s.Status, p.s.Error)
	}
}

// The end of a sub-run is final for the run that started it. A limit that is raised in the sub-run continues
// that run alone; resuming the other one starts a new sub-run.
func TestRaisedLimitsOfSubRuns(t *testing.T) {
	limited := plan.Agent{Name: "limited", Kind: plan.AgentLLM, Limits: &plan.Limits{Iterations: 1}}
	outer := play(t, `{"workflow":"w","steps":[{"id":"s","workflow":"child"}]}`)
	outer.do(run.Start{})
	key := outer.key("s")
	inner := playWith(t, `{"workflow":"child","steps":[{"id":"l","agent":"limited"}]}`, limited)
	inner.do(run.Start{Parent: &run.Parent{Run: "run_p", Key: key}})
	inner.do(run.CompleteTurn{Key: inner.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "gone",
		Spec: run.ToolSpec{Unknown: true}}}}})
	ended := func() run.EndChild {
		return run.EndChild{Key: key, Status: inner.s.Status, Output: inner.s.Output, Error: inner.s.Error}
	}
	if inner.s.Status != run.LimitReached {
		t.Fatal(inner.s.Status)
	}
	outer.do(ended())
	if outer.s.Status != run.Failed || outer.s.Error.Code != "child_limit_reached" ||
		outer.s.Error.Message != "Limited has used up its turns: 1 of 1. Resuming this run starts a new sub-run." {
		t.Fatalf("%s %+v", outer.s.Status, outer.s.Error)
	}
	inner.do(run.Resume{Limits: run.LimitAmount{Iterations: 5}})
	if err := outer.try(run.Command{Do: run.ChildWaits{Key: key}}); !fault.Is(err, fault.Stale) {
		t.Error(err)
	}
	inner.do(run.CompleteTurn{Key: inner.key("l"), Turn: run.Turn{Output: json.RawMessage(`1`)}})
	if inner.s.Status != run.Completed {
		t.Fatal(inner.s.Status)
	}
	if err := outer.try(run.Command{Do: ended()}); !fault.Is(err, fault.Stale) || outer.s.Status != run.Failed {
		t.Errorf("%s: %v", outer.s.Status, err)
	}
	outer.do(run.Resume{})
	if ids := outer.s.SubRuns(); len(ids) != 1 || ids[0] != "run_p.2" {
		t.Errorf("%v", ids)
	}
}

// A sub-run whose step timed out is no longer listed as in progress, although the run continues.
func TestSubRunsThatTimedOut(t *testing.T) {
	p := play(t, `{"workflow":"w","stop_on_error":false,"steps":[{"id":"s","workflow":"child","needs":[],"timeout":"1m"},
		{"id":"a","agent":"x","needs":[],"timeout":"1h"}]}`)
	p.do(run.Start{})
	p.env.Now = t0.Add(time.Minute)
	p.do(run.Tick{})
	if ids := p.s.SubRuns(); len(ids) != 0 || p.s.Status != run.Running || len(p.s.Children) != 1 {
		t.Errorf("%v at work, %v to stop, the run is %s", ids, p.s.Children, p.s.Status)
	}
}

// Reports to a run whose payloads are deleted are as stale as those to any run that has ended.
func TestReportsAfterDeletion(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	key := p.key("a")
	p.answer("a", `1`)
	p.do(run.Forget{Reason: "asked for"})
	for _, do := range []run.Operation{run.Complete{Key: key}, run.Fail{Key: key}, run.CompleteTurn{Key: key},
		run.CompleteCall{Key: key}, run.ChildWaits{Key: key}, run.Rebind{Key: key}, run.AnswerConsult{Key: key},
		run.ReadForConsult{Key: key}, run.AnswerReplan{Key: key}} {
		if err := p.try(run.Command{Do: do}); !fault.Is(err, fault.Stale) {
			t.Errorf("%T: %v", do, err)
		}
	}
}

// A fork's edits of the context replace fields as a whole. They are no merge patch: null is a value.
func TestEditsOfTheContext(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`)
	p.do(run.Start{})
	p.answer("a", `{"keep":1,"gone":2,"deep":{"x":1,"y":2}}`)
	f := p.forked(run.Edits{Context: json.RawMessage(`{"gone":null,"deep":{"x":3}}`)})
	if got := string(f.s.InputFor("b", -1)); got != `{"keep":1,"gone":null,"deep":{"x":3}}` {
		t.Error(got)
	}
}
