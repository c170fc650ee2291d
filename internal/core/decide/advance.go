package decide

import (
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// advance derives the consequences of the recorded events until there are none left: steps start, approvals
// open, the run ends or starts to wait.
func (d *draft) advance() {
	for {
		had := len(d.events)
		d.endPause()
		d.drain()
		if !d.Status.Ended() {
			d.askAboutReplans()
			d.betweenLayers()
			d.finish()
		}
		if len(d.events) == had || d.Status.Ended() {
			break
		}
	}
	d.settleStatus()
}

// endPause continues when the unanswered approval that paused the run is settled.
func (d *draft) endPause() {
	if d.Pause == nil || d.Pause.Approval == "" || d.Status.Ended() {
		return
	}
	if a, ok := d.Approval(d.Pause.Approval); ok && a.Status != gate.Pending {
		d.unpause(system)
	}
}

// mayStart reports whether new work may begin at all.
func (d *draft) mayStart() bool {
	return !d.Status.Ended() && d.Pause == nil && d.Cancelling == nil && (d.StartPlace == nil || d.StartPlace.Passed)
}

// nudge moves a step as far as it can go now. It looks only at the state, so it is idempotent.
func (d *draft) nudge(i int) {
	st := d.Steps[i]
	switch {
	case st.Status == run.PendingStep:
		d.begin(i)
	case st.Status == run.WaitingStep && st.After != nil && !st.After.Passed:
		if d.passes(d.SpotOf(run.AtAfter, i, -1), st.After) {
			d.finishStep(i, nil)
		}
	case st.Status == run.WaitingStep && st.Before != nil:
		if d.mayStart() && !d.Undecided() && d.passes(d.SpotOf(run.AtBefore, i, -1), st.Before) {
			d.launch(i)
		}
	case st.Status == run.RunningStep:
		d.work(i)
	}
}

// begin starts a step whose needs are met, unless approval is required.
func (d *draft) begin(i int) {
	if d.Steps[i].Unmet > 0 || !d.mayStart() || !d.LayerOpen(i) || !d.Foundation(i) {
		return
	}
	if d.Searching() || d.HeldByReplan(d.id(i)) && !mutant.Is(mutant.ReplanOvertaken) || d.Undecided() {
		return // steps may yet be put in front of it
	}
	n := &d.Plan().Nodes[i]
	for _, need := range n.Needs {
		if !d.Lost(need) {
			continue
		}
		if d.consulting() || len(d.Replans) > 0 { // another way may yet be found
			return
		}
		if !d.DoesWithout(i, need) {
			d.skipStep(system, i, run.SkipNeed)
			return
		}
	}
	var unsure error
	if n.If != nil {
		sc := d.ScopeAt(i, -1, nil)
		holds, err := n.If.Test(sc.Look())
		if err == nil && !holds {
			d.skipStep(system, i, run.SkipIf)
			return
		}
		unsure = err
	}
	if !d.prepare(i) {
		return
	}
	wants, denied := d.heed(d.asking().Before(i, unsure))
	if len(wants) > 0 && d.discardAhead(d.id(i), run.AheadChanged) { // it is another piece of work now
		wants, denied = d.heed(d.asking().Before(i, unsure))
	}
	if denied != nil {
		d.failStep(i, -1, *denied)
		return
	}
	if len(wants) > 0 && d.open(d.SpotOf(run.AtBefore, i, -1), wants) {
		return
	}
	d.launch(i)
}

// settled rechecks the steps that waited for a step.
func (d *draft) settled(i int) {
	d.saveSnapshot(i)
	d.lookBehind(i, nil)
}

// saveSnapshot marks a place to resume from behind a step or a layer, if the
// workflow wants that.
func (d *draft) saveSnapshot(i int) {
	switch d.Plan().Definition.Workflow.Snapshots {
	case plan.SnapshotsPerStep:
		if d.Steps[i].Status == run.DoneStep {
			d.emit(system, &run.SnapshotSaved{Step: d.id(i)})
		}
	case plan.SnapshotsPerLayer:
		layer := d.Plan().Nodes[i].Layer
		open := func(k int) bool { return !d.Steps[k].Status.Settled() }
		if !slices.ContainsFunc(d.Plan().Layers()[layer], open) {
			d.emit(system, &run.SnapshotSaved{Layer: &layer})
		}
	}
}

func (d *draft) lookBehind(i int, seen map[int]bool) {
	for _, k := range d.Plan().Nodes[i].Dependents {
		switch st := d.Steps[k]; {
		case !st.Status.Settled():
			if st.Unmet == 0 {
				d.touch(k)
			}
		case !seen[k]: // settled before its turn: its dependents waited for this one as well
			if seen == nil {
				seen = map[int]bool{}
			}
			seen[k] = true
			d.lookBehind(k, seen)
		}
	}
}

func (d *draft) skipStep(by run.Actor, i int, why run.SkipReason) {
	d.emit(by, &run.StepSkipped{Step: d.id(i), Why: why})
	d.settled(i)
}

// failStep fails a step permanently; the workflow defines what that means for the run.
func (d *draft) failStep(i, index int, f run.Failure) {
	n := &d.Plan().Nodes[i]
	d.locate(&f, i, index)
	goes := !d.Plan().StopsOnError() || d.ConsultsOnError() || d.Dispensable(i)
	if f.Code == asking.CodeDenied || f.Code == codeRejected {
		goes = false
	}
	if d.Cancelling != nil { // it ends as cancelled, whatever the outcome of the last steps
		goes = true
	}
	d.closeStepApprovals(i, "the step failed")
	d.emit(d.AgentOf(i), &run.StepFailed{Step: n.Step.ID, Error: f, Goes: goes})
	switch {
	case !goes:
		d.failRun(f)
	case d.ConsultsOnError() && d.Cancelling == nil:
		d.consult(n.Step.ID)
		fallthrough
	default:
		d.warn("step_failed", "steps."+n.Step.ID, f.Message)
		d.settled(i)
	}
}

const codeRejected = "rejected"

// locate fills in where a failure happened and what led to it.
func (d *draft) locate(f *run.Failure, i, index int) {
	n := &d.Plan().Nodes[i]
	f.Step, f.Agent, f.StepIndex, f.StepCount, f.Index = n.Step.ID, n.Step.Performer(), n.Order+1,
		len(d.Plan().Nodes), run.Index(index)
	if f.Code == "" {
		f.Code = "failed"
	}
	if k := max(index, 0); f.Try == 0 && k < len(d.Steps[i].Tasks) {
		f.Try = d.Steps[i].Tasks[k].Try
	}
	if f.Input == nil && (index >= 0 || !d.IsMap(i)) {
		f.Input, _ = d.InputOf(i, index)
	}
}

// finish ends the run when nothing is left to do.
func (d *draft) finish() {
	switch {
	case d.Cancelling != nil:
		if !d.InFlight() {
			d.emit(system, &run.RunCancelled{Reason: d.Cancelling.Reason})
		}
		return
	case d.Unsettled > 0 && !(mutant.Is(mutant.EarlyCompletion) && d.StartPlace == nil && !d.Moving()):
		return
	case d.Pause != nil || d.consulting() || len(d.Replans) > 0 || d.StartPlace != nil && !d.StartPlace.Passed:
		return
	}
	if !d.AnyLastDone() && len(d.Plan().Last()) > 0 {
		if f := d.FirstFailure(); f != nil {
			d.failRun(*f)
			return
		}
	}
	if d.EndPlace == nil {
		out, missing := d.RunOutput()
		for _, m := range missing {
			d.warn("missing_field", "output."+m.Target,
				fmt.Sprintf("cannot set %s in the output: %s does not exist", m.Target, m.Source.Path))
		}
		if wants, _ := d.heed(d.asking().AtEnd(out)); len(wants) > 0 && d.open(run.Spot{At: run.AtEnd}, wants) {
			return
		}
	}
	switch {
	case d.EndPlace == nil:
	case d.ToldAtEnd():
		d.emit(system, &run.RunCompleted{Output: []byte("null")})
		return
	case !d.passes(run.Spot{At: run.AtEnd}, d.EndPlace):
		return
	}
	d.emit(system, &run.RunCompleted{Output: d.ProposalAt(run.Spot{At: run.AtEnd})})
}

// settleStatus sets whether the run is running or waiting for people.
func (d *draft) settleStatus() {
	if d.Status.Ended() || d.Pause != nil {
		return
	}
	switch moving := d.Moving(); {
	case moving && d.Status == run.Waiting:
		d.emit(system, &run.RunResumed{})
	case !moving && d.Status == run.Running:
		d.emit(system, &run.RunWaiting{})
	}
}

func (d *draft) id(i int) string { return d.Plan().Nodes[i].Step.ID }
