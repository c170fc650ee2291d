package local

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
)

var stepKey = run.Key{Run: "run_1", Kind: run.KeyStep, Step: "a", Index: -1, Try: 1}

// cancelled is a cancelled context, and lapsed one whose deadline has passed.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func lapsed(t *testing.T) context.Context {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	t.Cleanup(cancel)
	return ctx
}

// failsWith compares a report with a failure of a code whose message contains a text.
func failsWith(t *testing.T, name string, got run.Operation, code, text string) {
	t.Helper()
	f, ok := got.(run.Fail)
	if !ok || f.Key != stepKey || f.Failure.Code != code || !strings.Contains(f.Failure.Message, text) {
		t.Errorf("%s: %+v", name, got)
	}
}

// bound is an agent defined by documents.
type bound struct {
	enginetest.AgentFunc
	from []gate.Implementation
}

func (b bound) Implementation() []gate.Implementation { return b.from }

// An agent is called if it is the approved one, and its answer is distinguished from a cancelled effort.
func TestInvoke(t *testing.T) {
	now := []gate.Implementation{{Kind: "agent", Name: "x", Version: 2}}
	before := []gate.Implementation{{Kind: "agent", Name: "x", Version: 1}}
	answer := run.Result{Output: json.RawMessage(`1`)}
	asked := 0
	agent := func(result run.Result, err error) port.Agent {
		return bound{func(context.Context, port.Work) (run.Result, error) { asked++; return result, err }, now}
	}
	engineWith := func(a port.Agent) *Engine {
		return New(Config{Agent: func(string) (port.Agent, bool) { return a, a != nil }})
	}
	complete := run.Complete{Key: stepKey, Result: answer}
	for _, c := range []struct {
		name     string
		ctx      context.Context
		agent    port.Agent
		approved []gate.Implementation
		want     run.Operation
		asked    int
	}{
		{"it answers", t.Context(), agent(answer, nil), nil, complete, 1},
		{"it answers though nobody waits", cancelled(t), agent(answer, nil), nil, complete, 1},
		{"it was approved", t.Context(), agent(answer, nil), now, complete, 1},
		{"another was approved", t.Context(), agent(answer, nil), before, run.Rebind{Key: stepKey, Implementation: now}, 0},
		{"it is not known what it comes from", t.Context(), agent(answer, nil).(bound).AgentFunc, before,
			run.Rebind{Key: stepKey}, 0},
		{"it was stopped", cancelled(t), agent(run.Result{}, errors.New("stopped")), nil, nil, 1},
	} {
		asked = 0
		got := engineWith(c.agent).invoke(c.ctx, stepKey, "x", port.Work{Approved: c.approved})
		if !reflect.DeepEqual(got, c.want) || asked != c.asked {
			t.Errorf("%s: %+v, asked %d times", c.name, got, asked)
		}
	}
	failsWith(t, "nobody", engineWith(nil).invoke(t.Context(), stepKey, "x", port.Work{}), "unknown_agent", `"x"`)
	failsWith(t, "it fails", engineWith(agent(answer, errors.New("no luck"))).invoke(t.Context(), stepKey, "x",
		port.Work{}), "failed", "no luck")
	failsWith(t, "it is late", engineWith(agent(answer, context.DeadlineExceeded)).invoke(lapsed(t), stepKey, "x",
		port.Work{}), "timeout", "in time")
	bad := run.Result{Deliverables: []run.Deliverable{{Name: "x", URL: "javascript:alert(1)"}}}
	failsWith(t, "what it delivers", engineWith(agent(bad, nil)).invoke(t.Context(), stepKey, "x", port.Work{}),
		"invalid", "cannot be accepted")

	changed := engineWith(agent(run.Result{}, &port.Changed{}))
	failsWith(t, "it changed", changed.invoke(t.Context(), stepKey, "x", port.Work{}), "failed",
		"has changed since it was approved")
	changed.InForce = func(kind, name string) []gate.Implementation {
		return []gate.Implementation{{Kind: kind, Name: name, Version: 3}}
	}
	if got := changed.invoke(t.Context(), stepKey, "x", port.Work{}); !reflect.DeepEqual(got,
		run.Rebind{Key: stepKey, Implementation: []gate.Implementation{{Kind: "agent", Name: "x", Version: 3}}}) {
		t.Errorf("it changed: %+v", got)
	}
}

// Blobs and addresses have no content to store; a store that refuses content is a failure.
func TestContentsAreKept(t *testing.T) {
	e := New(Config{Store: &told{}}) // accepts no blobs
	ref := engine.NewBlobRef("blb_1", 3)
	ds := []run.Deliverable{{Name: "a.txt", Content: ref}, {Name: "b.html", URL: "https://example.com/b.html"}}
	if err := e.keepContents(t.Context(), ds, nil); err != nil || string(ds[0].Content) != string(ref) ||
		ds[0].MIME != "" ||
		ds[1].Content != nil {
		t.Errorf("%+v, %v", ds, err)
	}
	e = New(Config{Store: &refusing{}})
	ds = []run.Deliverable{{Name: "a.txt", Content: json.RawMessage(`"x"`)}}
	if err := e.keepContents(t.Context(), ds, nil); err == nil || !strings.Contains(err.Error(), `"a.txt"`) {
		t.Error(err)
	}
}

// refusing is a store that accepts no blobs.
type refusing struct{ told }

func (*refusing) PutBlob(context.Context, io.Reader, int64) (string, int64, error) {
	return "", 0, errors.New("refused")
}

// bench is a set of tools, one of which is called.
type bench struct {
	shelf
	call func(ctx context.Context, w port.ToolWork) (run.CallResult, error)
}

func (b bench) Call(ctx context.Context, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error) {
	tell(port.Progress{Text: w.Tool})
	return b.call(ctx, w)
}

// A tool's answer is distinguished from a cancelled effort.
func TestCallTool(t *testing.T) {
	spec := &run.ToolSpec{Description: "new"}
	answer := run.CallResult{Output: json.RawMessage(`1`)}
	bad := run.CallResult{Deliverables: []run.Deliverable{{Name: "x", URL: "javascript:alert(1)"}}}
	do := run.CallTool{Deadline: time.Now().Add(time.Hour)}
	var due time.Time
	call := func(ctx context.Context, result run.CallResult, err error) run.Operation {
		e := New(Config{Tools: bench{call: func(ctx context.Context, _ port.ToolWork) (run.CallResult, error) {
			due, _ = ctx.Deadline()
			return result, err
		}}})
		return e.callTool(ctx, stepKey, do, port.ToolWork{Tool: "t"})
	}
	for _, c := range []struct {
		name   string
		ctx    context.Context
		result run.CallResult
		err    error
		want   run.Operation
	}{
		{"it answers", t.Context(), answer, nil, run.CompleteCall{Key: stepKey, Result: answer}},
		{"it answers though nobody waits", cancelled(t), answer, nil, run.CompleteCall{Key: stepKey, Result: answer}},
		{"it changed", t.Context(), answer, &port.Changed{Spec: spec}, run.Rebind{Key: stepKey, Spec: spec}},
		{"it changed and nobody waits", cancelled(t), answer, &port.Changed{Spec: spec},
			run.Rebind{Key: stepKey, Spec: spec}},
		{"it was stopped", cancelled(t), answer, errors.New("stopped"), nil},
	} {
		if got := call(c.ctx, c.result, c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if left := time.Until(due); left < 59*time.Minute || left > time.Hour {
		t.Errorf("it has %s", left)
	}
	failsWith(t, "it fails", call(t.Context(), answer, errors.New("no luck")), "failed", "no luck")
	failsWith(t, "it is late", call(lapsed(t), answer, context.DeadlineExceeded), "timeout", "in time")
	failsWith(t, "what it delivers", call(t.Context(), bad, nil), "invalid", "cannot be accepted")
	failsWith(t, "no tools", New(Config{}).callTool(t.Context(), stepKey, do, port.ToolWork{}), "unsupported",
		"not available")
}

// thinker is a model that returns its request.
type thinker struct {
	asked *port.TurnRequest
	due   *time.Time
	err   error
}

func (m thinker) Think(ctx context.Context, t port.TurnRequest, tell func(port.Progress)) (run.Turn, error) {
	*m.asked = t
	*m.due, _ = ctx.Deadline()
	tell(port.Progress{Text: "hm"})
	return run.Turn{Text: "well"}, m.err
}

// A model receives everything it needs for a turn, and tools only if it has some.
func TestThinking(t *testing.T) {
	var asked port.TurnRequest
	var due time.Time
	var heard []port.Work
	llm := port.LLMAgent{Model: thinker{&asked, &due, nil}, Output: json.RawMessage(`{"type":"string"}`)}
	broken := error(nil)
	c := Config{
		LLMAgent: func(string) (port.LLMAgent, error) { return llm, broken },
		Reported: func(w port.Work, p port.Progress) { heard = append(heard, w) },
	}
	r := &one{id: "run_1", s: begun(t, "run_1",
		`{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund","with":{"n":"1"}}]}`)}
	do := run.Think{Step: "a", Agent: "x", Index: -1, Turn: 2, Try: 3, Guidance: []string{"be brief"},
		Entries: []run.Entry{{}}}
	think := func(ctx context.Context) run.Operation { return New(c).thinking(r, stepKey, do)(ctx) }
	if got := think(t.Context()); !reflect.DeepEqual(got, run.CompleteTurn{Key: stepKey, Turn: run.Turn{Text: "well"}}) {
		t.Errorf("%+v", got)
	}
	want := port.TurnRequest{Run: "run_1", Step: "a", Agent: "x", Turn: 2, Try: 3, Key: stepKey.Work(),
		Input:    r.s.InputFor("a", -1),
		Guidance: do.Guidance, Entries: do.Entries, Output: llm.Output}
	if !reflect.DeepEqual(asked, want) || !due.IsZero() || len(heard) != 1 || heard[0].Run != "run_1" ||
		heard[0].Try != 3 {
		t.Errorf("%+v\n%+v, until %s, told %+v", asked, want, due, heard)
	}
	do.Index = 0
	do.Deadline = time.Now().Add(time.Hour)
	c.Tools = picky{t}
	c.Teach = func(_ context.Context, agent, operation string, input json.RawMessage) []port.Lesson {
		return []port.Lesson{{Operation: operation, Comment: agent, Proposed: input}}
	}
	if think(t.Context()); asked.Index == nil || *asked.Index != 0 || time.Until(due) > time.Hour ||
		time.Until(due) < 59*time.Minute ||
		len(asked.Lessons) != 1 || asked.Lessons[0].Operation != "refund" || asked.Lessons[0].Comment != "x" {
		t.Errorf("%+v, until %s", asked, due)
	}
	llm.Tools = []string{"given"}
	if think(t.Context()); len(asked.Tools) != 1 || len(asked.Tools[0].Args) != 0 {
		t.Errorf("%+v", asked.Tools)
	}
	llm.CallConfidence = true
	if think(t.Context()); len(asked.Tools) != 1 || !strings.Contains(string(asked.Tools[0].Args), `_confidence`) {
		t.Errorf("%+v", asked.Tools)
	}
	c.Tools = nil
	if think(t.Context()); len(asked.Tools) != 0 {
		t.Errorf("%+v", asked.Tools)
	}
	llm.Implementation = []gate.Implementation{{Kind: "agent", Name: "x", Version: 2}}
	do.Approved = []gate.Implementation{{Kind: "agent", Name: "x", Version: 1}}
	if got := think(t.Context()); !reflect.DeepEqual(got, run.Rebind{Key: stepKey, Implementation: llm.Implementation}) {
		t.Errorf("%+v", got)
	}
	do.Approved, llm.Model = nil, thinker{&asked, &due, errors.New("no luck")}
	failsWith(t, "it fails", think(t.Context()), "failed", "no luck")
	if got := think(cancelled(t)); got != nil {
		t.Errorf("it was stopped: %+v", got)
	}
	llm.Model = thinker{&asked, &due, nil}
	if _, ok := think(cancelled(t)).(run.CompleteTurn); !ok {
		t.Error("a turn was lost because nobody waits for it")
	}
	broken = errors.New("no such model")
	failsWith(t, "unknown LLM agent", think(t.Context()), "failed", "no such model")
}

// picky is a toolset that must only be asked for tools by name.
type picky struct{ t *testing.T }

func (p picky) List(ctx context.Context, names []string) ([]port.ToolInfo, error) {
	if len(names) == 0 {
		p.t.Error("asked for no tools")
	}
	return shelf{}.List(ctx, names)
}

func (picky) Spec(ctx context.Context, c run.Call) run.ToolSpec { return shelf{}.Spec(ctx, c) }

func (picky) Call(ctx context.Context, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error) {
	return shelf{}.Call(ctx, w, tell)
}

// A confidence that is not a number is checked against the offered schema.
func TestCallsOfAModelThatSaysHowSureItIs(t *testing.T) {
	calls := []run.Call{{ID: "1", Tool: "given", Args: json.RawMessage(`{"_confidence":0.5}`)},
		{ID: "2", Tool: "given", Args: json.RawMessage(`{"_confidence":"very"}`)},
		{ID: "3", Tool: "secret", Args: json.RawMessage(`{"_confidence":0.5}`)}}
	llm := port.LLMAgent{Model: says(calls), Tools: []string{"given"}, CallConfidence: true}
	e := New(Config{LLMAgent: func(string) (port.LLMAgent, error) { return llm, nil }, Tools: shelf{}})
	turn, _, err := e.think(t.Context(), port.TurnRequest{Agent: "x"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := turn.Calls[0]; c.Confidence == nil || *c.Confidence != 0.5 || string(c.Args) != `{}` ||
		c.Spec.ArgsSchema != nil {
		t.Errorf("%+v", c)
	}
	if c := turn.Calls[1]; c.Confidence != nil || string(c.Args) != `{"_confidence":"very"}` ||
		!strings.Contains(string(c.Spec.ArgsSchema), `_confidence`) {
		t.Errorf("%+v", c)
	}
	if c := turn.Calls[2]; c.Confidence != nil || !strings.Contains(string(c.Args), "0.5") || !c.Spec.Unknown {
		t.Errorf("%+v", c)
	}
}

type says []run.Call

func (s says) Think(context.Context, port.TurnRequest, func(port.Progress)) (run.Turn, error) {
	return run.Turn{Calls: s}, nil
}

// Effects are dispatched with everything their performer needs.
func TestJobs(t *testing.T) {
	r := &one{id: "run_1", s: begun(t, "run_1", `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund"}]}`)}
	var asked port.Work
	c := Config{Agent: func(string) (port.Agent, bool) {
		return enginetest.AgentFunc(func(ctx context.Context, w port.Work) (run.Result,
			error) {
			asked = w
			return run.Result{}, nil
		}), true
	}}
	do := func(effort run.Activity) (string, run.Operation) {
		kind, job := New(c).job(r, run.Effect{Key: stepKey, Do: effort}, 1)
		return kind, job(t.Context())
	}
	for _, index := range []int{-1, 0, 3} {
		if kind, _ := do(run.Invoke{Step: "a", Agent: "x", Index: index, Try: 2}); kind != "agent:x" || asked.Try != 2 ||
			asked.Lessons != nil ||
			(asked.Index == nil) != (index < 0) || asked.Index != nil && *asked.Index != index {
			t.Errorf("%s: %+v", kind, asked)
		}
	}
	c.Teach = func(_ context.Context, agent, operation string, _ json.RawMessage) []port.Lesson {
		return []port.Lesson{{Operation: operation, Comment: agent}}
	}
	if do(run.Invoke{Step: "a", Agent: "x", Index: -1}); len(asked.Lessons) != 1 ||
		asked.Lessons[0].Operation != "refund" {
		t.Errorf("%+v", asked)
	}
	if kind, got := do(run.FindSteps{Requirement: "more"}); kind != "find" ||
		!reflect.DeepEqual(got, run.AnswerReplan{Key: stepKey, Reason: "No tools are known to look among."}) {
		t.Errorf("%s: %+v", kind, got)
	}
	found := []plan.Step{{ID: "b"}}
	c.Find = func(_ context.Context, n port.Need) (port.NewSteps, error) {
		if n.Requirement != "more" || n.Plan != r.s.Plan() {
			return port.NewSteps{}, errors.New("no luck")
		}
		return port.NewSteps{Steps: found, Harmless: true}, nil
	}
	if _, got := do(run.FindSteps{Requirement: "more"}); !reflect.DeepEqual(got,
		run.AnswerReplan{Key: stepKey, Steps: found, Harmless: true}) {
		t.Errorf("%+v", got)
	}
	if _, got := do(run.FindSteps{Requirement: "less"}); !reflect.DeepEqual(got,
		run.AnswerReplan{Key: stepKey, Reason: "no luck"}) {
		t.Errorf("%+v", got)
	}
	_, got := do(run.Wake{})
	failsWith(t, "a clock", got, "unsupported", "run.Wake")
}

// The policy in force confirms automatic approvals.
func TestApprovedByRule(t *testing.T) {
	auto := func(rule string, max int) run.Fact {
		f := &run.ApprovalAutoApproved{}
		f.Request.Rule = &gate.Rule{Name: rule, MaxUses: max}
		return f
	}
	for _, c := range []struct {
		name string
		fact run.Fact
		want []port.Use
	}{
		{"silence approves", &run.ApprovalTimedOut{Then: gate.ThenApprove}, []port.Use{{}}},
		{"silence uses a default", &run.ApprovalTimedOut{Then: gate.ThenDefault}, []port.Use{{}}},
		{"silence rejects", &run.ApprovalTimedOut{Then: gate.ThenReject}, nil},
		{"a step that was judged", &run.StepStarted{Judged: true}, []port.Use{{}}},
		{"a step that was not", &run.StepStarted{}, nil},
		{"a call that was judged", &run.CallStarted{Judged: true}, []port.Use{{}}},
		{"a call that was not", &run.CallStarted{}, nil},
		{"a rule", auto("r", 3), []port.Use{{Rule: "r", Max: 3}}},
	} {
		if got := approvedByRule([]run.Event{{Fact: c.fact}}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if !removed([]run.Event{{Fact: &run.RunResumed{}}, {Fact: &run.PayloadsRemoved{}}}) ||
		removed([]run.Event{{Fact: &run.RunResumed{}}}) {
		t.Error("only what removes payloads lets go of them")
	}
}
