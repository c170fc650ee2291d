package decide

import (
	"bytes"
	"slices"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Steps that run ahead of open approvals. What would run is found by approving everything on a draft: the steps
// that start there, without any approval of their own, run ahead with the input they have there. When people
// have decided, the run goes its ordinary way, through every gate and rule. A step that starts with the input
// that was assumed takes over the work; everything else is discarded.

const unknownApprover = "\x00" // an input that contains it depends on who decides

// runAhead starts what can run ahead now, and discards what rests on an assumption that no longer holds.
func (d *draft) runAhead() {
	if !d.Plan().Definition.Workflow.Speculate || d.Status.Ended() || d.Pause != nil || d.Cancelling != nil {
		return
	}
	if d.env.Stopped {
		d.discardAll(run.AheadStopped)
		return
	}
	next, keep := d.assume()
	for _, a := range slices.Clone(d.Ahead) {
		if !keep[a.Step] {
			d.discardAhead(a.Step, run.AheadChanged)
		}
	}
	for _, f := range next {
		if i, _ := d.Plan().Step(f.Step); d.Steps[i].AheadNo < run.AheadMax {
			f.Rev = d.Steps[i].Rev
			d.emit(system, f)
		}
	}
}

// assume approves everything that is open on a draft, as it is shown. It returns the steps that could run ahead
// now, and those that do or did and whose assumption still holds.
func (d *draft) assume() (next []*run.StepSpeculated, keep map[string]bool) {
	if len(d.Pending()) == 0 {
		return nil, nil
	}
	env := d.env
	env.Elsewhere = nil // a sum over other runs stays unknown, and asks
	then := &draft{State: d.Draft(), env: env, cmd: &run.Command{}}
	assumed := then.approveAll()
	keep = map[string]bool{}
	for _, e := range then.events {
		switch f := e.Fact.(type) {
		case *run.SpeculationUsed:
			keep[f.Step] = true
		case *run.StepStarted:
			if in, ok := then.startsAhead(f); ok {
				next = append(next, &run.StepSpeculated{Step: f.Step, Input: in, Deadline: f.Deadline, Approvals: assumed})
			}
		}
	}
	d.GiveBack(&then.State) // until here the steps of d are those of the draft
	next = slices.DeleteFunc(next, func(f *run.StepSpeculated) bool {
		i, ok := d.Plan().Step(f.Step)
		return !ok || keep[f.Step] || d.Steps[i].Status != run.PendingStep || len(d.Steps[i].Tasks) > 0
	})
	for _, f := range next {
		i, _ := d.Plan().Step(f.Step)
		f.Implementation = d.implementationNow(d.SpotOf(run.AtBefore, i, -1))
	}
	return next, keep
}

// approveAll approves what people are asked to approve, and draws the consequences.
func (d *draft) approveAll() (approved []string) {
	for _, n := range slices.Clone(d.OpenApproval) {
		a := d.Approvals[n]
		if a.Status != gate.Pending || a.Kind != gate.KindApproval || asking.IsQuestion(a) || d.Status.Ended() {
			continue
		}
		o := gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: unknownApprover}
		if !value.Equal(a.Current, a.Proposed) { // one of several approvers has changed it
			o.Act, o.Proposed = gate.Modify, a.Current
		}
		approved = append(approved, a.ID)
		d.resolve(n, o, run.Actor{Kind: run.Person, Name: unknownApprover})
	}
	d.advance()
	if mutant.Is(mutant.AheadPastGate) && len(approved) > 0 {
		return append(approved, d.approveAll()...)
	}
	return approved
}

// startsAhead reports whether a step that starts once everything is approved can start before, with which input.
func (d *draft) startsAhead(f *run.StepStarted) (in []byte, ok bool) {
	i, _ := d.Plan().Step(f.Step)
	n := &d.Plan().Nodes[i]
	if f.Index != nil || f.Judged && !mutant.Is(mutant.AheadPastGate) || f.Counted != nil || f.Child != "" ||
		f.Try != 1 || n.Agent == nil ||
		machine.IsLoop(n) || d.SentTo(n.Step.Agent) || !d.harmless(i) && !mutant.Is(mutant.HarmAhead) {
		return nil, false
	}
	in, _ = d.InputOf(i, -1)
	return in, !bytes.Contains(in, value.Quote(unknownApprover))
}

// harmless reports whether a step may run ahead. Only documents of the operator declare that: those of agents, and
// the workflow itself, but no edit of a running plan.
func (d *draft) harmless(i int) bool {
	n := &d.Plan().Nodes[i]
	return n.Harmless() && (n.Agent.Effects == plan.EffectsNone || d.Declared(d.id(i)))
}

// asAssumed reports whether a step that is about to start would do exactly what it did ahead.
func (d *draft) asAssumed(i int, a *machine.Ahead) bool {
	if d.env.Stopped || d.Steps[i].Rev != a.Rev || len(d.Steps[i].Tasks) > 0 || d.Steps[i].Before != nil ||
		d.SentTo(d.Plan().Nodes[i].Step.Agent) ||
		!gate.Same(a.Implementation, d.implementationNow(d.SpotOf(run.AtBefore, i, -1))) {
		return false
	}
	in, _ := d.InputOf(i, -1)
	return bytes.Equal(in, a.Input) || mutant.Is(mutant.AheadAnyway)
}

// takeOver returns the work that a step, about to start, did ahead. Work on another assumption is discarded.
func (d *draft) takeOver(i, index int) *machine.Ahead {
	if a := d.AheadOf(i); a != nil && index < 0 {
		if d.asAssumed(i, a) {
			return a
		}
		d.discardAhead(a.Step, run.AheadChanged)
	}
	return nil
}

// discardAhead discards what a step did ahead; it reports whether there was anything.
func (d *draft) discardAhead(step string, why run.AheadEnd) bool {
	i, ok := d.Plan().Step(step)
	if !ok {
		return false
	}
	a := d.AheadOf(i)
	if a == nil {
		return false
	}
	f := &run.SpeculationDiscarded{Step: step, Rev: max(d.Steps[i].Rev, a.Rev+1), Why: why}
	if mutant.Is(mutant.AheadKeyKept) {
		f.Rev = d.Steps[i].Rev
	}
	d.emit(system, f)
	return true
}

func (d *draft) discardAll(why run.AheadEnd) {
	for _, a := range slices.Clone(d.Ahead) {
		d.discardAhead(a.Step, why)
	}
}

// aheadFor finds the work ahead that a report is about, if its result is still expected.
func (d *draft) aheadFor(key run.Key) *machine.Ahead {
	for n := range d.Ahead {
		if a := &d.Ahead[n]; a.Result == nil && d.AheadKey(a) == key {
			return a
		}
	}
	return nil
}

// returnedAhead records a result for as long as it is open whether it is used.
func (d *draft) returnedAhead(a *machine.Ahead, r run.Result) {
	i, _ := d.Plan().Step(a.Step)
	if f := d.checkResult(i, &r); f != nil {
		d.failedAhead(a, r.Usage)
		return
	}
	d.emit(d.AgentOf(i), &run.SpeculationReturned{Step: a.Step, Result: r})
	if mutant.Is(mutant.AheadDelivers) {
		d.produced(i, -1, &r)
	}
}

// failedAhead discards work that failed. The step is tried again when its time has come.
func (d *draft) failedAhead(a *machine.Ahead, spent run.Usage) {
	i, _ := d.Plan().Step(a.Step)
	d.emit(system, &run.SpeculationDiscarded{Step: a.Step, Rev: max(d.Steps[i].Rev, a.Rev+1), Why: run.AheadFailed,
		Usage: spent})
}

// ends reports whether a fact ends the run, or begins to.
func ends(f run.Fact) bool {
	switch f.(type) {
	case *run.RunCompleted, *run.RunFailed, *run.RunCancelled, *run.RunLimitReached, *run.RunCancelling:
		return true
	}
	return false
}
