package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
)

// An approval is bound to what would be used: the versions of tools, agents, MCP
// servers and sub-workflows. Hosts compare at the moment of use, with what they
// then use, and report a Rebind instead of running something else.

// implementationAt is what an approval at a spot is bound to, as recorded.
func (s *State) implementationAt(spot Spot) []gate.Implementation {
	switch spot.At {
	case AtCall:
		if c := s.callAt(spot); c != nil {
			return c.Call.Spec.Implementation
		}
	case AtBefore:
		if p := s.placeAt(spot); p != nil {
			return p.Implementation
		}
	}
	return nil
}

// implementationNow is what would be used if a spot were passed now.
func (d *draft) implementationNow(spot Spot) []gate.Implementation {
	if spot.At != AtBefore {
		return d.implementationAt(spot)
	}
	i, ok := d.Plan().Step(spot.Step)
	if !ok || d.env.InForce == nil {
		return d.implementationAt(spot)
	}
	switch n := &d.Plan().Nodes[i]; {
	case n.Step.Agent != "":
		return d.env.InForce("agent", n.Step.Agent)
	case n.Step.Workflow != "":
		return d.env.InForce("workflow", n.Step.Workflow)
	}
	return nil
}

// approvedFor is what task k of step i may be done with; nil: anything in force.
func (s *State) approvedFor(i, k int) []gate.Implementation {
	if mutant.Is(mutant.ChangeUnnoticed) {
		return nil
	}
	if st := s.Steps[i]; k < len(st.Tasks) && st.Tasks[k].Approved != nil {
		return st.Tasks[k].Approved
	}
	if p := s.placeOf(i, k); p != nil {
		return p.Implementation
	}
	return nil
}

// keepApproved notes what the elements at work were started with, before those
// who let the map through are asked about something else.
func (s *State) keepApproved(i int) {
	for k, t := range s.Steps[i].Tasks {
		if t.Status == TaskRunning && t.Before == nil && t.Approved == nil {
			s.task(i, k).Approved = s.approvedFor(i, k)
		}
	}
}

// placeOf is where people were asked before task k of step i: before the element,
// or else before the step as a whole.
func (s *State) placeOf(i, k int) *Place {
	st := s.Steps[i]
	if k < len(st.Tasks) && st.Tasks[k].Before != nil {
		return st.Tasks[k].Before
	}
	return st.Before
}

// rebindPlace notices before a step starts that something else would do it now.
// For calls only the host can tell, when it makes them.
func (d *draft) rebindPlace(spot Spot, p *Place) *Place {
	if spot.At != AtBefore || len(p.Implementation) == 0 {
		return p
	}
	now := d.implementationNow(spot)
	if gate.Same(p.Implementation, now) || mutant.Is(mutant.ChangeUnnoticed) {
		return p
	}
	d.emit(system, &StepRebound{Step: spot.Step, Index: spot.Index,
		Changed: gate.Changes(p.Implementation, now), Implementation: now})
	return d.placeAt(spot)
}

// letThrough reports whether the people who let a map through as a whole saw what
// would do its elements now. An element may have questions of its own besides.
func (d *draft) letThrough(i int) bool {
	p, spot := d.Steps[i].Before, d.spot(AtBefore, i, -1)
	if p == nil || !d.isMap(i) || len(p.Changed) == 0 &&
		(len(p.Implementation) == 0 || gate.Same(p.Implementation, d.implementationNow(spot))) {
		return true
	}
	return d.mayStart() && d.passes(spot, p)
}

// rebind takes a host's word that what was about to run is not what was approved.
func (d *draft) rebind(c Rebind) error {
	if c.Key.Kind == KeyCall {
		return d.rebindCall(c)
	}
	i, k, ok := d.runningTask(c.Key)
	if c.Key.Kind == KeyTurn {
		if i, k, ok = d.thinking(c.Key); ok {
			ok = d.loopOf(i, k).Turn == 1
		}
	}
	if !ok {
		return stale()
	}
	approved := d.approvedFor(i, k)
	act := ""
	if work := d.keyOf(i, k).Work(); d.begun(work) >= 0 {
		act = work
	}
	d.emit(system, &StepRebound{
		Step: d.id(i), Index: d.indexFor(i, k), Changed: gate.Changes(approved, c.Implementation),
		Implementation: c.Implementation, Act: act,
	})
	d.touch(i)
	return nil
}

func (d *draft) rebindCall(c Rebind) error {
	i, k, call, ok := d.runningCall(c.Key)
	if !ok {
		return stale()
	}
	if call.Rebound >= ReboundsMax {
		d.answerCall(i, k, call, CallResult{Error: fmt.Sprintf("%s changed %d times while it was about to "+
			"run, so it was not run", call.Call.Tool, ReboundsMax+1)}, false)
		return nil
	}
	spec := ToolSpec{Unknown: true}
	if c.Spec != nil {
		spec = *c.Spec
	}
	act := ""
	if work := c.Key.Work(); d.begun(work) >= 0 {
		act = work
	}
	d.emit(system, &CallRebound{
		Act:  act,
		Step: d.id(i), Index: d.indexFor(i, k), No: call.No,
		Changed: gate.Changes(call.Call.Spec.Implementation, spec.Implementation), Spec: spec,
	})
	d.touch(i)
	return nil
}

// applyStepRebound takes a step back to before its start. What was accepted there
// was about something else.
func (s *State) applyStepRebound(f *StepRebound) {
	i, _ := s.plan.Step(f.Step)
	s.uncount(f.Act)
	spot := Spot{At: AtBefore, Step: f.Step, Index: f.Index}
	k := max(indexOf(f.Index), 0)
	if f.Index != nil && (k >= len(s.Steps[i].Tasks) || s.Steps[i].Tasks[k].Before == nil) {
		spot.Index = nil // approved with all the others
	}
	whole := f.Index == nil && s.isMap(i) // its elements that are at work go on
	running := !whole && k < len(s.Steps[i].Tasks) && s.Steps[i].Tasks[k].Status == TaskRunning
	if running {
		s.takeBack(i, k)
	}
	p := s.placeAt(spot)
	if p == nil {
		return
	}
	next := *p
	next.Implementation, next.Changed = f.Implementation, f.Changed
	next.Content = s.contentOf(spot, s.proposalAt(spot), f.Implementation)
	if spot.Index != nil {
		t := s.task(i, k)
		if t.Before = &next; running {
			t.Status = TaskHeld
		}
		return
	}
	if s.isMap(i) {
		s.keepApproved(i)
	}
	st := s.step(i)
	st.Before = &next
	if running && !s.isMap(i) {
		st.Status = WaitingStep
	}
}

// recall takes a task back that waits to be tried again.
func (s *State) recall(i, k int) {
	if st := s.Steps[i]; k < len(st.Tasks) && st.Tasks[k].Status == TaskBackoff {
		s.takeBack(i, k)
	}
}

// takeBack puts a task that was started before its start. Numbers of tries are
// not used twice.
func (s *State) takeBack(i, k int) {
	st, t := s.step(i), s.task(i, k)
	t.Status, t.Tried, t.Deadline, t.RetryAt, t.Child, t.ChildWaiting = TaskIdle, t.Try,
		time.Time{}, time.Time{}, "", false
	t.Approved = nil
	if t.Loop != nil {
		l := s.loop(i, k)
		l.takeBackTurn()
	}
	if s.isMap(i) {
		st.InFlight--
		st.Next = min(st.Next, k)
		return
	}
	if !s.isDraft {
		s.Active = slices.DeleteFunc(s.Active, func(a int) bool { return a == i })
	}
}
