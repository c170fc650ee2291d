package run

import (
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// advance draws the consequences of what was just recorded until there are
// none left: steps start, places open, the run ends or begins to wait.
func (d *draft) advance() {
	for {
		had := len(d.events)
		d.endPause()
		for len(d.queue) > 0 && !d.Status.Ended() {
			i := d.queue[0]
			d.queue = d.queue[1:]
			d.nudge(i)
		}
		if !d.Status.Ended() {
			d.betweenLayers()
			d.finish()
		}
		if len(d.events) == had && len(d.queue) == 0 || d.Status.Ended() {
			break
		}
	}
	d.settleStatus()
}

// endPause goes on when the silence that paused the run is over: nobody is
// asked that question any more.
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

// nudge does for a step whatever can be done now. It looks at the state, not at
// what led here, so it may be called as often as one likes.
func (d *draft) nudge(i int) {
	st := d.Steps[i]
	switch {
	case st.Status == PendingStep:
		d.begin(i)
	case st.Status == WaitingStep && st.After != nil && !st.After.Passed:
		if d.passes(d.spot(AtAfter, i, -1), st.After) {
			d.finishStep(i, nil)
		}
	case st.Status == WaitingStep && st.Before != nil:
		if d.mayStart() && d.passes(d.spot(AtBefore, i, -1), st.Before) {
			d.launch(i)
		}
	case st.Status == RunningStep:
		d.work(i)
	}
}

// begin starts a step whose needs are met, unless people have to be asked.
func (d *draft) begin(i int) {
	if d.Steps[i].Unmet > 0 || !d.mayStart() || !d.layerOpen(i) || !d.foundation(i) {
		return
	}
	n := &d.plan.Nodes[i]
	for _, need := range n.Needs {
		if st := d.Steps[need]; st.Status == FailedStep || st.Skipped == SkipNeed {
			if d.Point.Asking || len(d.Replans) > 0 { // an agent may yet find another way
				return
			}
			d.skipStep(system, i, SkipNeed)
			return
		}
	}
	var unsure error
	if n.If != nil {
		sc := scope{s: &d.State, step: i, index: -1}
		holds, err := n.If.Test(sc.look())
		if err == nil && !holds {
			d.skipStep(system, i, SkipIf)
			return
		}
		unsure = err
	}
	if !d.prepare(i) {
		return
	}
	wants, denied := d.wantsBefore(i, unsure)
	if denied != nil {
		d.failStep(i, -1, *denied)
		return
	}
	if len(wants) > 0 && d.open(d.spot(AtBefore, i, -1), wants) {
		return
	}
	d.launch(i)
}

// prepare checks what the step would work on.
func (d *draft) prepare(i int) bool {
	n := &d.plan.Nodes[i]
	if d.isMap(i) {
		sc := scope{s: &d.State, step: i, index: -1}
		list, ok := sc.path(n.Each)
		if !ok || value.KindOf(list) != value.KindArray {
			d.failStep(i, -1, Failure{Code: "invalid_input", Message: fmt.Sprintf("%s is not a list: it is %s", n.Each, value.KindOf(list))})
			return false
		}
		if c := len(value.Elements(list)); c > ElementsMax {
			d.failStep(i, -1, Failure{Code: "too_large", Message: fmt.Sprintf("%s has %d elements; at most %d are taken", n.Each, c, ElementsMax)})
			return false
		}
		return true
	}
	if n.With == nil && n.InputSchema == nil {
		return true
	}
	in, missing := d.inputOf(i, -1)
	d.warnMissing(i, missing)
	return d.fitsInput(i, -1, in)
}

func (d *draft) warnMissing(i int, missing []plan.Assign) {
	for _, m := range missing {
		d.warn("missing_field", fmt.Sprintf("steps.%s.with.%s", d.id(i), m.Target),
			fmt.Sprintf("step %s gets no %s: there is no %s", d.id(i), m.Target, m.Source.Path))
	}
}

func (d *draft) fitsInput(i, index int, in []byte) bool {
	if ps := d.plan.Nodes[i].InputSchema.Validate(in); len(ps) > 0 {
		d.failStep(i, index, Failure{Code: "invalid_input", Message: fault.Of("the input does not fit what the agent takes", ps).Error()})
		return false
	}
	return true
}

// launch starts a step that may run.
func (d *draft) launch(i int) {
	n := &d.plan.Nodes[i]
	d.beginLayer(i)
	switch {
	case n.Human >= 0:
		d.finishHuman(i)
	case d.isMap(i):
		f := &StepExpanded{Step: n.Step.ID, Count: len(d.itemsOf(i)), Rev: d.Steps[i].Rev, Keeps: d.Steps[i].Tasks != nil}
		d.emit(system, f)
		d.work(i)
	case d.dry(n):
		d.finishStep(i, &Result{Output: sampleOf(n), DryRun: true})
	default:
		d.startTask(i, -1, 1)
	}
}

// beginLayer tells watchers that a layer of the plan has been reached.
func (d *draft) beginLayer(i int) {
	layer := d.plan.Nodes[i].Layer
	if layer < d.LayersBegun {
		return
	}
	var ids []string
	for _, k := range d.plan.Layers()[layer] {
		ids = append(ids, d.id(k))
	}
	d.emit(system, &LayerStarted{Layer: layer, Steps: ids})
}

// startTask starts a try of a step or element.
func (d *draft) startTask(i, index, try int) {
	n := &d.plan.Nodes[i]
	f := &StepStarted{Step: n.Step.ID, Index: indexPtr(index), Try: try, Rev: d.Steps[i].Rev}
	if k := max(index, 0); k < len(d.Steps[i].Tasks) {
		t := d.Steps[i].Tasks[k]
		f.Rev = t.Rev
		if try == 1 { // numbers of tries before the run was taken up again are not used twice
			f.Try = t.Tried + 1
		}
	}
	if t := n.Timeout(); t > 0 && !isLoop(n) {
		f.Deadline = d.env.Now.Add(t)
	}
	if n.Step.Workflow != "" {
		f.Child = fmt.Sprintf("%s.%d", d.ID, d.ChildCount+1)
	}
	d.emit(system, f)
	if isLoop(n) {
		d.nudgeLoop(i, max(index, 0))
	}
}

// work looks at the tasks of a running step.
func (d *draft) work(i int) {
	if !d.isMap(i) {
		d.workTask(i, 0)
		return
	}
	st := d.Steps[i]
	for k := range st.Tasks {
		if s := d.Steps[i].Tasks[k].Status; s != TaskIdle && s != TaskDone {
			d.workTask(i, k)
		}
		if d.Steps[i].Status != RunningStep || d.Status.Ended() {
			return
		}
	}
	d.fillMap(i)
	if st := d.Steps[i]; st.Status == RunningStep && st.Open == 0 {
		d.finishStep(i, nil)
	}
}

// fillMap starts elements up to the map's width. Elements that wait for people
// do not hold up the others.
func (d *draft) fillMap(i int) {
	n := &d.plan.Nodes[i]
	for k := d.Steps[i].Next; k < len(d.Steps[i].Tasks); k++ {
		st := d.Steps[i]
		if st.Status != RunningStep || st.InFlight >= n.Width || !d.mayStart() {
			return
		}
		if st.Tasks[k].Status == TaskIdle {
			d.beginElement(i, k)
		}
	}
}

func (d *draft) beginElement(i, k int) {
	n := &d.plan.Nodes[i]
	in, missing := d.inputOf(i, k)
	d.warnMissing(i, missing)
	if !d.fitsInput(i, k, in) {
		return
	}
	wants, denied := d.wantsBeforeElement(i, k, in)
	switch {
	case denied != nil:
		d.failStep(i, k, *denied)
	case len(wants) > 0 && d.open(d.spot(AtBefore, i, k), wants):
	case d.dry(n):
		d.finishElement(i, k, &Result{Output: sampleOf(n), DryRun: true})
	default:
		d.startTask(i, k, 1)
	}
}

// workTask moves one task on if it can be moved.
func (d *draft) workTask(i, k int) {
	t := d.Steps[i].Tasks[k]
	index := k
	if !d.isMap(i) {
		index = -1
	}
	switch t.Status {
	case TaskHeld:
		if d.mayStart() && d.passes(d.spot(AtBefore, i, k), t.Before) {
			if d.dry(&d.plan.Nodes[i]) {
				d.finishElement(i, k, &Result{Output: sampleOf(&d.plan.Nodes[i]), DryRun: true})
			} else {
				d.startTask(i, k, 1)
			}
		}
	case TaskBackoff:
		if d.mayStart() && !d.env.Now.Before(t.RetryAt) {
			d.startTask(i, index, t.Try+1)
		}
	case TaskReview:
		switch {
		case index < 0: // taken over from another run: it is reviewed here again
			d.finishStep(i, nil)
		case t.After == nil || d.passes(d.spot(AtAfter, i, k), t.After):
			d.finishElement(i, k, nil)
		}
	case TaskRunning:
		if t.Loop != nil {
			d.nudgeLoop(i, k)
		}
	}
}

// finishStep completes a step, asking people first where they want to be asked.
// A nil result means it is in hand already.
func (d *draft) finishStep(i int, r *Result) {
	asked, waits := d.review(i, -1, r)
	if waits {
		return
	}
	if asked {
		r = nil
	}
	d.emit(d.agentOf(i), &StepCompleted{Step: d.id(i), Result: r})
	if r != nil {
		d.produced(i, -1, r)
	}
	d.settled(i)
}

func (d *draft) finishElement(i, k int, r *Result) {
	asked, waits := d.review(i, k, r)
	if waits {
		return
	}
	if asked {
		r = nil
	}
	d.emit(d.agentOf(i), &ElementCompleted{Step: d.id(i), Index: k, Result: r})
	if r != nil {
		d.produced(i, k, r)
	}
	d.touch(i)
}

// review asks people about a result: asked says that it was put to them or to
// the policy, waits that it may not be used (yet).
func (d *draft) review(i, k int, r *Result) (asked, waits bool) {
	spot := d.spot(AtAfter, i, k)
	if d.placeAt(spot) != nil {
		return false, false // the way here was through it
	}
	inHand := r
	if r == nil && (k >= 0 || !d.isMap(i)) {
		inHand = d.Steps[i].Tasks[max(k, 0)].Result
	}
	wants, denied := d.wantsAfter(i, k, inHand)
	if denied == nil && len(wants) == 0 {
		return false, false
	}
	if r != nil {
		d.emit(d.agentOf(i), &StepReturned{Step: d.id(i), Index: indexPtr(k), Result: *r})
		d.produced(i, k, r)
	}
	if denied != nil {
		d.failStep(i, k, *denied)
		return true, true
	}
	d.open(spot, wants)
	// What the policy answered alone has passed already.
	p := d.placeAt(spot)
	return true, p == nil || !d.passes(spot, p)
}

// produced records what came beside the output.
func (d *draft) produced(i, index int, r *Result) {
	for _, dl := range r.Deliverables {
		d.deliver(i, dl)
	}
	if c := r.Confidence; c != nil && !r.DryRun && *c < confidenceSure && *c >= d.threshold(i) {
		d.emit(system, &ReviewSuggested{Step: d.id(i), Index: indexPtr(index), Confidence: *c})
	}
	if len(r.Output) > OutputWarn {
		d.warn("large_output", "steps."+d.id(i), fmt.Sprintf("step %s put out %d bytes; at most %d are taken", d.id(i), len(r.Output), OutputMax))
	}
}

func (d *draft) deliver(i int, dl Deliverable) {
	dl.ID = fmt.Sprintf("dlv_%s_%d", bareID(d.ID), len(d.Deliverables)+1)
	if dl.Status == "" {
		dl.Status = "draft"
	}
	d.emit(d.agentOf(i), &DeliverableCreated{Step: d.id(i), Agent: d.agentOf(i).Name, Deliverable: dl})
}

// settled lets those that waited for a step have another look.
func (d *draft) settled(i int) { d.lookBehind(i, nil) }

func (d *draft) lookBehind(i int, seen map[int]bool) {
	for _, k := range d.plan.Nodes[i].Dependents {
		switch st := d.Steps[k]; {
		case !st.Status.settled():
			if st.Unmet == 0 {
				d.touch(k)
			}
		case !seen[k]: // settled before its turn: those behind it waited for this one, too
			if seen == nil {
				seen = map[int]bool{}
			}
			seen[k] = true
			d.lookBehind(k, seen)
		}
	}
}

// foundation reports whether all that step i builds on has been settled. What
// it needs has been; but a step that was left out by hand, set by a fork or done
// before a failure may stand on one that is still open. What a step sees must
// not depend on which of them comes first.
func (d *draft) foundation(i int) bool {
	if !d.Loose {
		return true
	}
	for _, a := range d.plan.Ancestors(i) {
		if !d.Steps[a].Status.settled() {
			return false
		}
	}
	return true
}

func (d *draft) skipStep(by Actor, i int, why SkipReason) {
	d.emit(by, &StepSkipped{Step: d.id(i), Why: why})
	d.settled(i)
}

// failStep ends a step for good; what that means for the run is the workflow's choice.
func (d *draft) failStep(i, index int, f Failure) {
	n := &d.plan.Nodes[i]
	d.locate(&f, i, index)
	goes := !d.plan.StopsOnError() || d.consultsOnError()
	if f.Code == codeDenied || f.Code == codeRejected {
		goes = false
	}
	if d.Cancelling != nil { // it ends as cancelled, whatever becomes of the last steps
		goes = true
	}
	d.closeStepApprovals(i, "the step failed")
	d.emit(d.agentOf(i), &StepFailed{Step: n.Step.ID, Error: f, Goes: goes})
	switch {
	case !goes:
		d.failRun(f)
	case d.consultsOnError() && d.Cancelling == nil:
		d.consult(n.Step.ID)
		fallthrough
	default:
		d.warn("step_failed", "steps."+n.Step.ID, f.Message)
		d.settled(i)
	}
}

const (
	codeDenied   = "denied"
	codeRejected = "rejected"
)

// locate fills in where a failure happened and what led to it.
func (d *draft) locate(f *Failure, i, index int) {
	n := &d.plan.Nodes[i]
	f.Step, f.Agent, f.StepIndex, f.StepCount, f.Index = n.Step.ID, n.Step.Agent, n.Order+1, len(d.plan.Nodes), indexPtr(index)
	if f.Code == "" {
		f.Code = "failed"
	}
	if k := max(index, 0); f.Try == 0 && k < len(d.Steps[i].Tasks) {
		f.Try = d.Steps[i].Tasks[k].Try
	}
	if f.Input == nil && (index >= 0 || !d.isMap(i)) {
		f.Input, _ = d.inputOf(i, index)
	}
}

// finish ends the run when nothing is left to do.
func (d *draft) finish() {
	switch {
	case d.Cancelling != nil:
		if !d.inFlight() {
			d.emit(system, &RunCancelled{Reason: d.Cancelling.Reason})
		}
		return
	case d.Unsettled > 0 && !(mutant.Is(mutant.EarlyCompletion) && d.StartPlace == nil && !d.moving()):
		return
	case d.Pause != nil || d.Point.Asking || len(d.Replans) > 0 || d.StartPlace != nil && !d.StartPlace.Passed:
		return
	}
	if !d.anyLastDone() && len(d.plan.Last()) > 0 {
		if f := d.firstFailure(); f != nil {
			d.failRun(*f)
			return
		}
	}
	if d.EndPlace == nil {
		out, missing := d.runOutput()
		for _, m := range missing {
			d.warn("missing_field", "output."+m.Target, fmt.Sprintf("the output gets no %s: there is no %s", m.Target, m.Source.Path))
		}
		if wants := d.wantsAtEnd(out); len(wants) > 0 && d.open(Spot{At: AtEnd}, wants) {
			return
		}
	}
	if d.EndPlace != nil && !d.passes(Spot{At: AtEnd}, d.EndPlace) {
		return
	}
	d.emit(system, &RunCompleted{Output: d.proposalAt(Spot{At: AtEnd})})
}

func (d *draft) anyLastDone() bool {
	for _, i := range d.plan.Last() {
		if s := d.Steps[i]; s.Status == DoneStep || s.Status == SkippedStep && s.Skipped != SkipNeed {
			return true
		}
	}
	return false
}

func (d *draft) firstFailure() *Failure {
	for _, i := range d.plan.Order() {
		if d.Steps[i].Status == FailedStep {
			return d.Steps[i].Error
		}
	}
	return nil
}

// settleStatus says whether the run moves by itself or waits for people.
func (d *draft) settleStatus() {
	if d.Status.Ended() || d.Pause != nil || d.Seq == 0 {
		return
	}
	switch moving := d.moving(); {
	case moving && d.Status == Waiting:
		d.emit(system, &RunResumed{})
	case !moving && d.Status == Running:
		d.emit(system, &RunWaiting{})
	}
}

// threshold is the confidence below which people are asked about a result.
func (d *draft) threshold(i int) float64 {
	def := d.plan.Definition
	if a := d.plan.Nodes[i].Agent; a != nil && a.ConfidenceThreshold != nil {
		return *a.ConfidenceThreshold
	}
	if def.Workflow.ConfidenceThreshold != nil {
		return *def.Workflow.ConfidenceThreshold
	}
	if def.ConfidenceThreshold > 0 {
		return def.ConfidenceThreshold
	}
	return confidenceUnsure
}

// dry reports whether a test run must not really do this.
func (d *draft) dry(n *plan.Node) bool {
	return d.Started.TestMode && n.Agent != nil && (n.Step.Operation != "" || n.Step.Risk.Rank() > 1)
}

func sampleOf(n *plan.Node) []byte {
	switch {
	case n.Step.Sample != nil:
		return n.Step.Sample
	case n.Agent.Sample != nil:
		return n.Agent.Sample
	}
	return schema.Sample(n.Agent.Output)
}

func (d *draft) id(i int) string { return d.plan.Nodes[i].Step.ID }

func (d *draft) agentOf(i int) Actor {
	n := &d.plan.Nodes[i]
	switch {
	case n.Step.Agent != "":
		return Actor{Agent, n.Step.Agent}
	case n.Step.Workflow != "":
		return Actor{Agent, "workflow:" + n.Step.Workflow}
	}
	return system
}

func (d *draft) spot(at SpotAt, i, index int) Spot {
	return Spot{At: at, Step: d.id(i), Index: indexPtr(index)}
}

func indexPtr(index int) *int {
	if index < 0 {
		return nil
	}
	return &index
}

func isLoop(n *plan.Node) bool { return n.Agent != nil && n.Agent.Kind == plan.AgentLLM }

// backoff is how long to wait before the next try.
func backoff(p plan.RetryPolicy, k Key, f Failure) time.Duration {
	d := p.Delay(k.Try)
	d = d/2 + time.Duration(k.fraction()*float64(d/2))
	return max(d, min(f.RetryAfter.Std(), time.Hour))
}

// finishHuman turns people's answer at a human step into its output.
func (d *draft) finishHuman(i int) {
	r := &Result{Output: []byte("null")}
	if p := d.Steps[i].Before; p != nil {
		r.Output = d.humanOutput(i, p)
	}
	d.finishStep(i, r)
}

func (d *draft) humanOutput(i int, p *Place) []byte {
	want := d.plan.Gates[d.plan.Nodes[i].Human].Gate.ID
	for _, ask := range p.Asks {
		if ask.Want != want {
			continue
		}
		switch o := d.Approvals[ask.Approval].Outcome; {
		case o == nil:
		case o.Act == gate.Choose:
			return value.Object(value.Member{Key: "option", Value: value.Quote(o.Option)})
		case o.Act == gate.Submit:
			return o.Data
		}
	}
	in, _ := d.inputOf(i, -1)
	return in
}
