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
	key.Index, key.Try = 1, key.Try+1
	if err := p.try(run.Command{Do: run.Fail{Key: key}}); !fault.Is(err, fault.Stale) {
		t.Errorf("a try that was not made: %v", err)
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

// A step that was left out by hand lets nothing begin before what it would have
// waited for.
func TestSkippedStepsLetNothingBeginEarly(t *testing.T) {
	const chain = `{"workflow":"w","stop_on_error":false,"steps":[{"id":"a","agent":"x","needs":[],"retry":{"max":1}},
		{"id":"b","agent":"x","needs":["a"]},{"id":"c","agent":"x","needs":["b"],"retry":{"max":1}}]}`
	p := play(t, chain)
	p.do(run.Start{})
	p.do(run.SkipStep{Step: "b"})
	if st, _ := p.s.StepByID("c"); st.Status != run.PendingStep {
		t.Fatalf("c is %s", st.Status)
	}
	p.do(run.Fail{Key: p.key("a")})
	p.do(run.Fail{Key: p.key("c")})
	p.do(run.Resume{})
	p.answer("a", `1`)
	if key := p.key("c"); key.Rev != 1 || key.Try != 1 { // it works on something else now
		t.Errorf("%+v", key)
	}
}

// Arguments that people change make another piece of work of a step.
func TestChangedArgumentsAreOtherWork(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"before a"}]}`)
	version := 1
	p.env.InForce = func(kind, name string) []gate.Implementation {
		return []gate.Implementation{{Kind: kind, Name: name, Version: version}}
	}
	p.do(run.Start{})
	p.decides(gate.Approve)
	version = 2
	p.do(run.Rebind{Key: p.key("a"), Implementation: p.env.InForce("agent", "x")})
	p.do(run.ModifyArgs{Step: "a", Changes: json.RawMessage(`{"n":1}`)})
	p.decides(gate.Approve)
	if key := p.key("a"); key.Rev != 1 || key.Try != 1 {
		t.Errorf("%+v", key)
	}
}

// A sub-run that has completed is not told to stop when its step is done again.
func TestCompletedSubRunsAreLeftAlone(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"s","workflow":"child"},{"id":"b","agent":"x"}],
		"gates":[{"id":"g","at":"after b","on_reject":"revise","revise":"s"}]}`)
	p.do(run.Start{})
	p.do(run.EndChild{Key: p.key("s"), Status: run.Completed, Output: json.RawMessage(`1`)})
	p.answer("b", `2`)
	p.decides(gate.Reject)
	if ids := p.s.SubRuns(); len(p.s.Children) != 0 || len(ids) != 1 || ids[0] != "run_p.2" {
		t.Errorf("%v to stop, %v at work", p.s.Children, ids)
	}
}

// What people change about one element of a map is that element's.
func TestChangedElements(t *testing.T) {
	unsure := 0.1
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":1}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
	p.do(run.Complete{Key: p.key("m"), Result: run.Result{Output: json.RawMessage(`{"v":1}`), Confidence: &unsure}})
	p.change(`{"v":5}`)
	p.answer("m", `{"v":2}`)
	if got := string(p.s.Output); got != `[{"v":5},{"v":2}]` {
		t.Errorf("%s: %s", p.s.Status, got)
	}
	p = play(t, `{"workflow":"w","confidence_threshold":0,"steps":[{"id":"a","agent":"x"},
		{"id":"m","agent":"x","each":"a.list","with":{"v":"item"},"operation":"refund"}]}`)
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`{"list":[1]}`), Confidence: &unsure}})
	m, _ := p.s.Plan().Step("m")
	if sure, _ := p.s.ConfidenceBefore(m, 0); sure == nil || *sure != 0.1 {
		t.Fatal(sure)
	}
	p = play(t, `{"workflow":"w","confidence_threshold":0,"steps":[{"id":"a","agent":"x"},
		{"id":"m","agent":"x","each":"a.list","with":{"v":"item"},"operation":"refund"}]}`)
	p.do(run.Start{})
	p.env.Judge = asks(policy.Ask{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`{"list":[1]}`), Confidence: &unsure}})
	p.decides(gate.Approve) // the result of a
	p.change(`{"v":7}`)
	if sure, src := p.s.ConfidenceBefore(m, 0); sure == nil || *sure != 1 || src.Step != gate.SourceInput {
		t.Errorf("what a person wrote: %v by %+v", sure, src)
	}
}

// A map over nothing is asked about like any other.
func TestEmptyListsAreAskedAbout(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list"}],"gates":[{"id":"g","at":"before m"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"list":[]}`)})
	if got := p.proposed(); got != `[]` {
		t.Fatal(got)
	}
	p.decides(gate.Approve)
	if got := string(p.s.Output); got != `[]` {
		t.Errorf("%s: %s", p.s.Status, got)
	}
}

// After a hand-off an element is the work of the agent that took over.
func TestElementsThatAreHandedOver(t *testing.T) {
	p := play(t, `{"workflow":"w","hand_off":["llm"],"steps":[{"id":"l","agent":"other","each":"input.list"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"list":[1]}`)})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{
		{ID: "c", Tool: run.ToolHandOff, Args: json.RawMessage(`{"to":"llm"}`)}}}})
	p.decides(gate.Approve)
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Output: json.RawMessage(`1`)}})
	by := ""
	for _, e := range p.log {
		if _, ok := e.Fact.(*run.ElementCompleted); ok {
			by = e.Actor.Name
		}
	}
	if by != "llm" {
		t.Errorf("completed by %q", by)
	}
}

// denies is a policy that forbids to use results.
type denies struct{}

func (denies) Judge(_ time.Time, s policy.Subject) policy.Verdict {
	if s.Result {
		return policy.Verdict{Effect: policy.Denies, Rule: "no", Deny: "not this"}
	}
	return policy.Verdict{}
}

// A result that the policy forbids completes nothing.
func TestForbiddenResults(t *testing.T) {
	for _, workflow := range []string{oneStep,
		`{"workflow":"w","steps":[{"id":"a","agent":"x","each":"input.list"}]}`} {
		p := play(t, workflow)
		p.env.Judge = denies{}
		p.do(run.Start{Input: json.RawMessage(`{"list":[1]}`)})
		p.answer("a", `1`)
		last := p.log[len(p.log)-1].Fact
		if _, ok := last.(*run.RunFailed); !ok || p.s.Status != run.Failed {
			t.Errorf("the run is %s, and the last event %s", p.s.Status, last.Type())
		}
	}
}

// A sub-run whose time is up is not started again, and only sub-runs wait for people.
func TestTimeoutsOfSubRuns(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"s","workflow":"child","needs":[],"timeout":"1m","retry":{"max":3}},
		{"id":"a","agent":"x","needs":[],"timeout":"1h"}]}`)
	p.do(run.Start{})
	if err := p.try(run.Command{Do: run.ChildWaits{Key: p.key("a"), Waiting: true}}); !fault.Is(err, fault.Stale) {
		t.Error(err)
	}
	p.env.Now = t0.Add(time.Minute)
	p.do(run.Tick{})
	if p.s.Status != run.Failed || p.s.Error.Code != "timeout" {
		t.Error(p.s.Status, p.s.Error)
	}
}

// Where a workflow leaves the rest to its owner, those whom a rule names decide.
func TestRulesNameOthersThanTheOwner(t *testing.T) {
	for _, c := range []struct {
		ask   policy.Ask
		owner string
	}{{policy.Ask{}, "ann"}, {policy.Ask{Count: 1}, "ann"}, {policy.Ask{Role: "boss"}, ""}, {policy.Ask{Count: 2}, ""},
		{policy.Ask{Roles: map[string]int{"boss": 1}}, ""}} {
		p := play(t, `{"workflow":"w","owner_only":true,"steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
		p.env.Judge = asks(c.ask)
		p.do(run.Start{Owner: "ann"})
		if got := p.s.Pending()[0].Terms.OnlyOwner; got != c.owner {
			t.Errorf("%+v: %q", c.ask, got)
		}
	}
}

// A question that was open when the run failed is put again as it was, with its times
// counted from then on.
func TestOpenQuestionsOfFailedRuns(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]}],
		"gates":[{"id":"g","at":"before a","timeout":{"after":"2h","then":"reject"},"escalate":[{"after":"1h","to":"boss"}]},
		{"id":"h","at":"after b","remind":0,"pause_after":0}]}`)
	p.do(run.Start{})
	p.answer("b", `1`)
	first := map[string]gate.Terms{}
	for _, a := range p.s.Pending() {
		first[a.Gate] = a.Terms
	}
	p.do(run.Pause{})
	for _, a := range p.s.Pending() {
		if a.Gate == "h" {
			c := decideAs("bob", nil, a, gate.Reject)
			d := c.Do.(run.Decide)
			d.Answer.Comment = "no"
			c.Do = d
			if err := p.try(c); err != nil {
				t.Fatal(err)
			}
		}
	}
	const later = 30 * time.Minute
	p.env.Now = t0.Add(later)
	p.do(run.Resume{})
	for _, a := range p.s.Pending() {
		was, is := first[a.Gate], a.Terms
		for name, times := range map[string][2]time.Time{"deadline": {was.Deadline, is.Deadline},
			"pause": {was.PauseAt, is.PauseAt}} {
			if times[0].IsZero() != times[1].IsZero() || !times[0].IsZero() && times[1].Sub(times[0]) != later {
				t.Errorf("%s: %s was %s and is %s", a.Gate, name, times[0], times[1])
			}
		}
		if len(was.Escalate) != len(is.Escalate) ||
			len(is.Escalate) > 0 && is.Escalate[0].At.Sub(was.Escalate[0].At) != later {
			t.Errorf("%s: %v, then %v", a.Gate, was.Escalate, is.Escalate)
		}
	}
	if len(p.s.Pending()) != 2 {
		t.Errorf("%d questions", len(p.s.Pending()))
	}
}

// A result that a rule approved in people's stead counts once.
func TestApprovedResultsCountOnce(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"after a","auto_approvable":true}]}`)
	var told []string
	p.env.Judge = grants{&told}
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`1`), Usage: run.Usage{TokensIn: 3},
		Deliverables: []run.Deliverable{{Name: "d", Content: json.RawMessage(`"x"`)}}}})
	if p.s.Status != run.Completed || p.s.Usage.TokensIn != 3 || len(p.s.Deliverables) != 1 {
		t.Errorf("%s, %+v, %d deliverables", p.s.Status, p.s.Usage, len(p.s.Deliverables))
	}
}

// A rule that sets no deadline leaves it to the workflow.
func TestDeadlinesOfWorkflowsUnderRules(t *testing.T) {
	p := play(t, `{"workflow":"w","ask":{"role":"boss","timeout":{"after":"1h","then":"reject"}},
		"steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
	p.env.Judge = asks(policy.Ask{Then: gate.ThenApprove})
	p.do(run.Start{})
	if terms := p.s.Pending()[0].Terms; !terms.Deadline.Equal(t0.Add(time.Hour)) || terms.Then != gate.ThenReject {
		t.Errorf("%+v", terms)
	}
}

// What a try cost that failed is part of what the run costs, whether it is the last or not.
func TestFailedTriesAreCounted(t *testing.T) {
	for _, transient := range []bool{true, false} {
		p := play(t, oneStep)
		p.do(run.Start{})
		p.do(run.Fail{Key: p.key("a"), Failure: run.Failure{Transient: transient, Usage: run.Usage{TokensIn: 4}}})
		if u := p.s.Usage; u.TokensIn != 4 {
			t.Errorf("transient %t: %+v", transient, u)
		}
	}
}

// A sub-run at work is told to stop when what it builds on is done again.
func TestSubRunsOfStepsThatStartOver(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"s","workflow":"child","needs":["a"]},
		{"id":"c","agent":"x","needs":["a"]}],"gates":[{"id":"g","at":"after c","on_reject":"revise","revise":"a"}]}`)
	p.do(run.Start{})
	p.answer("a", `1`)
	p.answer("c", `2`)
	p.decides(gate.Reject)
	if c := p.s.Children; len(c) != 1 || c[0].Run != "run_p.1" {
		t.Errorf("%+v", c)
	}
}

// A step that was left out passes on how sure those before it were.
func TestConfidenceBehindSkippedSteps(t *testing.T) {
	unsure := 0.8
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","if":"input.no"},{"id":"c","agent":"x"}]}`)
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`1`), Confidence: &unsure}})
	c, _ := p.s.Plan().Step("c")
	if sure, src := p.s.ConfidenceBefore(c, -1); sure == nil || *sure != unsure || src.Step != "a" {
		t.Errorf("%v of %+v", sure, src)
	}
}
