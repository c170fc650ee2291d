package decide_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// A walk sends a run arbitrary commands from a source of choices, valid and invalid ones, and checks after
// each the invariants of every reachable state.
type walk struct {
	t      failer
	choose func(n int) int // a number from 0 to n-1
	plan   *plan.Plan
	s      *machine.State
	now    time.Time
	log    []run.Event
	keys   []run.Key // of all effects ever seen, stale ones included
	n      int
	last   run.Command
}

// walkPlans are definitions that together use every feature.
var walkPlans = []string{
	`{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"llm"}]}`,
	`{"workflow":"w","stop_on_error":false,"steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[],"if":"input.n > 1","operation":"refund","risk":"high"},
	  {"id":"c","agent":"x","needs":["a","b"],"with":{"n":"a.n","m":"b.m","k":"\"k\""}}],
	  "gates":[{"id":"g1","at":"before b","quorum":2},{"id":"g2","at":"before b","role":"approver","on_reject":"tell"},{"id":"g3","at":"after c","kind":"choice","options":[{"value":"yes"},{"value":"no"}],"timeout":{"after":"1h","then":"default","default":"no"},"on_reject":"revise"}]}`,
	`{"workflow":"w","input":{"type":"object"},"steps":[{"id":"a","agent":"x"},{"id":"m","agent":"x","each":"a.list","width":2,"operation":"send_email","with":{"v":"item","i":"index"}},{"id":"h","human":{"kind":"input","input_schema":{"type":"object","required":["ok"]},"role":"manager","timeout":{"after":"2h","then":"escalate"},"escalate":[{"after":"1h","to":"bob"}]}}],
	  "gates":[{"id":"s","at":"start","requester":"excluded","on_reject":"tell","timeout":{"after":"1h","then":"approve"}},{"id":"e","at":"end","acts":["approve","modify","reject","request_revision","delegate"],"roles":{"finance":1,"legal":1}},{"id":"am","at":"after m","when":"n > 1"}]}`,
	`{"workflow":"w","steps":[{"id":"sub","workflow":"child","needs":[]},{"id":"l","agent":"llm","needs":[]},{"id":"z","agent":"x","needs":["sub","l"],"timeout":"10s","retry":{"max":2}}],
	  "gates":[{"id":"call","at":"call send_email","role":"approver"},{"id":"bl","at":"before l","timeout":{"after":"30m","then":"pause"}}]}`,
	`{"workflow":"w","loops":{"agent":{"agent":"x","at":"per_layer"},"human":"always"},"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x","risk":"critical"}]}`,
	`{"workflow":"w","loops":{"agent":{"agent":"x","at":"on_error"},"human":"critical_only"},"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","needs":["a"],"risk":"critical"},{"id":"c","agent":"x","needs":["a"]}]}`,
	`{"workflow":"w","owner_only":true,"steps":[{"id":"l","agent":"llm"},{"id":"b","agent":"llm","needs":[],"each":"input.list"}],"output":{"r":"l.text","x":"input.nothing"}}`,
	`{"workflow":"w","speculate":true,"stop_on_error":false,"steps":[{"id":"a","agent":"x"},{"id":"b","agent":"safe","with":{"n":"a.n"}},{"id":"c","agent":"safe","with":{"n":"b.n"},"if":"a.n > 1"},{"id":"d","agent":"x"},{"id":"h","human":{},"needs":["a"]},{"id":"e","agent":"safe","needs":["h"]}],
	  "gates":[{"id":"s","at":"start"},{"id":"g","at":"after a","quorum":2,"on_reject":"revise","timeout":{"after":"1h","then":"approve"}},{"id":"z","at":"after b","on_reject":"tell"}]}`,
}

func walkAgents() []plan.Agent {
	cost, _ := quantity.ParseMoney("1")
	return []plan.Agent{
		{Name: "x", Kind: plan.AgentScripted},
		{Name: "safe", Kind: plan.AgentHTTP, Effects: plan.EffectsNone},
		{Name: "llm", Kind: plan.AgentLLM, ToolRisk: map[string]risk.Class{"risky": "approval_required"},
			Limits: &plan.Limits{Duration: quantity.Duration(30 * time.Hour), CostUSD: cost, Iterations: 6, OnLimit: "ask"}},
		{Name: "other", Kind: plan.AgentLLM},
	}
}

// fickle is a policy with a different verdict for every subject.
type fickle struct{ choose func(int) int }

func (f fickle) Judge(_ time.Time, s policy.Subject) policy.Verdict {
	switch f.choose(8) {
	case 0:
		return policy.Verdict{Effect: policy.Denies, Rule: "no", Policy: "pol_1", Deny: "switched off"}
	case 1:
		return policy.Verdict{Effect: policy.Approves, Rule: "yes", Policy: "pol_1", Reason: "small"}
	case 2:
		return policy.Verdict{Effect: policy.Asks, Rule: "ask", Policy: "pol_1",
			Ask: policy.Ask{Count: 2, Role: "approver", Timeout: time.Hour, Then: gate.ThenReject}}
	}
	return policy.Verdict{}
}

func newWalk(t failer, choose func(int) int) *walk {
	w := &walk{t: t, choose: choose, now: t0}
	w.plan = compile(t, walkPlans[choose(len(walkPlans))], walkAgents()...)
	w.s = machine.New("run_w", w.plan)
	return w
}

func (w *walk) env() decide.Env {
	e := decide.Env{Now: w.now}
	if w.choose(2) == 0 {
		e.Judge = fickle{w.choose}
	}
	return e
}

// step sends one command and checks the state.
func (w *walk) step() {
	w.n++
	switch w.choose(6) {
	case 0:
		w.now = w.now.Add(time.Duration(w.choose(100)) * time.Hour)
	case 1:
		w.now = w.now.Add(-time.Duration(w.choose(90)) * time.Minute)
	}
	c := w.command()
	before, err := w.s.Snapshot()
	if err != nil {
		w.t.Fatal(err)
	}
	events, err := decide.Handle(w.s, w.env(), c)
	after, _ := w.s.Snapshot()
	if !bytes.Equal(before, after) {
		w.fatalf("Handle(%T) changed the state:\n%s\n%s", c.Do, before, after)
	}
	if err != nil && len(events) > 0 {
		w.fatalf("Handle(%T) gave events and %v", c.Do, err)
	}
	for _, e := range events {
		if e.Seq != w.s.Seq+1 {
			w.fatalf("seq %d follows %d", e.Seq, w.s.Seq)
		}
		w.s.Apply(e)
	}
	w.log = append(w.log, events...)
	w.last = c
	w.check()
}

func (w *walk) check() {
	for _, e := range w.s.Effects() {
		if _, ok := e.Do.(run.Wake); ok {
			continue
		}
		if !slices.Contains(w.keys, e.Key) {
			w.keys = append(w.keys, e.Key)
		}
		parsed, err := run.ParseKey(e.Key.String())
		if err != nil || parsed != e.Key {
			w.fatalf("key %v reads back as %v: %v", e.Key, parsed, err)
		}
	}
	if w.s.Status.Ended() && len(w.s.Pending()) > 0 {
		w.fatalf("the run is %s with approvals open", w.s.Status)
	}
	if w.s.Status == run.Waiting && len(w.s.Pending()) == 0 && !w.childWaits() {
		w.fatalf("the run waits for nobody")
	}
}

func (w *walk) childWaits() bool {
	for _, st := range w.s.Steps {
		for _, t := range st.Tasks {
			if t.ChildWaiting {
				return true
			}
		}
	}
	return false
}

// finish checks the invariants of the whole log.
func (w *walk) finish() {
	live, err := w.s.Snapshot()
	if err != nil {
		w.t.Fatal(err)
	}
	wire, err := value.Marshal(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	var log []run.Event
	if err := json.Unmarshal(wire, &log); err != nil {
		w.t.Fatal(err)
	}
	folded := machine.Fold("run_w", w.plan, log)
	if err := folded.Consistent(); err != nil && folded.Seq > 0 {
		w.fatalf("the state breaks an invariant: %v", err)
	}
	if got, _ := folded.Snapshot(); !bytes.Equal(got, live) {
		w.fatalf("the fold differs from the live state:\n%s\n%s", got, live)
	}
	if a, b := fmt.Sprint(folded.Effects()), fmt.Sprint(w.s.Effects()); a != b {
		w.fatalf("the fold owes something else:\n%s\n%s", a, b)
	}
	if len(log) == 0 {
		return
	}
	cut := w.choose(len(log) + 1)
	half, err := machine.Fold("run_w", w.plan, log[:cut]).Snapshot()
	if err != nil {
		w.t.Fatal(err)
	}
	restored, err := machine.Restore(half, w.plan)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range log[cut:] {
		restored.Apply(e)
	}
	if got, _ := restored.Snapshot(); !bytes.Equal(got, live) {
		w.fatalf("snapshot at %d and tail differ from the fold:\n%s\n%s", cut, got, live)
	}
	w.fork(log[:max(cut, 1)])
}

// fork checks that a fork never requests recorded results again.
func (w *walk) fork(past []run.Event) {
	events, err := decide.Fork(w.env(), "run_f", w.plan, past, run.Edits{},
		run.Command{By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Resume{}})
	if err != nil {
		w.t.Fatal(err)
	}
	s := machine.Fold("run_f", w.plan, events)
	for _, e := range s.Effects() {
		if in, ok := e.Do.(run.Invoke); ok && in.Index < 0 {
			if st, _ := machine.Fold("run_w", w.plan, past).StepByID(in.Step); st.Status == run.DoneStep {
				w.fatalf("the fork asks for %s again", e.Key)
			}
		}
		if e.Key.Run != "run_f" {
			w.fatalf("the fork uses the key %s of another run", e.Key)
		}
	}
}

// fatalf fails with the path that led here.
func (w *walk) fatalf(format string, args ...any) {
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	for _, e := range w.log {
		line, _ := value.Marshal(e)
		fmt.Fprintf(&b, "\n%s", line)
	}
	w.t.Fatal(b.String())
}

func (w *walk) any(words ...string) string { return words[w.choose(len(words))] }

func (w *walk) json() json.RawMessage {
	return json.RawMessage(w.any(`{"n":5,"list":[1,2,3],"amount":10}`, `{"n":0,"list":[],"m":{"deep":[{}]}}`,
		`{"ok":true}`, `[1,2]`, `"text"`,
		`null`, `9007199254740993`, `{"list":["a"],"n":1e400}`, `{"n":"not a number"}`, `{broken`, ``,
		`{"text":"hi","a":{"b":null}}`))
}

func (w *walk) person() (run.Actor, gate.Person) {
	p := gate.Person{Name: w.any("ann", "bob", "cid", "dee", "")}
	for range w.choose(3) {
		p.Roles = append(p.Roles, w.any("approver", "finance", "legal", "manager", "admin"))
	}
	if w.choose(8) == 0 {
		p.For = w.any("ann", "bob")
	}
	a := run.Actor{Kind: run.Person, Name: p.Name}
	if w.choose(10) == 0 {
		a.Kind = run.Agent
	}
	return a, p
}

func (w *walk) command() run.Command {
	if w.s.Seq == 0 && w.choose(5) > 0 {
		return run.Command{By: run.Actor{Kind: run.Person, Name: "ann"},
			Do: run.Start{Input: w.json(), Owner: w.any("ann", "bob"), TestMode: w.choose(8) == 0, Depth: w.choose(20)}}
	}
	by, person := w.person()
	c := run.Command{By: by}
	if w.choose(3) > 0 {
		c.ID = fmt.Sprint("c", w.choose(w.n+1))
	}
	switch k := w.choose(10); {
	case k < 5:
		c.ID = ""
		c.Do = w.report()
	case k < 8:
		c.Do = w.decision(person)
	case k == 8:
		c.ID, c.Do = "", run.Tick{}
	default:
		c.Do = w.order()
	}
	if w.choose(20) == 0 && w.last.Do != nil {
		return w.last
	}
	return c
}

func (w *walk) decision(p gate.Person) run.Operation {
	id, version := "apr_w_1", 1
	if open := w.s.Pending(); len(open) > 0 && w.choose(10) > 0 {
		a := open[w.choose(len(open))]
		id, version = a.ID, a.Version
	}
	if w.choose(10) == 0 {
		version = w.choose(3)
	}
	if w.choose(15) == 0 {
		return run.Expire{Approval: id}
	}
	return run.Decide{Approval: id, Answer: gate.Answer{
		By: p, Act: gate.Acts[w.choose(len(gate.Acts))], Option: w.any("yes", "no", ""), Changes: w.json(), Data: w.json(),
		Comment: w.any("because", "because", ""), To: w.any("bob", "role:manager", "", "ann"), Version: version,
	}}
}

func (w *walk) order() run.Operation {
	layer := w.choose(4) - 1
	step := w.any("a", "b", "c", "m", "h", "l", "zz")
	switch w.choose(15) {
	case 13, 14:
		return run.MarkDeliverable{
			Deliverable: fmt.Sprintf("dlv_w_%d", w.choose(4)), Status: w.any("draft", "final", "archived", "lost"),
			Version: w.choose(4), Was: w.any("", "", "draft"),
		}
	case 0:
		return run.Cancel{Reason: "enough"}
	case 1:
		return run.Abort{Reason: "stop"}
	case 2:
		return run.Pause{}
	case 3, 4:
		return run.Resume{}
	case 5:
		return run.SkipStep{Step: step}
	case 6:
		return run.SkipStep{Layer: &layer}
	case 7:
		return run.ModifyArgs{Step: step, Changes: w.json(), Call: w.any("", "", "c1")}
	case 8:
		return run.SendMessage{Text: w.any("hello", "", "faster"), To: w.any("", "l", "llm", "nobody")}
	case 9:
		return run.Replan{Requirement: w.any("parse XML", "")}
	case 10:
		return run.TakeSnapshot{}
	case 11:
		return run.Consult{}
	}
	return run.InjectSteps{Steps: w.newSteps()}
}

func (w *walk) newSteps() []plan.Step {
	s := plan.Step{ID: fmt.Sprint("new", w.choose(5)), Agent: w.any("x", "llm", "nobody")}
	if w.choose(2) == 0 {
		s.NeededBy = []string{w.any("a", "b", "c", "z")}
	}
	if w.choose(3) == 0 {
		s.Needs = &[]string{}
	}
	return []plan.Step{s}
}

// report is a plausible report by a host about an effect, current or stale.
func (w *walk) report() run.Operation {
	if len(w.keys) == 0 {
		return run.Tick{}
	}
	k := w.keys[w.choose(len(w.keys))]
	if owed := w.s.Effects(); len(owed) > 0 && w.choose(4) > 0 {
		k = owed[w.choose(len(owed))].Key
	}
	confidence := float64(w.choose(11)) / 10
	if w.choose(5) == 0 {
		return run.Fail{Key: k, Failure: run.Failure{Message: "broken", Transient: w.choose(2) == 0}}
	}
	switch k.Kind {
	case run.KeyTurn:
		return run.CompleteTurn{Key: k, Turn: w.turn()}
	case run.KeyCall:
		if w.choose(5) == 0 {
			return run.CompleteCall{Key: k, Result: run.CallResult{Input: &run.CallInput{
				Message: w.any("how many?", "\xff", ""),
				Schema:  json.RawMessage(w.any("", `{"type":"object"}`, `{"type":7}`, "{")), State: w.json(),
			}}}
		}
		return run.CompleteCall{Key: k, Result: run.CallResult{Output: w.json(), Error: w.any("", "", "no")}}
	case run.KeyConsult:
		if w.choose(3) == 0 {
			return run.ReadForConsult{Key: k, Reads: []run.ReadCall{{ID: "c", Tool: run.ToolReadValue, Output: w.json()}}}
		}
		return run.AnswerConsult{Key: k, Advice: run.AdviceRaw{Action: w.any("continue", "replan", "abort", "ask", "dance"),
			Requirement: w.any("", "parse XML")}}
	case run.KeyReplan:
		if w.choose(3) == 0 {
			return run.AnswerReplan{Key: k, Reason: "nothing"}
		}
		return run.AnswerReplan{Key: k, Steps: w.newSteps()}
	}
	if strings.HasPrefix(k.Step, "sub") {
		switch w.choose(4) {
		case 0:
			return run.ChildWaits{Key: k, Waiting: w.choose(2) == 0}
		case 1:
			return run.EndChild{Key: k, Status: run.Failed, Error: &run.Failure{Message: "child broke"}}
		}
		return run.EndChild{Key: k, Status: run.Completed, Output: w.json()}
	}
	r := run.Result{Output: w.json(), Usage: run.Usage{LLMCalls: 1, CostUSD: 1000}}
	if w.choose(2) == 0 {
		r.Confidence = &confidence
	}
	return run.Complete{Key: k, Result: r}
}

func (w *walk) turn() run.Turn {
	t := run.Turn{Text: w.any("thinking", "", "done"), Usage: run.Usage{CostUSD: quantity.Money(w.choose(300_000_000))}}
	for n := range w.choose(4) {
		tool := w.any("read_file", "risky", "send_email", run.ToolAskHuman, run.ToolHandOff, run.ToolMilestone)
		args := json.RawMessage(w.any(`{"to":"other","question":"which?"}`, `{"to":"ann","n":1}`,
			`{"options":["a","b"]}`, `{bad`))
		t.Calls = append(t.Calls, run.Call{ID: fmt.Sprint("c", w.choose(n+2)), Tool: tool, Args: args,
			Spec: run.ToolSpec{Unknown: w.choose(12) == 0}})
	}
	if len(t.Calls) == 0 && w.choose(2) == 0 {
		t.Output = w.json()
	}
	return t
}

// TestWalks holds for any commands in any order: Handle never panics or mutates, the fold is deterministic, a
// snapshot and its tail equal the fold, forks repeat nothing.
func TestWalks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWalk(rt, func(k int) int { return rapid.IntRange(0, k-1).Draw(rt, "") })
		for range rapid.IntRange(1, 60).Draw(rt, "length") {
			w.step()
		}
		w.finish()
	})
}

// TestManyWalks does the same with plain random numbers: less clever, many more.
func TestManyWalks(t *testing.T) {
	walks := uint64(2_000)
	if testing.Short() {
		walks = 300
	}
	for seed := range walks {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWalk(t, r.IntN)
		for range 20 + r.IntN(120) {
			w.step()
		}
		w.finish()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzHandle lets the fuzzer make the choices.
func FuzzHandle(f *testing.F) {
	for seed := range byte(20) {
		f.Add(bytes.Repeat([]byte{seed, seed * 7, 3, 250 - seed, 1, 0, seed * 13}, 60))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		w := newWalk(t, func(k int) int {
			if len(choices) == 0 {
				return 0
			}
			c := int(choices[0]) % k
			choices = choices[1:]
			return c
		})
		for len(choices) > 0 && w.n < 200 {
			w.step()
		}
		w.finish()
	})
}
