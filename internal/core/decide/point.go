package decide

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Decision points: between layers an agent, then people, decide whether to continue.

// betweenLayers starts the next layer once all decisions are in.
func (d *draft) betweenLayers() {
	if d.Point.Asking || len(d.Replans) > 0 || !d.mayStart() {
		return
	}
	next, over := d.NextLayer()
	if d.PointHeld(next, over) {
		d.askAboutAdvice()
		return
	}
	switch {
	case !d.Layered() || !over:
		return
	case next < 0:
		if d.withdrawAsks(d.Point.Human, "no steps are left to run"); d.Point.Ask != nil {
			d.emit(system, &run.PointPassed{Layer: d.Point.Open}) // there is nothing to decide in place of the agent
		}
		return
	case d.AgentAt(plan.PerLayer) && d.Point.Consulted <= d.Point.Open:
		d.consult("")
		return
	}
	switch p := d.Point.Human; {
	case p == nil && (d.Point.Ask != nil || d.PeopleWanted(next)):
		if d.summarised() {
			d.askAboutLayer(next)
		}
		return
	case p != nil && !d.passes(run.Spot{At: run.AtLayer, Layer: next}, p):
		return
	}
	d.passPoint()
}

// askAboutAdvice asks people to decide in place of the agent in the loop.
func (d *draft) askAboutAdvice() {
	spot := run.Spot{At: run.AtLayer, Layer: d.Point.Open}
	switch p := d.Point.Human; {
	case p == nil && d.summarised():
		d.askPoint(spot, fmt.Sprintf("advice:%d", d.Point.No), d.CouldStart())
	case p != nil && d.passes(spot, p):
		d.emit(system, &run.PointPassed{Layer: d.Point.Open})
		d.touchAll()
	}
}

func (d *draft) askAboutLayer(layer int) {
	var next []int
	for i, st := range d.Steps {
		if d.Plan().Nodes[i].Layer == layer && !st.Status.Settled() {
			next = append(next, i)
		}
	}
	d.askPoint(run.Spot{At: run.AtLayer, Layer: layer}, fmt.Sprintf("layer:%d", layer), next)
}

// askPoint asks people whether to continue with some steps.
func (d *draft) askPoint(spot run.Spot, id string, next []int) {
	d.open(spot, []asking.Want{d.asking().Point(spot, id, next)})
}

// passPoint starts the next layer.
func (d *draft) passPoint() {
	next := -1
	for i, st := range d.Steps {
		if layer := d.Plan().Nodes[i].Layer; !st.Status.Settled() && layer > d.Point.Open && (next < 0 || layer < next) {
			next = layer
		}
	}
	if next < 0 {
		return
	}
	d.emit(system, &run.PointPassed{Layer: next})
	for i, st := range d.Steps {
		if st.Status == run.PendingStep && d.Plan().Nodes[i].Layer <= next {
			d.touch(i)
		}
	}
}

// PlanWith is the plan with a change that people would make where they are asked, or why the run could not carry it
// out. Agents are those in force that it names.
func PlanWith(s *machine.State, spot run.Spot, proposed json.RawMessage,
	agents map[string]plan.Agent) (*plan.Plan, error) {
	var a plan.Change
	if err := plan.Decode(proposed, &a); err != nil {
		return nil, err
	}
	d := draft{State: *s}
	for _, id := range a.Skip {
		if _, err := d.skippable(id); err != nil {
			return nil, err
		}
	}
	for n, e := range a.Edit {
		if err := d.checkEdit(n, e, a.Skip); err != nil {
			return nil, err
		}
	}
	if len(a.Inject) == 0 {
		return d.Plan(), nil
	}
	if err := d.mayReplace(a.Inject); err != nil {
		return nil, err
	}
	next, _, err := d.Plan().Inject(a.Inject, d.AgentsAt(spot, agents), d.hasStarted, d.doneSteps())
	return next, err
}

// checkEdit rejects changes of an input that could not be made, or that the step's agent would not accept.
func (d *draft) checkEdit(n int, e plan.StepEdit, skipped []string) error {
	bad := func(format string, args ...any) error {
		return fault.Of("the plan change is not valid",
			[]fault.Problem{{Path: fmt.Sprintf("/edit_steps/%d", n), Message: fmt.Sprintf(format, args...)}})
	}
	i, err := d.skippable(e.ID)
	switch {
	case err != nil:
		return err
	case slices.Contains(skipped, e.ID):
		return bad("step %s is skipped, so its input does not matter", e.ID)
	case d.IsMap(i):
		return bad("step %s works on a list; change its input when it is known", e.ID)
	case value.KindOf(e.Input) != value.KindObject:
		return bad("the input of step %s must be an object with the fields to change", e.ID)
	case d.triedStep(i, -1):
		return d.changedStepAfterTry(i, -1)
	}
	if in, known := d.NextInput(i); known {
		if ps := d.Plan().Nodes[i].InputSchema.Validate(value.MergePatch(in, e.Input)); len(ps) > 0 {
			return fault.Of("the changed input of step "+e.ID+" does not match the schema", ps)
		}
	}
	return nil
}

func (d *draft) applyLayerAnswer(o gate.Outcome) {
	if o.Proposed == nil {
		return
	}
	var a plan.Change
	if plan.Decode(o.Proposed, &a) != nil {
		return
	}
	by := run.Actor{Kind: run.Person, Name: o.By}
	d.editAndSkip(a, by)
	if len(a.Inject) > 0 {
		if err := d.injectAt(a.Inject, by); err != nil {
			d.warn("inject_failed", "", err.Error())
		}
	}
}

// editAndSkip applies what people changed about steps of the plan.
func (d *draft) editAndSkip(a plan.Change, by run.Actor) {
	for _, e := range a.Edit {
		i, err := d.skippable(e.ID)
		if err != nil || d.triedStep(i, -1) {
			continue
		}
		d.closeStepApprovals(i, "the arguments were changed")
		d.emit(by, &run.StepArgsChanged{Step: e.ID, Changes: e.Input})
		d.touch(i)
	}
	for _, id := range a.Skip {
		if i, err := d.skippable(id); err == nil {
			d.skipFor(by, i)
		}
	}
}
