package decide_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

const oneLoop = `{"workflow":"w","steps":[{"id":"l","agent":"other"}]}`

// call makes the model at work call a tool.
func (p *player) call(tool string) {
	p.t.Helper()
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: tool}}}})
}

// told is what the model saw of its last call.
func (p *player) told(r run.CallResult) run.CallResult {
	p.t.Helper()
	p.do(run.CompleteCall{Key: p.key("l"), Result: r})
	for _, e := range slices.Backward(p.log) {
		if f, ok := e.Fact.(*run.CallCompleted); ok {
			return f.Result
		}
	}
	p.t.Fatal("no call was completed")
	return run.CallResult{}
}

func TestLimitOfToolAnswers(t *testing.T) {
	for size, want := range map[int]string{run.OutputMax: "",
		run.OutputMax + 1: fmt.Sprintf("the tool's result is over the limit of %d bytes", run.OutputMax)} {
		p := play(t, oneLoop)
		p.do(run.Start{})
		p.call("read_file")
		got := p.told(run.CallResult{Output: json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)})
		if got.Error != want || (got.Output == nil) != (want != "") {
			t.Errorf("%d bytes: %q", size, got.Error)
		}
	}
}

// A model that updates a missing deliverable is told the existing names, up to 20.
func TestNamesOfDeliverablesAreTold(t *testing.T) {
	for n, more := range map[int]string{1: "", 20: "", 21: " and 1 more"} {
		p := play(t, oneLoop)
		p.do(run.Start{})
		p.call("read_file")
		var all []run.Deliverable
		for i := range n {
			all = append(all, run.Deliverable{Name: fmt.Sprintf("d%02d", i), Content: json.RawMessage(`"x"`)})
		}
		p.told(run.CallResult{Deliverables: all})
		p.call("read_file")
		got := p.told(run.CallResult{Deliverables: []run.Deliverable{{Name: "other", Update: true, Status: "final"}}}).Error
		var names []string
		for i := range min(n, 20) {
			names = append(names, fmt.Sprintf(`"d%02d"`, i))
		}
		want := `there is no deliverable "other"; there are ` + strings.Join(names, ", ") + more +
			": use one of these names, or create_deliverable"
		if got != want {
			t.Errorf("%d:\n got %s\nwant %s", n, got, want)
		}
	}
}

// Modifying a result changes its output, and nothing else that came with it.
func TestAChangedResultKeepsTheRest(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"after a"}]}`)
	p.do(run.Start{})
	sure := 0.7
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`{"v":1}`), Confidence: &sure,
		Reasoning: "because"}})
	c := decideAs("bob", nil, p.s.Pending()[0], gate.Modify)
	d := c.Do.(run.Decide)
	d.Answer.Changes = json.RawMessage(`{"v":2}`)
	c.Do = d
	if err := p.try(c); err != nil {
		t.Fatal(err)
	}
	st, _ := p.s.StepByID("a")
	if r := st.Tasks[0].Result; string(r.Output) != `{"v":2}` || r.Reasoning != "because" {
		t.Errorf("%+v", r)
	}
}

func TestWhatToSkipIsNamedOnce(t *testing.T) {
	layer := 0
	p := play(t, oneStep)
	p.do(run.Start{})
	for _, s := range []run.SkipStep{{}, {Step: "a", Layer: &layer}} {
		if err := p.try(run.Command{Do: s}); !fault.Is(err, fault.Invalid) ||
			!strings.Contains(err.Error(), "name a step or a layer, and only one of them") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// The summary has one line per step in the order of the plan, the latest as far as there is room.
func TestSummariesSayWhatTheyLeaveOut(t *testing.T) {
	const steps = 40
	var all []string
	for i := range steps {
		all = append(all, fmt.Sprintf(`{"id":"s%02d","agent":"x","needs":[]}`, i))
	}
	p := play(t, `{"workflow":"w","steps":[`+strings.Join(all, ",")+`,{"id":"end","agent":"x","needs":["s00"]}]}`)
	p.do(run.Start{})
	for i := range steps {
		p.answer(fmt.Sprintf("s%02d", i), `"`+strings.Repeat("x", 150)+`"`)
	}
	got := p.s.Summary()
	for _, c := range []struct {
		text        string
		most, least int
	}{{got, 4_000, 15}, {p.s.SummaryIn(1_000), 1_000, 4}} {
		lines := strings.Count(c.text, "\n- s")
		first := fmt.Sprintf("Workflow w.\n- and %d earlier\n- s%02d: done", steps-lines, steps-lines)
		if lines < c.least || lines >= steps || !strings.HasPrefix(c.text, first) ||
			!strings.Contains(c.text, "\n- s39: done") || len(c.text) > c.most {
			t.Errorf("%d lines, %d bytes: %.60s…", lines, len(c.text), c.text)
		}
	}
	p = play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","risk":"high","with":{"n":"a.n"}}]}`)
	p.do(run.Start{})
	p.answer("a", `{"n":1}`)
	if got := p.s.SummaryFor([]int{1}); got !=
		"Workflow w.\n- a: done → {\"n\":1}\n\nNext:\n- b: agent x, high risk, with {\"n\":1}" {
		t.Error(got)
	}
}

// A decision point lists at most 50 steps of each kind, and says how many it leaves out.
func TestDecisionPointsSayWhatTheyLeaveOut(t *testing.T) {
	all := []string{`{"id":"ok","agent":"x","needs":[]}`, `{"id":"bad","agent":"x","needs":[],"retry":{"max":1}}`}
	for i := range 52 {
		all = append(all, fmt.Sprintf(`{"id":"lost%02d","agent":"x","needs":["bad","next%02d"]}`, i, i),
			fmt.Sprintf(`{"id":"next%02d","agent":"x","needs":["ok"]}`, i),
			fmt.Sprintf(`{"id":"late%02d","agent":"x","needs":["next%02d"]}`, i, i))
	}
	p := play(t, `{"workflow":"w","stop_on_error":false,"loops":{"human":"always"},"steps":[`+strings.Join(all, ",")+`]}`)
	p.do(run.Start{})
	p.answer("ok", `1`)
	p.do(run.Fail{Key: p.key("bad"), Failure: run.Failure{Message: "down"}})
	var got struct {
		Next             []json.RawMessage
		Later            []string
		WouldSkip        []string `json:"would_skip"`
		NextLeftOut      int      `json:"next_left_out"`
		LaterLeftOut     int      `json:"later_left_out"`
		WouldSkipLeftOut int      `json:"would_skip_left_out"`
	}
	if err := json.Unmarshal(p.s.Pending()[0].Show, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.WouldSkip) != 50 || got.WouldSkipLeftOut != 2 || len(got.Later) != 50 || got.LaterLeftOut != 2 ||
		slices.ContainsFunc(got.Later, func(id string) bool { return strings.HasPrefix(id, "lost") }) {
		t.Errorf("%+v", got)
	}
	if len(got.Next)+got.NextLeftOut != 52 || len(got.Next) != 50 {
		t.Errorf("next: %d and %d", len(got.Next), got.NextLeftOut)
	}
}

// People can ask for steps in place of one that failed, and only of such a one.
func TestReplansThatReplace(t *testing.T) {
	p := play(t, `{"workflow":"w","stop_on_error":false,
		"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","needs":[]},{"id":"c","agent":"x","needs":["b"]}]}`)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("a"), Failure: run.Failure{Message: "down"}})
	for step, code := range map[string]fault.Code{"b": fault.Conflict, "nothing": fault.NotFound} {
		if err := p.try(run.Command{Do: run.Replan{Requirement: "more", Replaces: step}}); !fault.Is(err, code) {
			t.Errorf("%s: %v", step, err)
		}
	}
	p.do(run.Replan{Requirement: "more", Replaces: "a"})
	if r := p.s.Replans; len(r) != 1 || r[0].Failed != "a" {
		t.Errorf("%+v", r)
	}
}

// A step that a search added fails alone, and steps of the workflow that it was put in front of run without it; unless
// people added it, or one that needs it, themselves.
func TestFailuresOfFoundSteps(t *testing.T) {
	for _, c := range []struct {
		name, step string
		found      bool
		want       run.Status
	}{
		{"found", `[{"id":"new","agent":"x","needs":[]}]`, true, run.Completed},
		{"a chain", `[{"id":"new","agent":"x","needs":[]},{"id":"next","agent":"x","needs":["new"]}]`, true, run.Completed},
		{"after the last one", `[{"id":"new","agent":"x","needs":["a"]}]`, true, run.Completed},
		{"needed", `[{"id":"new","agent":"x","needs":[],"needed_by":["b"]}]`, true, run.Completed},
		{"a chain that is needed", `[{"id":"new","agent":"x","needs":[]},
			{"id":"next","agent":"x","needs":["new"],"needed_by":["b"]}]`, true, run.Completed},
		{"needed by one that people added", `[{"id":"new","agent":"x","needs":[]}]`, true, run.Failed},
		{"added by people", `[{"id":"new","agent":"x","needs":[]}]`, false, run.Failed},
	} {
		p := play(t, `{"workflow":"w","loops":{"replan":"go"},"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`)
		p.do(run.Start{})
		var do run.AnswerReplan
		if err := plan.Decode(json.RawMessage(c.step), &do.Steps); err != nil {
			t.Fatal(err)
		}
		if !c.found {
			p.do(run.InjectSteps{Steps: do.Steps})
		} else {
			p.do(run.Replan{Requirement: "more"})
			for _, s := range do.Steps {
				do.Because = append(do.Because, run.Because{Step: s.ID, Tool: "agent:x"})
			}
			do.Key = p.s.ReplanKey(1)
			p.do(do)
		}
		if strings.Contains(c.name, "by one") {
			p.do(run.InjectSteps{Steps: []plan.Step{{ID: "own", Agent: "x", Needs: &[]string{"new"}}}})
		}
		if strings.HasPrefix(c.name, "after") {
			p.answer("a", `1`)
			p.answer("b", `1`)
		}
		p.do(run.Fail{Key: p.key("new"), Failure: run.Failure{Message: "down"}})
		if p.s.Status == run.Running {
			if st, _ := p.s.StepByID("a"); st.Status != run.DoneStep {
				p.answer("a", `1`)
				p.answer("b", `1`)
			}
		}
		if p.s.Status != c.want || c.want == run.Completed && len(p.s.Warnings) == 0 {
			t.Errorf("%s: the run is %s, warnings %v", c.name, p.s.Status, p.s.Warnings)
		}
	}
}

// At the end of the escalation chain, the deadline passes without a change.
func TestNobodyLeftToEscalateTo(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start","remind":0,"pause_after":0,
		"escalate":[{"after":"1h","to":"role:boss"}],"timeout":{"after":"2h","then":"escalate"}}]}`)
	p.do(run.Start{})
	passedOn := func() (n int) {
		for _, e := range p.log {
			if _, ok := e.Fact.(*run.ApprovalEscalated); ok {
				n++
			}
		}
		return n
	}
	for hour, want := range []int{0, 1, 1, 1} {
		p.env.Now = t0.Add(time.Duration(hour) * time.Hour)
		p.do(run.Tick{})
		if got := passedOn(); got != want || len(p.s.Pending()) != 1 {
			t.Errorf("after %d hours it was passed on %d times", hour, got)
		}
	}
}

// A paused run does not schedule a wake-up for a retry of a call.
func TestPausedCallsWakeNobody(t *testing.T) {
	p := play(t, `{"workflow":"w","timeout":0,"steps":[{"id":"l","agent":"other"}]}`)
	p.do(run.Start{})
	p.call("read_file")
	p.do(run.Fail{Key: p.key("l"), Failure: run.Failure{Message: "busy", Transient: true}})
	retry, ok := p.s.NextDeadline()
	if !ok || !retry.After(t0) || retry.After(t0.Add(time.Hour)) {
		t.Fatalf("the next try is at %s, %t", retry, ok)
	}
	p.do(run.Pause{})
	if at, ok := p.s.NextDeadline(); ok && !at.After(retry) {
		t.Errorf("while it is paused: %s", at)
	}
	p.do(run.Resume{})
	if at, ok := p.s.NextDeadline(); !ok || !at.Equal(retry) {
		t.Errorf("afterwards: %s, %t", at, ok)
	}
}

// An agent's usage no longer changes once it has failed.
func TestMetersStopWithTheStep(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"llm"},{"id":"b","agent":"x"}]}`)
	p.do(run.Start{})
	p.env.Now = t0.Add(time.Hour)
	during := p.s.Meters("l", -1, p.env.Now)
	p.do(run.Fail{Key: p.key("l"), Failure: run.Failure{Message: "broken"}})
	after := p.s.Meters("l", -1, t0.Add(9*time.Hour))
	if len(during) != 3 || len(after) != 3 || after[0].Used != int64(time.Hour) || during[0].Used != int64(time.Hour) {
		t.Errorf("during %+v, after %+v", during, after)
	}
	if got := p.s.Meters("no", -1, t0); got != nil {
		t.Error(got)
	}
}

// The answer at the start gate is part of the run's context.
func TestAnswersAtTheStartAreInTheContext(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","with":{"c":"context"}}],
		"gates":[{"id":"how","at":"start","kind":"choice","options":[{"value":"fast"},{"value":"slow"}]}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"n":1}`)})
	c := decideAs("bob", nil, p.s.Pending()[0], gate.Choose)
	d := c.Do.(run.Decide)
	d.Answer.Option = "slow"
	c.Do = d
	if err := p.try(c); err != nil {
		t.Fatal(err)
	}
	var merged struct {
		N   int
		How struct{ Option string }
	}
	if err := json.Unmarshal(p.s.Merged(), &merged); err != nil || merged.N != 1 || merged.How.Option != "slow" {
		t.Errorf("%s, %v", p.s.Merged(), err)
	}
	if got := string(p.s.InputFor("a", -1)); !strings.Contains(got, `"option":"slow"`) {
		t.Error(got)
	}
}

// If only the owner may decide, the owner is asked, and no role.
func TestOwnersAreAskedAlone(t *testing.T) {
	for quorum := range 2 {
		def := &plan.Definition{Version: 1, DefaultRole: "boss",
			Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentScripted}}}
		doc := fmt.Sprintf(`{"workflow":"w","owner_only":true,"steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start","quorum":%d}]}`, quorum)
		if err := plan.Decode(json.RawMessage(doc), &def.Workflow); err != nil {
			t.Fatal(err)
		}
		compiled, problems := plan.Compile(def)
		if compiled == nil {
			t.Fatal(problems)
		}
		p := &player{t: t, s: machine.New("run_p", compiled), env: decide.Env{Now: t0}}
		p.do(run.Start{Owner: "ann"})
		if terms := p.s.Pending()[0].Terms; terms.Role != "" || terms.OnlyOwner != "ann" {
			t.Errorf("quorum %d: %+v", quorum, terms)
		}
	}
}

// Proposers of a proposal: through the context as well, and in maps.
func TestWhoProposed(t *testing.T) {
	by := func(p *player) (out []string) {
		for _, one := range p.s.Pending()[0].ProposedBy {
			out = append(out, one.Step+":"+strings.Join(one.Fields, "+"))
		}
		return out
	}
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"end"}],"output":{"s":"a.v","t":"context.v","u":"context.given","k":"\"k\""}}`)
	p.do(run.Start{Input: json.RawMessage(`{"given":1}`)})
	p.answer("a", `{"v":1}`)
	if got := by(p); !slices.Equal(got, []string{"a:s+t"}) {
		t.Errorf("at the end: %v", got)
	}
	p = play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"m","agent":"x","each":"a.list"}],"gates":[{"id":"g","at":"before m"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"given":1}`)})
	p.answer("a", `{"list":[1,2],"v":3}`)
	if got := by(p); !slices.Equal(got, []string{"a:list+v+item"}) {
		t.Errorf("before a map: %v", got)
	}
}

// After the end, deciding on an unknown approval is not found.
func TestDecisionsAfterTheEnd(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.answer("a", `1`)
	if err := p.try(run.Command{By: run.Actor{Kind: run.Person, Name: "bob"},
		Do: run.Decide{Approval: "apr_p_9"}}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// A result for an unknown call is rejected.
func TestCallsThatNobodyMade(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	key := p.key("a")
	key.Kind, key.N = run.KeyCall, 1
	if err := p.try(run.Command{Do: run.CompleteCall{Key: key}}); !fault.Is(err, fault.Stale) {
		t.Error(err)
	}
}

// A fork belongs to the person who forked it; if the log does not name one, to the original owner.
func TestOwnersOfForks(t *testing.T) {
	for owner, want := range map[string]string{"bob": "bob", "": "ann"} {
		p := play(t, oneStep)
		p.do(run.Start{Owner: "ann"})
		p.s.Apply(run.Event{Run: "run_p", Seq: p.s.Seq + 1, At: t0, Actor: run.Actor{Kind: run.Person, Name: "bob"},
			Fact: &run.RunForked{From: "run_o", AtSeq: p.s.Seq, Owner: owner}})
		if got := p.s.Started.Owner; got != want {
			t.Errorf("forked by %q: %s", owner, got)
		}
	}
}

// The cost of advice is part of the run's cost.
func TestAdviceIsCounted(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.s.Apply(run.Event{Run: "run_p", Seq: p.s.Seq + 1, At: t0,
		Fact: &run.ConsultAnswered{Advice: run.AdviceRaw{Action: "continue", Usage: run.Usage{LLMCalls: 1, TokensIn: 7}}}})
	if u := p.s.Usage; u.LLMCalls != 1 || u.TokensIn != 7 {
		t.Errorf("%+v", u)
	}
}

// What times out at the same moment as something that ends its step has nothing left
// to do.
func TestTimeoutsAtTheSameMoment(t *testing.T) {
	for _, c := range []struct{ agent, tool string }{{"x", ""}, {"other", ""}, {"other", "read_file"}} {
		p := play(t, `{"workflow":"w","stop_on_error":false,"steps":[
			{"id":"l","agent":"`+c.agent+`","needs":[],"each":"input.list","timeout":"1m","retry":{"max":1}},
			{"id":"z","agent":"x","needs":[],"timeout":"1h"}]}`)
		p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
		if key := p.key("l"); c.tool != "" {
			key.Index = 1
			p.do(run.CompleteTurn{Key: key, Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: c.tool}}}})
		}
		p.env.Now = t0.Add(time.Minute)
		p.do(run.Tick{})
		st, _ := p.s.StepByID("l")
		failed := 0
		for _, e := range p.log {
			if _, ok := e.Fact.(*run.StepFailed); ok {
				failed++
			}
		}
		if st.Status != run.FailedStep || failed != 1 || p.s.Status != run.Running {
			t.Errorf("%+v: the step is %s and failed %d times, the run is %s", c, st.Status, failed, p.s.Status)
		}
	}
}

// People are asked before a step whose tool is critical, whatever the step declares.
func TestCriticalToolsAtDecisionPoints(t *testing.T) {
	for class, asks := range map[risk.Class]bool{"critical": true, "high": false, "": false} {
		p := play(t, `{"workflow":"w","loops":{"human":"critical_only"},
			"steps":[{"id":"a","agent":"x"},{"id":"b","tool":"wire"}]}`)
		if class != "" {
			p.s.Plan().Definition.ToolRisk = map[string]risk.Class{"wire": class}
		}
		p.do(run.Start{})
		p.answer("a", `1`)
		all := p.s.Pending()
		if (len(all) == 1) != asks || asks && (all[0].Risk.Level != "critical" ||
			!strings.Contains(string(all[0].Show), `"risk":"critical"`)) {
			t.Errorf("%s: %d are asked", class, len(all))
		}
	}
}

// A question about many steps says how many, and is as risky as the first of the
// riskiest.
func TestQuestionsBetweenLayers(t *testing.T) {
	for last, want := range map[int]string{61: "Continue with ", 62: "Continue with 3 steps?"} {
		ids := []string{strings.Repeat("b", 60), strings.Repeat("c", 60), strings.Repeat("d", last)}
		doc := `{"workflow":"w","loops":{"human":"always"},"steps":[{"id":"a","agent":"x"}`
		for n, level := range []string{"medium", "high", "high"} {
			doc += fmt.Sprintf(`,{"id":%q,"agent":"x","needs":["a"],"risk":%q}`, ids[n], level)
		}
		p := play(t, doc+`]}`)
		p.do(run.Start{})
		p.answer("a", `1`)
		q := p.s.Pending()[0]
		if !strings.HasPrefix(q.Title, want) || (len(q.Title) == 200) != (last == 61) {
			t.Errorf("%d characters: %s", len(q.Title), q.Title)
		}
		reasons := []string{run.StepName(&plan.Step{ID: ids[1]}) + " is rated high risk"}
		if q.Risk.Level != "high" || !slices.Equal(q.Risk.Reasons, reasons) {
			t.Errorf("%+v", q.Risk)
		}
	}
}
