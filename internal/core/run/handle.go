package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/value"
)

// draft is a state on which Handle tries out what it decides.
type draft struct {
	State
	env    Env
	cmd    *Command
	events []Event
	queue  []int // steps to look at again
	// granted is the rule that has approved before what the policy is asked about
	// once more.
	granted string
	// early are warnings about a run that has not started yet.
	early []Warning
}

// Handle decides what a command leads to: events to append, or a typed error
// and nothing. It never mutates the state.
func Handle(s *State, env Env, c Command) ([]Event, error) {
	if c.ID != "" {
		if seq, ok := s.Answered[c.ID]; ok && !mutant.Is(mutant.AnsweredTwice) {
			return nil, fault.New(fault.Duplicate, "this command was already accepted", "").With("seq", seq)
		}
		if len(s.Answered) >= CommandsMax {
			return nil, fault.Newf(fault.TooLarge, "the run has reached its limit of %d commands", CommandsMax)
		}
	}
	d := newDraft(s, env, &c)
	defer s.GiveBack(&d.State)
	if err := d.handle(); err != nil {
		return nil, err
	}
	d.advance()
	return d.events, nil
}

func newDraft(s *State, env Env, c *Command) *draft {
	return &draft{State: s.Draft(), env: env, cmd: c}
}

func (d *draft) handle() error {
	if d.Seq == 0 {
		start, ok := d.cmd.Do.(Start)
		if !ok {
			return fault.New(fault.NotFound, "the run has not started", "")
		}
		return d.start(start)
	}
	// Reports about sub-runs are taken even when the run has ended.
	if end, ok := d.cmd.Do.(EndChild); ok {
		return d.endChild(end)
	}
	if d.Status.Ended() {
		return d.handleEnded()
	}
	switch c := d.cmd.Do.(type) {
	case Start:
		return fault.New(fault.Conflict, "the run has started already", "")
	case Decide:
		return d.decide(c)
	case Expire:
		return d.expireApproval(c)
	case Comment:
		return d.comment(c)
	case Cancel:
		return d.cancel(c.Reason)
	case Abort:
		d.cancelRun(d.cmd.By, c.Reason)
	case Pause:
		return d.pause(c)
	case Resume:
		return d.resume(c)
	case InjectSteps:
		return d.inject(c.Steps, c.Agents, d.cmd.By, "command")
	case Replan:
		return d.replan(c.Requirement, d.cmd.By)
	case SkipStep:
		return d.skip(c)
	case ModifyArgs:
		return d.modifyArgs(c)
	case SendMessage:
		return d.message(c)
	case Consult:
		return d.consultByHand()
	case TakeSnapshot:
		d.emit(d.cmd.By, &SnapshotSaved{})
	case MarkDeliverable:
		return d.markDeliverable(c)
	case Forget:
		return fault.New(fault.Conflict, "the run has not ended, so its payloads are still needed",
			"cancel it first, or wait")
	case Complete:
		return d.complete(c)
	case Fail:
		return d.fail(c)
	case CompleteTurn:
		return d.completeTurn(c)
	case CompleteCall:
		return d.completeCall(c)
	case ChildWaits:
		return d.childWaits(c)
	case Rebind:
		return d.rebind(c)
	case AnswerConsult:
		return d.answerConsult(c)
	case AnswerReplan:
		return d.answerReplan(c)
	case Tick:
		d.tick()
	default:
		return fault.Newf(fault.Unsupported, "a run does not take %T", c)
	}
	return nil
}

// handleEnded answers commands to a run that has ended.
func (d *draft) handleEnded() error {
	if d.Removed != nil {
		return d.handleRemoved()
	}
	switch c := d.cmd.Do.(type) {
	case Forget:
		return d.forget(c)
	case Resume:
		if d.Status == Failed || d.Status == LimitReached {
			return d.reopen(c)
		}
	case Decide:
		if _, ok := d.findApproval(c.Approval); ok {
			return d.decide(c) // says who decided, or that it was cancelled
		}
		return notFound("approval", c.Approval)
	case TakeSnapshot:
		d.emit(d.cmd.By, &SnapshotSaved{})
		return nil
	case MarkDeliverable:
		return d.markDeliverable(c)
	case Tick:
		return nil
	case Complete, Fail, CompleteTurn, CompleteCall, ChildWaits, Rebind, AnswerConsult, AnswerReplan:
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

// emit records what happened and lets the draft remember it.
func (d *draft) emit(by Actor, f Fact) {
	e := Event{Run: d.ID, Seq: d.Seq + 1, At: d.env.Now, Actor: by, Cause: d.cmd.ID, Fact: f}
	d.events = append(d.events, e)
	d.Apply(e)
}

// touch asks for a step to be looked at again before Handle returns.
func (d *draft) touch(i int) { d.queue = append(d.queue, i) }

func (d *draft) touchAll() {
	for i, st := range d.Steps {
		if !st.Status.settled() {
			d.touch(i)
		}
	}
}

func (d *draft) warn(code, path, message string) {
	w := Warning{code, path, message}
	for _, had := range d.Warnings {
		if had == w {
			return
		}
	}
	d.emit(system, &WarningRaised{w})
}

func (d *draft) start(c Start) error {
	in, err := value.Strict(c.Input)
	if len(c.Input) == 0 {
		in, err = json.RawMessage("{}"), nil
	}
	switch {
	case err != nil:
		return err
	case len(in) > OutputMax:
		return fault.Newf(fault.TooLarge, "the input has %d bytes; the limit is %d", len(in), OutputMax)
	case c.Depth > DepthMax:
		return fault.Newf(fault.TooLarge, "workflows call each other more than %d deep", DepthMax)
	}
	if ps := d.Plan().InputSchema.Validate(in); len(ps) > 0 {
		return fault.Of("the input does not match the workflow's schema", ps)
	}
	def := d.Plan().Definition
	f := RunStarted{
		Workflow: def.Workflow.Name, Version: def.Version, Definition: d.Plan().Digest(), Input: in, Owner: c.Owner,
		Labels:   labelled(def.Workflow.Labels, c.Labels),
		TestMode: c.TestMode, RetryOf: c.RetryOf, Parent: c.Parent, Depth: c.Depth, Family: c.Family,
	}
	d.Input = in // gates at the start look at it
	d.Started.TestMode, d.Started.Family = c.TestMode, c.Family
	wants := d.wantsAtStart()
	f.Held = len(wants) > 0
	d.emit(d.cmd.By, &f)
	for _, w := range d.early {
		d.warn(w.Code, w.Path, w.Message)
	}
	if f.Held && !d.open(Spot{At: AtStart}, wants) {
		d.emit(system, &GatePassed{Spot: Spot{At: AtStart}})
	}
	d.touchAll()
	return nil
}

// labelled are the workflow's labels and the run's own, which count more.
func labelled(workflow, own map[string]string) map[string]string {
	if len(workflow) == 0 {
		return own
	}
	out := maps.Clone(workflow)
	maps.Copy(out, own)
	return out
}

// askAtStart asks again at a start that nothing has passed yet.
func (d *draft) askAtStart() {
	if d.StartPlace == nil || d.StartPlace.Passed {
		return
	}
	if wants := d.wantsAtStart(); len(wants) == 0 || !d.open(Spot{At: AtStart}, wants) {
		d.emit(system, &GatePassed{Spot: Spot{At: AtStart}})
	}
}

func (d *draft) cancel(reason string) error {
	if d.Cancelling != nil {
		return fault.New(fault.Conflict, "the run is already being cancelled",
			"abort it if you cannot wait for the running steps")
	}
	d.closeApprovals("the run was cancelled")
	d.emit(d.cmd.By, &RunCancelling{Reason: reason})
	return nil
}

func (d *draft) cancelRun(by Actor, reason string) {
	d.closeApprovals("the run was cancelled")
	d.emit(by, &RunCancelled{Reason: reason})
}

func (d *draft) failRun(f Failure) {
	d.closeApprovals("the run failed")
	d.emit(system, &RunFailed{Error: f})
}

func (d *draft) pause(c Pause) error {
	if d.Pause != nil {
		return fault.New(fault.Conflict, "the run is already paused", "resume it")
	}
	if d.Cancelling != nil {
		return fault.New(fault.Conflict, "the run is being cancelled", "")
	}
	d.emit(d.cmd.By, &RunPaused{Reason: c.Reason})
	return nil
}

func (d *draft) resume(c Resume) error {
	if c.Limits != (LimitAmount{}) {
		return notAtLimit(d.Status)
	}
	if d.Pause == nil {
		return fault.New(fault.Conflict, "the run is not paused", "")
	}
	d.unpause(d.cmd.By)
	return nil
}

func (d *draft) unpause(by Actor) {
	d.emit(by, &RunUnpaused{})
	d.touchAll()
}

func (d *draft) message(c SendMessage) error {
	switch text := strings.TrimSpace(c.Text); {
	case text == "":
		return fault.Of("the message is not valid", []fault.Problem{{Path: "/text", Message: "it is empty"}})
	case len(text) > TextMax:
		return fault.Newf(fault.TooLarge, "the message has %d bytes; the limit is %d", len(text), TextMax)
	}
	if c.To != "" && !d.knows(c.To) {
		return notFound("step or agent", c.To)
	}
	d.emit(d.cmd.By, &MessageAdded{Message{From: d.cmd.By, To: c.To, Text: c.Text, At: d.env.Now}})
	return nil
}

// knows reports whether a name means a step or an agent of this run.
func (d *draft) knows(name string) bool {
	if _, ok := d.Plan().Step(name); ok {
		return true
	}
	_, ok := d.Plan().Definition.Agents[name]
	return ok
}
