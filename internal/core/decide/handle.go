package decide

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// draft is a state on which Handle tries out its decisions.
type draft struct {
	machine.State
	env    Env
	cmd    *run.Command
	events []run.Event
	queue  []int // steps to recheck
}

// Handle decides the result of a command: events to append, or a typed error and no events. It never mutates
// the state.
func Handle(s *machine.State, env Env, c run.Command) ([]run.Event, error) {
	if c.ID != "" {
		if seq, ok := s.Answered[c.ID]; ok && !mutant.Is(mutant.AnsweredTwice) {
			return nil, fault.New(fault.Duplicate, "this command was already accepted", "").With("seq", seq)
		}
		if len(s.Answered) >= run.CommandsMax {
			return nil, fault.Newf(fault.TooLarge, "the run has reached its limit of %d commands", run.CommandsMax)
		}
	}
	d := newDraft(s, env, &c)
	defer s.GiveBack(&d.State)
	if err := d.handle(); err != nil {
		return nil, err
	}
	d.advance()
	d.runAhead()
	return d.events, nil
}

func newDraft(s *machine.State, env Env, c *run.Command) *draft {
	return &draft{State: s.Draft(), env: env, cmd: c, events: make([]run.Event, 0, 8)}
}

func (d *draft) handle() error {
	if d.Seq == 0 {
		start, ok := d.cmd.Do.(run.Start)
		if !ok {
			return fault.New(fault.NotFound, "the run has not started", "")
		}
		return d.start(start)
	}
	// Reports about sub-runs are accepted even after the run has ended.
	if end, ok := d.cmd.Do.(run.EndChild); ok {
		return d.endChild(end)
	}
	if d.Status.Ended() {
		return d.handleEnded()
	}
	switch c := d.cmd.Do.(type) {
	case run.Start:
		return fault.New(fault.Conflict, "the run has started already", "")
	case run.Decide:
		return d.decide(c)
	case run.Expire:
		return d.expireApproval(c)
	case run.Comment:
		return d.comment(c)
	case run.Cancel:
		return d.cancel(c.Reason)
	case run.Abort:
		d.cancelRun(d.cmd.By, c.Reason)
	case run.Pause:
		return d.pause(c)
	case run.Resume:
		return d.resume(c)
	case run.InjectSteps:
		return d.inject(c.Steps, c.Agents, d.cmd.By, "command")
	case run.Replan:
		if _, ok := d.Plan().Step(c.Replaces); !ok && c.Replaces != "" {
			return notFound("step", c.Replaces)
		} else if err := d.mayReplace([]plan.Step{{Replaces: c.Replaces}}); err != nil {
			return err
		}
		return d.replan(c.Requirement, c.Replaces, d.cmd.By)
	case run.SkipStep:
		return d.skip(c)
	case run.ModifyArgs:
		return d.modifyArgs(c)
	case run.SendMessage:
		return d.message(c)
	case run.Consult:
		return d.consultByHand()
	case run.TakeSnapshot:
		d.emit(d.cmd.By, &run.SnapshotSaved{})
	case run.MarkDeliverable:
		return d.markDeliverable(c)
	case run.Forget:
		return fault.New(fault.Conflict, "the run has not ended, so its payloads are still needed",
			"cancel it first, or wait")
	case run.Complete:
		return d.complete(c)
	case run.Fail:
		return d.fail(c)
	case run.CompleteTurn:
		return d.completeTurn(c)
	case run.CompleteCall:
		return d.completeCall(c)
	case run.ChildWaits:
		return d.childWaits(c)
	case run.Rebind:
		return d.rebind(c)
	case run.AnswerConsult:
		return d.answerConsult(c)
	case run.ReadForConsult:
		return d.readForConsult(c)
	case run.AnswerReplan:
		return d.answerReplan(c)
	case run.Tick:
		d.tick()
	default:
		return fault.Newf(fault.Unsupported, "a run does not take %T", c)
	}
	return nil
}

// handleEnded handles commands to a run that has ended.
func (d *draft) handleEnded() error {
	if d.Removed != nil {
		return d.handleRemoved()
	}
	switch c := d.cmd.Do.(type) {
	case run.Forget:
		return d.forget(c)
	case run.Resume:
		if d.Status == run.Failed || d.Status == run.LimitReached {
			return d.reopen(c)
		}
	case run.Decide:
		if _, ok := d.FindApproval(c.Approval); ok {
			return d.decide(c) // names who decided, or reports that it was cancelled
		}
		return notFound("approval", c.Approval)
	case run.TakeSnapshot:
		d.emit(d.cmd.By, &run.SnapshotSaved{})
		return nil
	case run.MarkDeliverable:
		return d.markDeliverable(c)
	case run.Tick:
		return nil
	case run.Complete, run.Fail, run.CompleteTurn, run.CompleteCall, run.ChildWaits, run.Rebind, run.AnswerConsult,
		run.ReadForConsult, run.AnswerReplan:
		return stale()
	}
	return fault.New(fault.Closed, fmt.Sprintf("the run is %s", d.Status),
		"start a new run, or retry or fork this one").With("status", d.Status)
}

func stale() error {
	return fault.New(fault.Stale, "this result is no longer needed", "")
}

func notFound(what, id string) error {
	return fault.New(fault.NotFound, fmt.Sprintf("no %s %q in this run", what, id), "")
}

// emit records a fact and applies it to the draft.
func (d *draft) emit(by run.Actor, f run.Fact) {
	if len(d.Ahead) > 0 && ends(f) {
		d.discardAll(run.AheadEnded)
	}
	e := run.Event{Run: d.ID, Seq: d.Seq + 1, At: d.env.Now, Actor: by, Cause: d.cmd.ID, Fact: f}
	d.events = append(d.events, e)
	d.Apply(e)
}

// touch schedules a step to be rechecked before Handle returns.
func (d *draft) touch(i int) { d.queue = append(d.queue, i) }

func (d *draft) touchAll() {
	for i, st := range d.Steps {
		if !st.Status.Settled() {
			d.touch(i)
		}
	}
}

func (d *draft) warn(code, path, message string) {
	w := run.Warning{Code: code, Path: path, Message: message}
	for _, had := range d.Warnings {
		if had == w {
			return
		}
	}
	d.emit(system, &run.WarningRaised{Warning: w})
}

func (d *draft) start(c run.Start) error {
	in, err := value.Strict(c.Input)
	if len(c.Input) == 0 {
		in, err = json.RawMessage("{}"), nil
	}
	switch {
	case err != nil:
		return err
	case len(in) > run.OutputMax:
		return fault.Newf(fault.TooLarge, "the input has %d bytes; the limit is %d", len(in), run.OutputMax)
	case c.Depth > run.DepthMax:
		return fault.Newf(fault.TooLarge, "workflows call each other more than %d deep", run.DepthMax)
	}
	if ps := d.Plan().InputSchema.Validate(in); len(ps) > 0 {
		return fault.Of("the input does not match the workflow's schema", ps)
	}
	def := d.Plan().Definition
	f := run.RunStarted{
		Workflow: def.Workflow.Name, Version: def.Version, Definition: d.Plan().Digest(), Input: in, Owner: c.Owner,
		Labels:   labelled(def.Workflow.Labels, c.Labels),
		TestMode: c.TestMode, RetryOf: c.RetryOf, Parent: c.Parent, Depth: c.Depth, Family: c.Family, Trace: c.Trace,
	}
	d.Input = in // gates at the start check it
	d.Started.TestMode, d.Started.Family = c.TestMode, c.Family
	r := d.asking().AtStart()
	f.Held = len(r.Wants) > 0
	d.emit(d.cmd.By, &f)
	d.heed(r)
	if f.Held && !d.open(run.Spot{At: run.AtStart}, r.Wants) {
		d.emit(system, &run.GatePassed{Spot: run.Spot{At: run.AtStart}})
	}
	d.touchAll()
	return nil
}

// labelled merges the workflow's labels and the run's own, which take precedence.
func labelled(workflow, own map[string]string) map[string]string {
	if len(workflow) == 0 {
		return own
	}
	out := maps.Clone(workflow)
	maps.Copy(out, own)
	return out
}

// askAtStart asks again at a start gate that nothing has passed yet.
func (d *draft) askAtStart() {
	if d.StartPlace == nil || d.StartPlace.Passed {
		return
	}
	if wants, _ := d.heed(d.asking().AtStart()); len(wants) == 0 || !d.open(run.Spot{At: run.AtStart}, wants) {
		d.emit(system, &run.GatePassed{Spot: run.Spot{At: run.AtStart}})
	}
}

func (d *draft) cancel(reason string) error {
	if d.Cancelling != nil {
		return fault.New(fault.Conflict, "the run is already being cancelled",
			"abort it if you cannot wait for the running steps")
	}
	d.closeApprovals("the run was cancelled")
	d.emit(d.cmd.By, &run.RunCancelling{Reason: reason})
	return nil
}

func (d *draft) cancelRun(by run.Actor, reason string) {
	d.closeApprovals("the run was cancelled")
	d.emit(by, &run.RunCancelled{Reason: reason})
}

func (d *draft) failRun(f run.Failure) {
	d.closeApprovals("the run failed")
	d.emit(system, &run.RunFailed{Error: f})
}

func (d *draft) pause(c run.Pause) error {
	if d.Pause != nil {
		return fault.New(fault.Conflict, "the run is already paused", "resume it")
	}
	if d.Cancelling != nil {
		return fault.New(fault.Conflict, "the run is being cancelled", "")
	}
	d.emit(d.cmd.By, &run.RunPaused{Reason: c.Reason})
	return nil
}

func (d *draft) resume(c run.Resume) error {
	if c.Limits != (run.LimitAmount{}) {
		return notAtLimit(d.Status)
	}
	if d.Pause == nil {
		return fault.New(fault.Conflict, "the run is not paused", "")
	}
	d.unpause(d.cmd.By)
	return nil
}

func (d *draft) unpause(by run.Actor) {
	d.emit(by, &run.RunUnpaused{})
	d.touchAll()
}

func (d *draft) message(c run.SendMessage) error {
	switch text := strings.TrimSpace(c.Text); {
	case text == "":
		return fault.Of("the message is not valid", []fault.Problem{{Path: "/text", Message: "it is empty"}})
	case len(text) > run.TextMax:
		return fault.Newf(fault.TooLarge, "the message has %d bytes; the limit is %d", len(text), run.TextMax)
	}
	if c.To != "" && !d.knows(c.To) {
		return notFound("step or agent", c.To)
	}
	d.emit(d.cmd.By, &run.MessageAdded{Message: run.Message{From: d.cmd.By, To: c.To, Text: c.Text, At: d.env.Now}})
	return nil
}

// knows reports whether a name refers to a step or an agent of this run.
func (d *draft) knows(name string) bool {
	if _, ok := d.Plan().Step(name); ok {
		return true
	}
	_, ok := d.Plan().Definition.Agents[name]
	return ok
}
