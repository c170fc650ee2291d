// Package trial lets people try an agent without consequences:
//
//	report := trial.Run(ctx, definition, trial.Options{Input: input, LLMAgent: registry.LLMAgent, Tools: tools})
//
// It drives the same state machine as a run (package decide), with the agent as its only step, so that the calls are
// judged by the same code. The model is called, at its cost. Nothing else happens: a tool is described and never called
// (a Toolbox cannot), each call is answered with the tool's sample, every approval that would be requested is noted and
// granted here alone, and nothing is stored. An agent that is not known to be harmless in a test run answers with its
// sample as well.
package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Limits of one trial.
const (
	InputMax = 256 << 10 // bytes
	TurnsMax = 12
	Within   = 50 * time.Second
	CostMax  = quantity.Money(1e9) // 1 dollar, after which no further turn begins
	movesMax = 1000                // of the state machine
)

// Step is the id of the step that the agent does, and Workflow the name of the workflow if none is given.
const (
	Step     = "try"
	Workflow = "try"
)

// Report is what an agent did in a trial.
type Report struct {
	Agent   string `json:"agent"`
	Version int    `json:"version"` // The version that was tried; 0: the text in the request.
	// The workflow that the calls were judged for; empty: none in particular.
	Workflow string          `json:"workflow"`
	Outcome  Outcome         `json:"outcome"` // How it ended.
	Output   json.RawMessage `json:"output"`  // What it answered; null if it came to no answer.
	// The agent was not called, because it may have effects: the output is its sample.
	Sampled    bool     `json:"sampled"`
	Confidence *float64 `json:"confidence"` // The agent's confidence, from 0 to 1; null if not reported.
	Reasoning  string   `json:"reasoning"`  // The reasons that the agent gave; empty: none.
	Turns      []Turn   `json:"turns"`      // What the model wrote and called, turn by turn.
	Asks       []Ask    `json:"asks"`       // Approvals of the step itself, such as of an answer with low confidence.
	// Why it failed or was stopped; empty if it completed.
	Why   string     `json:"why"`
	Notes []string   `json:"notes"` // What to know about the result.
	Usage view.Usage `json:"usage"`
}

// Outcome is how a trial ended.
type Outcome string

// Outcomes of trials.
const (
	Completed Outcome = "completed"
	Failed    Outcome = "failed"
	Stopped   Outcome = "stopped" // at a limit of trials
)

// Outcomes lists them.
var Outcomes = []Outcome{Completed, Failed, Stopped}

// Turn is one turn of a model.
type Turn struct {
	Agent string `json:"agent"` // Another one after a hand-off.
	Text  string `json:"text"`  // What the model wrote.
	Calls []Call `json:"calls"` // The calls that it requested.
}

// Call is a tool call that was not made.
type Call struct {
	Tool        string          `json:"tool"`
	Args        json.RawMessage `json:"args"`        // The arguments.
	Description string          `json:"description"` // What it would do, in words.
	Verdict     Verdict         `json:"verdict"`     // What would happen to it in a run.
	// Why it would be refused; empty otherwise.
	Why  string `json:"why"`
	Asks []Ask  `json:"asks"` // Approvals that it would need, or that a rule would give.
	// The answer that the model got: the tool's sample.
	Answer json.RawMessage `json:"answer"`
}

// Verdict is what would happen to a call in a run.
type Verdict string

// Verdicts on calls.
const (
	Runs     Verdict = "run"      // without approval
	Approved Verdict = "approved" // by a rule of the policy
	Asks     Verdict = "ask"      // people would be asked
	Denied   Verdict = "denied"   // by a rule of the policy
	Refused  Verdict = "refused"  // it is not valid: the tool does not exist, or its arguments are wrong
)

// Verdicts lists them.
var Verdicts = []Verdict{Runs, Approved, Asks, Denied, Refused}

// Ask is an approval that would be requested.
type Ask struct {
	Title  string      `json:"title"`
	Reason gate.Reason `json:"reason"`
	Rule   string      `json:"rule"`   // The rule of the policy; empty: none.
	Role   string      `json:"role"`   // The role that is asked; empty: people by name, or anyone.
	Who    []string    `json:"who"`    // The people that are asked by name.
	Needed int         `json:"needed"` // The number of approvals.
	Risk   *risk.Level `json:"risk"`   // Null: not rated.
	Auto   bool        `json:"auto"`   // The rule approves it without asking.
}

// Options are the circumstances of a trial.
type Options struct {
	ID    string // unique: agents may recognise repeated work by it
	Input json.RawMessage
	Owner string
	Now   func() time.Time
	Judge decide.Judge // the policy; nil: none
	// Agent finds an agent that answers at once, and LLMAgent the model of one that works in turns.
	Agent    func(name string) (port.Agent, bool)
	LLMAgent func(name string) (port.LLMAgent, error)
	Tools    port.Toolbox // nil: there are none
	// Teach finds people's corrections of similar work; nil: there are none.
	Teach func(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson
}

// Run tries the agent that does the only step of a definition.
func Run(ctx context.Context, def *plan.Definition, o Options) (Report, error) {
	p, problems := plan.Compile(def)
	if p == nil || len(p.Nodes) != 1 {
		return Report{}, fault.Of("the agent is not valid", fault.Errors(problems))
	}
	t := &trial{Options: o, s: machine.New(o.ID, p), seen: map[int]*Call{}, report: Report{
		Agent: p.Nodes[0].Step.Agent, Output: json.RawMessage("null"), Turns: []Turn{}, Asks: []Ask{}, Notes: []string{},
	}}
	// A refused input is the caller's error, not an outcome.
	if err := t.take(person(o.Owner), run.Start{Input: o.Input, Owner: o.Owner, TestMode: true}); err != nil {
		return Report{}, err
	}
	limited, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	for range movesMax {
		if !t.goOn(limited) {
			break
		}
	}
	switch {
	case ctx.Err() != nil && t.report.Outcome == "":
		t.stop("The request was cancelled.")
	case ctx.Err() == nil && limited.Err() != nil && t.report.Outcome == Failed:
		t.stop(fmt.Sprintf("A trial ends after %.0f s.", Within.Seconds()))
	}
	return t.finish(), nil
}

type trial struct {
	Options
	s      *machine.State
	turns  int
	seen   map[int]*Call // by number
	order  []place
	lost   run.Usage // of an attempt that failed
	report Report
}

// place is where a call stands in the report.
type place struct{ turn, no int }

func person(name string) run.Actor { return run.Actor{Kind: run.Person, Name: name} }

func (t *trial) take(by run.Actor, do run.Operation) error {
	alone := func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	events, err := decide.Handle(t.s, decide.Env{Now: t.Now(), Judge: t.Judge, Elsewhere: alone},
		run.Command{By: by, Do: do})
	if err != nil {
		return err
	}
	for _, e := range events {
		t.note(e.Fact)
		t.s.Apply(e)
	}
	return nil
}

// note records what an event says about the agent's work.
func (t *trial) note(f run.Fact) {
	switch f := f.(type) {
	case *run.TurnCompleted:
		t.report.Turns = append(t.report.Turns, Turn{Agent: f.Agent, Text: f.Turn.Text, Calls: []Call{}})
	case *run.CallRequested:
		if n := len(t.report.Turns) - 1; n >= 0 {
			t.order = append(t.order, place{n, f.No})
			t.seen[f.No] = &Call{Tool: f.Call.Tool, Args: view.OrNull(f.Call.Args), Description: f.Call.Spec.Description,
				Verdict: Runs, Asks: []Ask{}, Answer: json.RawMessage("null")}
		}
	case *run.ApprovalNeeded:
		t.asked(f.Spot, f.Request, false)
	case *run.ApprovalAutoApproved:
		t.asked(f.Spot, f.Request, true)
	case *run.CallCompleted:
		c := t.seen[f.No]
		switch {
		case c == nil:
		case f.Denied:
			c.Verdict, c.Why = Denied, f.Result.Error
		case f.Result.Error != "":
			c.Verdict, c.Why = Refused, f.Result.Error
		default:
			c.Answer = view.OrNull(f.Result.Output)
		}
	case *run.StepReturned:
		t.answered(f.Result)
	case *run.StepCompleted:
		if f.Result != nil {
			t.answered(*f.Result)
		}
	}
}

// answered notes the result of the step.
func (t *trial) answered(r run.Result) {
	t.report.Output, t.report.Confidence, t.report.Reasoning = view.OrNull(r.Output), r.Confidence, r.Reasoning
	t.report.Sampled = r.DryRun
}

// asked notes an approval.
func (t *trial) asked(at run.Spot, q gate.Request, auto bool) {
	ask := Ask{Title: q.Title, Reason: q.Reason, Role: q.Terms.Role, Who: view.NotNil(q.Terms.Assignees),
		Needed: max(q.Terms.Quorum, 1), Auto: auto}
	if q.Risk.Level != "" {
		ask.Risk = &q.Risk.Level
	}
	if q.Rule != nil {
		ask.Rule = q.Rule.Name
	}
	c := t.seen[at.Call]
	if at.At != run.AtCall || c == nil {
		t.report.Asks = append(t.report.Asks, ask)
		return
	}
	c.Asks = append(c.Asks, ask)
	switch {
	case !auto:
		c.Verdict = Asks
	case c.Verdict == Runs:
		c.Verdict = Approved
	}
}

// goOn provides one answer that the step waits for; false when the trial is over.
func (t *trial) goOn(ctx context.Context) bool {
	if t.s.Status.Ended() || t.report.Outcome != "" {
		return false
	}
	if pending := t.s.Pending(); len(pending) > 0 {
		if pending[0].Reason == gate.ReasonLimit {
			t.stop("Stopped at the agent's own limit.")
			return false
		}
		return t.grant(pending[0])
	}
	for _, e := range t.s.Effects() {
		var err error
		switch do := e.Do.(type) {
		case run.Invoke:
			err = t.invoke(ctx, e.Key, do)
		case run.Think:
			err = t.think(ctx, e.Key, do)
		case run.CallTool: // it is harmless, and not made either
			sample := do.Call.Spec.Sample
			if sample == nil {
				sample = json.RawMessage(`{}`)
			}
			err = t.take(system, run.CompleteCall{Key: e.Key, Result: run.CallResult{Output: sample}})
		default: // such as a time to wait for
			continue
		}
		if err != nil {
			t.fail(err)
		}
		return err == nil
	}
	t.stop("Stopped: it needs something that trials don't provide.")
	return false
}

var system = run.Actor{Kind: run.System}

// invoke asks an agent that answers at once.
func (t *trial) invoke(ctx context.Context, key run.Key, do run.Invoke) error {
	agent, ok := t.Agent(do.Agent)
	if !ok {
		return fault.New(fault.NotFound, fmt.Sprintf("agent %q cannot be called here", do.Agent), "")
	}
	w := port.Work{Run: t.ID, Step: do.Step, Try: do.Try, Key: key.Work(), Input: t.s.InputFor(do.Step, do.Index)}
	if t.Teach != nil {
		w.Lessons = t.Teach(ctx, do.Agent, "", w.Input)
	}
	result, err := agent.Invoke(ctx, w, func(port.Progress) {})
	if err != nil {
		return err
	}
	result.Deliverables = nil // they would be stored
	return t.take(system, run.Complete{Key: key, Result: result})
}

// think asks a model for a turn.
func (t *trial) think(ctx context.Context, key run.Key, do run.Think) error {
	switch {
	case t.turns >= TurnsMax:
		t.stop(fmt.Sprintf("A trial ends after %d turns.", TurnsMax))
		return nil
	case t.s.Usage.CostUSD >= CostMax:
		t.stop("The trial reached its cost limit of $" + CostMax.String() + ".")
		return nil
	}
	t.turns++
	llm, err := t.LLMAgent(do.Agent)
	if err != nil {
		return err
	}
	r := port.TurnRequest{Run: t.ID, Step: do.Step, Agent: do.Agent, Turn: do.Turn, Try: do.Try, Key: key.Work(),
		Input: t.s.InputFor(do.Step, do.Index), Guidance: do.Guidance, Entries: do.Entries}
	if t.Teach != nil {
		r.Lessons = t.Teach(ctx, do.Agent, "", r.Input)
	}
	missing := func(err error) {
		if t.turns == 1 {
			t.report.Notes = append(t.report.Notes, "Some tools are unavailable: "+mask.Credentials(err.Error()))
		}
	}
	turn, err := engine.Turn(ctx, llm, t.Tools, r, missing, func(port.Progress) {})
	if err != nil {
		return err
	}
	return t.take(system, run.CompleteTurn{Key: key, Turn: turn})
}

// grant approves as people would. It has no effect outside of this trial.
func (t *trial) grant(ap *gate.Approval) bool {
	for i := range max(ap.Progress().Needed, 1) {
		by := gate.Person{Name: fmt.Sprintf("trial %d", i), Roles: []string{gate.RoleAdmin, ap.Terms.Role}}
		for role := range ap.Terms.Roles {
			by.Roles = append(by.Roles, role)
		}
		if ap.Terms.OnlyOwner != "" {
			by.Name = ap.Terms.OnlyOwner
		} else if i < len(ap.Terms.Assignees) {
			by.Name = ap.Terms.Assignees[i]
		}
		answer := gate.Answer{By: by, Act: gate.Approve, Version: ap.Version}
		switch ap.Kind {
		case gate.KindChoice:
			answer.Act, answer.Option = gate.Choose, ap.Options[0].Value
		case gate.KindInput:
			answer.Act, answer.Data = gate.Submit, schema.Sample(ap.InputSchema)
		}
		if err := t.take(person(by.Name), run.Decide{Approval: ap.ID, Answer: answer}); err != nil {
			t.stop("Stopped: approval required.")
			return false
		}
		next, open := t.s.Approval(ap.ID)
		if !open || next.Status != gate.Pending {
			return true
		}
		ap = next
	}
	return true
}

func (t *trial) stop(why string) { t.report.Outcome, t.report.Why = Stopped, why }

// fail ends a trial with the error of an agent or model. It may quote what it was sent.
func (t *trial) fail(err error) {
	f := port.FailureOf(err)
	t.lost = t.lost.Add(f.Usage)
	t.report.Outcome, t.report.Why = Failed, mask.Credentials(f.Message)
}

func (t *trial) finish() Report {
	v, show := &t.report, view.Shortener(false)
	for _, at := range t.order {
		c := *t.seen[at.no]
		c.Args, c.Answer = show(c.Args), show(c.Answer)
		v.Turns[at.turn].Calls = append(v.Turns[at.turn].Calls, c)
	}
	v.Output, v.Usage = show(v.Output), view.UsageOf(t.s.Usage.Add(t.lost))
	switch {
	case v.Outcome != "":
	case t.s.Status == run.Completed:
		v.Outcome = Completed
	case t.s.Error != nil:
		v.Outcome, v.Why = Failed, mask.Credentials(t.s.Error.Message)
	default:
		v.Outcome, v.Why = Stopped, "Stopped: too many steps."
	}
	return *v
}
