package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// implementationNow is what would be used if a spot were passed now.
func (d *draft) implementationNow(spot run.Spot) []gate.Implementation {
	if spot.At != run.AtBefore {
		return d.ImplementationAt(spot)
	}
	i, ok := d.Plan().Step(spot.Step)
	if !ok || d.env.InForce == nil {
		return d.ImplementationAt(spot)
	}
	switch n := &d.Plan().Nodes[i]; {
	case n.Step.Agent != "":
		return d.env.InForce("agent", n.Step.Agent)
	case n.Step.Tool != "":
		return d.env.InForce("tool", n.Step.Tool)
	case n.Step.Workflow != "":
		return d.env.InForce("workflow", n.Step.Workflow)
	}
	return nil
}

// rebindPlace detects a changed implementation before a step starts. For calls only the host can, when it
// makes them.
func (d *draft) rebindPlace(spot run.Spot, p *gate.Place) *gate.Place {
	if spot.At != run.AtBefore || len(p.Implementation) == 0 {
		return p
	}
	now := d.implementationNow(spot)
	if gate.Same(p.Implementation, now) || mutant.Is(mutant.ChangeUnnoticed) {
		return p
	}
	d.emit(system, &run.StepRebound{Step: spot.Step, Index: spot.Index,
		Changed: gate.Changes(p.Implementation, now), Implementation: now})
	return d.PlaceAt(spot)
}

// letThrough reports whether the approvers of a map as a whole saw the implementation its elements would use
// now. An element may have approvals of its own as well.
func (d *draft) letThrough(i int) bool {
	p, spot := d.Steps[i].Before, d.SpotOf(run.AtBefore, i, -1)
	if p == nil || !d.IsMap(i) || len(p.Changed) == 0 &&
		(len(p.Implementation) == 0 || gate.Same(p.Implementation, d.implementationNow(spot))) {
		return true
	}
	return d.mayStart() && d.passes(spot, p)
}

// rebind handles a host's report that the implementation about to run is not the approved one.
func (d *draft) rebind(c run.Rebind) error {
	if c.Key.Kind == run.KeyCall {
		return d.rebindCall(c)
	}
	if a := d.aheadFor(c.Key); a != nil {
		d.discardAhead(a.Step, run.AheadChanged)
		return nil
	}
	i, k, ok := d.runningTask(c.Key)
	if c.Key.Kind == run.KeyTurn {
		if i, k, ok = d.thinking(c.Key); ok {
			ok = d.loopOf(i, k).Turn == 1
		}
	}
	if !ok {
		return stale()
	}
	approved := d.ApprovedFor(i, k)
	act := ""
	if work := d.KeyOf(i, k).Work(); d.Begun(work) >= 0 {
		act = work
	}
	d.emit(system, &run.StepRebound{
		Step: d.id(i), Index: d.IndexFor(i, k), Changed: gate.Changes(approved, c.Implementation),
		Implementation: c.Implementation, Act: act,
	})
	d.touch(i)
	return nil
}

func (d *draft) rebindCall(c run.Rebind) error {
	i, k, call, ok := d.runningCall(c.Key)
	if !ok {
		return stale()
	}
	if call.Rebound >= run.ReboundsMax {
		d.answerCall(i, k, call, run.CallResult{Error: fmt.Sprintf("%s changed %d times while it was about to "+
			"run, so it was not run", call.Call.Tool, run.ReboundsMax+1)}, false)
		return nil
	}
	spec := run.ToolSpec{Unknown: true}
	if c.Spec != nil {
		spec = *c.Spec
	}
	act := ""
	if work := c.Key.Work(); d.Begun(work) >= 0 {
		act = work
	}
	d.emit(system, &run.CallRebound{
		Act:  act,
		Step: d.id(i), Index: d.IndexFor(i, k), No: call.No,
		Changed: gate.Changes(call.Call.Spec.Implementation, spec.Implementation), Spec: spec,
	})
	d.touch(i)
	return nil
}
