package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/forking"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Edits of a running plan. Completed work is never changed.

// hasStarted reports whether it is too late to change the needs of step i.
func (d *draft) hasStarted(i int) bool { return d.Steps[i].Status != run.PendingStep }

// doneSteps lists the steps completed so far.
func (d *draft) doneSteps() []int {
	var done []int
	for i, st := range d.Steps {
		if st.Status == run.DoneStep {
			done = append(done, i)
		}
	}
	return done
}

func (d *draft) inject(steps []plan.Step, agents map[string]plan.Agent, by run.Actor, why string) error {
	if d.Cancelling != nil {
		return fault.New(fault.Conflict, "the run is being cancelled", "")
	}
	return d.injectBecause(&run.FoundSteps{Steps: steps, Agents: agents}, by, why)
}

// injectBecause adds steps that were found, with the reasons.
func (d *draft) injectBecause(found *run.FoundSteps, by run.Actor, why string) error {
	if err := d.mayReplace(found.Steps); err != nil {
		return err
	}
	next, normal, err := d.Plan().Inject(found.Steps, found.Agents, d.hasStarted, d.doneSteps())
	if err != nil {
		return err
	}
	// Pending approvals of the result, or of continuing, were about the old plan.
	d.withdrawAsks(d.EndPlace, "steps were added")
	d.withdrawAsks(d.Point.Human, "steps were added")
	d.emit(by, &run.PlanChanged{Steps: normal, Agents: found.Agents, Why: why, Because: found.Because,
		Added: idsOf(normal), Rewired: machine.Rewired(d.Plan(), next)})
	d.touchAll()
	return nil
}

// mayReplace rejects steps that would take the place of a step that has not failed: the steps that wait for it
// would no longer wait for it. Nor may they if something has begun behind it: its approved input would change. Nor of a
// workflow in which people answer, whether they rejected it or it was cancelled.
func (d *draft) mayReplace(steps []plan.Step) error {
	for i := range steps {
		id := steps[i].Replaces
		at, ok := d.Plan().Step(id)
		switch {
		case !ok: // it replaces none
			continue
		case d.Steps[at].Status != run.FailedStep:
			return fault.New(fault.Conflict, fmt.Sprintf("step %s has not failed, so nothing can replace it", id),
				"use needed_by to put a step in front of another")
		case len(d.inside(d.Plan().Nodes[at].Step.Workflow, map[string]bool{})) > 0:
			return fault.New(fault.Conflict,
				fmt.Sprintf("people answer in the workflow of step %s, so nothing can replace it", id),
				"retry the run, or fork it from before the step")
		}
		for _, k := range d.Behind(at) {
			if !d.Steps[k].Status.Settled() {
				return fault.Newf(fault.Conflict, "step %s has begun without %s, so nothing can replace it", d.id(k), id)
			}
		}
	}
	return nil
}

func idsOf(steps []plan.Step) []string {
	out := make([]string, len(steps))
	for i := range steps {
		out[i] = steps[i].ID
	}
	return out
}

// injectAt adds steps that people chose at a decision point, where they know what comes next.
func (d *draft) injectAt(steps []plan.Step, by run.Actor) error {
	if err := d.mayReplace(steps); err != nil {
		return err
	}
	agents := plan.Used(d.Brought, steps)
	next, normal, err := d.Plan().Inject(steps, agents, d.hasStarted, d.doneSteps())
	if err == nil {
		d.emit(by, &run.PlanChanged{Steps: normal, Agents: agents, Why: "decision point", AtPoint: true,
			Added: idsOf(normal), Rewired: machine.Rewired(d.Plan(), next)})
		d.touchAll()
	}
	return err
}

// skippable finds a step that has not started.
func (d *draft) skippable(id string) (int, error) {
	i, ok := d.Plan().Step(id)
	if !ok {
		return 0, notFound("step", id)
	}
	if st := d.Steps[i]; st.Status != run.PendingStep && !(st.Status == run.WaitingStep && st.After == nil) {
		return 0, fault.New(fault.Conflict, fmt.Sprintf("step %s is %s", id, st.Status),
			"only steps that have not started can be changed")
	}
	return i, nil
}

// triedStep reports whether people are asked about a step, or an element of it, that was already attempted
// with its input, as tried does for calls.
func (d *draft) triedStep(i, k int) bool {
	p, tasks := d.PlaceOf(i, max(k, 0)), d.Steps[i].Tasks
	if k < 0 && d.IsMap(i) { // some of its elements may have been, others wait for approvals of their own
		return d.Steps[i].Status == run.RunningStep && len(tasks) > 0
	}
	if max(k, 0) >= len(tasks) || p == nil || len(p.Changed) > 0 {
		return false
	}
	return d.Steps[i].Status != run.PendingStep && tasks[max(k, 0)].Try > 0
}

// triedAt reports whether people are asked about something that may already have been done with the current
// proposal.
func (d *draft) triedAt(spot run.Spot) bool {
	switch spot.At {
	case run.AtCall:
		c := d.CallAt(spot)
		return c != nil && c.Input == nil && c.Attempted()
	case run.AtBefore:
		i, _ := d.Plan().Step(spot.Step)
		return d.triedStep(i, spot.Element())
	}
	return false
}

func (d *draft) changedStepAfterTry(i, k int) error {
	why := "step %s was attempted with its current input and may have taken effect"
	if k < 0 && d.IsMap(i) {
		why = "step %s has started on its list"
	}
	return fault.New(fault.Conflict, fmt.Sprintf(why, d.id(i)), "approve it unchanged, or reject it")
}

func (d *draft) modifyArgs(c run.ModifyArgs) error {
	changes, err := value.Strict(c.Changes)
	if err != nil {
		return err
	}
	if c.Call != "" {
		return d.modifyCall(c, changes)
	}
	i, err := d.skippable(c.Step)
	if err != nil {
		return err
	}
	if d.triedStep(i, -1) {
		return d.changedStepAfterTry(i, -1)
	}
	if err := forking.Forged(d.Plan(), i, changes); err != nil {
		return err
	}
	if d.Steps[i].Status == run.WaitingStep && !d.IsMap(i) {
		in, _ := d.InputOf(i, -1)
		if ps := d.Plan().Nodes[i].InputSchema.Validate(value.MergePatch(in, changes)); len(ps) > 0 {
			return fault.Of("the changed input does not match the schema", ps)
		}
	}
	// The approval was for something else: people are asked again.
	d.closeStepApprovals(i, "the arguments were changed")
	d.emit(d.cmd.By, &run.StepArgsChanged{Step: c.Step, Changes: changes})
	d.touch(i)
	return nil
}

func (d *draft) modifyCall(c run.ModifyArgs, changes []byte) error {
	for _, i := range d.Active {
		for k, t := range d.Steps[i].Tasks {
			if c.Step != "" && c.Step != d.id(i) || t.Status != machine.TaskRunning || t.Loop == nil {
				continue
			}
			for _, call := range t.Loop.Calls {
				if call.Call.ID == c.Call {
					return d.changeCall(i, k, call, changes)
				}
			}
		}
	}
	return notFound("call", c.Call)
}

func changedAfterTry(c *loop.Call) error {
	return fault.New(fault.Conflict, fmt.Sprintf("call %s was attempted with its arguments and may have taken effect",
		c.Call.ID),
		"approve it unchanged, or reject it: the agent can make another call")
}

func (d *draft) changeCall(i, k int, call *loop.Call, changes []byte) error {
	if call.Status != loop.Asked && call.Status != loop.Held {
		return fault.New(fault.Conflict, fmt.Sprintf("call %s is %s", call.Call.ID, call.Status),
			"only calls that have not started can be changed")
	}
	if call.Input != nil {
		return fault.New(fault.Conflict, fmt.Sprintf("call %s has started and is waiting for an answer", call.Call.ID),
			"answer its question or reject it")
	}
	if call.Attempted() {
		return changedAfterTry(call)
	}
	args := value.MergePatch(call.Call.Args, changes)
	s, err := schema.Compile(call.Call.Spec.ArgsSchema)
	if err != nil {
		return err
	}
	if ps := s.Validate(args); len(ps) > 0 {
		return fault.Of("the changed arguments do not match the tool's schema", ps)
	}
	d.withdrawAsks(call.Place, "the arguments were changed")
	d.emit(d.cmd.By, &run.CallArgsChanged{Step: d.id(i), Index: d.IndexFor(i, k), No: call.No, Args: args})
	d.touch(i)
	return nil
}
