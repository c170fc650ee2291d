package decide

import (
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// A step from its start to its result.

// prepare checks the step's input.
func (d *draft) prepare(i int) bool {
	n := &d.Plan().Nodes[i]
	if d.IsMap(i) {
		sc := d.ScopeAt(i, -1, nil)
		list, ok := sc.Path(n.Each)
		if !ok || value.KindOf(list) != value.KindArray {
			d.failStep(i, -1, run.Failure{Code: "invalid_input",
				Message: fmt.Sprintf("%s is not a list: it is %s", n.Each, value.KindOf(list))})
			return false
		}
		if c := len(value.Elements(list)); c > run.ElementsMax {
			d.failStep(i, -1, run.Failure{Code: "too_large",
				Message: fmt.Sprintf("%s has %d elements; the limit is %d", n.Each, c, run.ElementsMax)})
			return false
		}
		return true
	}
	if n.With == nil && n.InputSchema == nil {
		return true
	}
	in, missing := d.InputOf(i, -1)
	d.warnMissing(i, missing)
	return d.fitsInput(i, -1, in)
}

func (d *draft) warnMissing(i int, missing []plan.Assign) {
	for _, m := range missing {
		d.warn("missing_field", fmt.Sprintf("steps.%s.with.%s", d.id(i), m.Target),
			fmt.Sprintf("cannot set the input %[2]s of step %[1]s: %[3]s does not exist", d.id(i), m.Target, m.Source.Path))
	}
}

func (d *draft) fitsInput(i, index int, in []byte) bool {
	if ps := d.Plan().Nodes[i].InputSchema.Validate(in); len(ps) > 0 {
		d.failStep(i, index, run.Failure{Code: "invalid_input",
			Message: fault.Of("the input does not match the agent's schema", ps).Error()})
		return false
	}
	return true
}

// launch starts a step that may run.
func (d *draft) launch(i int) {
	n := &d.Plan().Nodes[i]
	d.beginLayer(i)
	switch {
	case n.Human >= 0:
		d.finishHuman(i)
	case d.IsMap(i):
		d.emit(system, &run.StepExpanded{Step: n.Step.ID, Count: len(d.ItemsOf(i)), Rev: d.Steps[i].Rev,
			Keeps: len(d.Steps[i].Tasks) > 0})
		d.work(i)
	case d.dry(n):
		d.finishStep(i, &run.Result{Output: SampleOf(n), DryRun: true})
	default:
		d.startTask(i, -1, 1)
	}
}

// beginLayer records that a layer of the plan has been reached.
func (d *draft) beginLayer(i int) {
	layer := d.Plan().Nodes[i].Layer
	if layer < d.LayersBegun {
		return
	}
	var ids []string
	for _, k := range d.Plan().Layers()[layer] {
		if d.MayRun(k) {
			ids = append(ids, d.id(k))
		}
	}
	d.emit(system, &run.LayerStarted{Layer: layer, Steps: ids})
}

// startTask starts an attempt of a step or element.
func (d *draft) startTask(i, index, try int) {
	n := &d.Plan().Nodes[i]
	ahead := d.takeOver(i, index)
	f := &run.StepStarted{Step: n.Step.ID, Index: run.Index(index), Try: try, Rev: d.Steps[i].Rev}
	if k := max(index, 0); k < len(d.Steps[i].Tasks) {
		t := d.Steps[i].Tasks[k]
		f.Rev = t.Rev
		if try == 1 { // attempt numbers from before the run was resumed are not reused
			f.Try = t.Tried + 1
		}
	}
	f.Judged = d.PlaceOf(i, max(index, 0)) != nil || try > 1 && n.Declares()
	if t := n.Timeout(); t > 0 && !machine.IsLoop(n) {
		f.Deadline = d.env.Now.Add(t)
	}
	if n.Step.Workflow != "" {
		f.Child = fmt.Sprintf("%s.%d", d.ID, d.ChildCount+1)
	}
	if ahead != nil && ahead.Result == nil {
		f.Deadline = ahead.Deadline // that of the attempt under way
	}
	f.Counted = d.asking().CountedStep(i, index)
	d.emit(system, f)
	if ahead != nil {
		d.emit(system, &run.SpeculationUsed{Step: f.Step})
		if ahead.Result != nil {
			d.answer(i, 0, *ahead.Result)
		}
		return
	}
	if machine.IsLoop(n) {
		d.nudgeLoop(i, max(index, 0))
	}
}

// work advances the tasks of a running step.
func (d *draft) work(i int) {
	if !d.IsMap(i) {
		d.workTask(i, 0)
		return
	}
	st := d.Steps[i]
	for k := range st.Tasks {
		if s := d.Steps[i].Tasks[k].Status; s != machine.TaskIdle && s != machine.TaskDone {
			d.workTask(i, k)
		}
		if d.Steps[i].Status != run.RunningStep || d.Status.Ended() {
			return
		}
	}
	d.fillMap(i)
	if st := d.Steps[i]; st.Status == run.RunningStep && st.Open == 0 {
		d.finishStep(i, nil)
	}
}

// fillMap starts elements up to the map's width. Elements that wait for people do not block the others.
func (d *draft) fillMap(i int) {
	n := &d.Plan().Nodes[i]
	idle := func(t *machine.Task) bool { return t.Status == machine.TaskIdle }
	if !slices.ContainsFunc(d.Steps[i].Tasks[d.Steps[i].Next:], idle) || !d.letThrough(i) {
		return
	}
	for k := d.Steps[i].Next; k < len(d.Steps[i].Tasks); k++ {
		st := d.Steps[i]
		if st.Status != run.RunningStep || st.InFlight >= n.Width || !d.mayStart() {
			return
		}
		if st.Tasks[k].Status == machine.TaskIdle {
			d.beginElement(i, k)
		}
	}
}

func (d *draft) beginElement(i, k int) {
	n := &d.Plan().Nodes[i]
	in, missing := d.InputOf(i, k)
	d.warnMissing(i, missing)
	if !d.fitsInput(i, k, in) {
		return
	}
	wants, denied := d.heed(d.asking().BeforeElement(i, k, in))
	switch {
	case denied != nil:
		d.failStep(i, k, *denied)
	case len(wants) > 0 && d.open(d.SpotOf(run.AtBefore, i, k), wants):
	case d.dry(n):
		d.finishElement(i, k, &run.Result{Output: SampleOf(n), DryRun: true})
	default:
		d.startTask(i, k, 1)
	}
}

// workTask advances one task if possible.
func (d *draft) workTask(i, k int) {
	t := d.Steps[i].Tasks[k]
	index := k
	if !d.IsMap(i) {
		index = -1
	}
	switch t.Status {
	case machine.TaskHeld:
		if d.mayStart() && d.letThrough(i) && d.passes(d.SpotOf(run.AtBefore, i, k), t.Before) {
			if d.dry(&d.Plan().Nodes[i]) {
				d.finishElement(i, k, &run.Result{Output: SampleOf(&d.Plan().Nodes[i]), DryRun: true})
			} else {
				d.startTask(i, k, 1)
			}
		}
	case machine.TaskBackoff:
		if d.mayStart() && !d.env.Now.Before(t.RetryAt) && d.letThrough(i) &&
			d.mayRetry(d.SpotOf(run.AtBefore, i, index), d.PlaceOf(i, k)) {
			d.startTask(i, index, t.Try+1)
		}
	case machine.TaskReview:
		switch {
		case index < 0: // copied from another run: it is reviewed again here
			d.finishStep(i, nil)
		case t.After == nil || d.passes(d.SpotOf(run.AtAfter, i, k), t.After):
			d.finishElement(i, k, nil)
		}
	case machine.TaskRunning:
		if t.Loop != nil {
			d.nudgeLoop(i, k)
		}
	}
}

// finishStep completes a step, after approval where it is required. A nil result means that it is already
// recorded.
func (d *draft) finishStep(i int, r *run.Result) {
	asked, waits := d.review(i, -1, r)
	if waits {
		return
	}
	if asked {
		r = nil
	}
	d.emit(d.Acting(i, -1), &run.StepCompleted{Step: d.id(i), Result: r})
	if r != nil {
		d.produced(i, -1, r)
	}
	d.settled(i)
}

func (d *draft) finishElement(i, k int, r *run.Result) {
	asked, waits := d.review(i, k, r)
	if waits {
		return
	}
	if asked {
		r = nil
	}
	d.emit(d.Acting(i, k), &run.ElementCompleted{Step: d.id(i), Index: k, Result: r})
	if r != nil {
		d.produced(i, k, r)
	}
	d.touch(i)
}

// review requests approval of a result: asked reports that people or the policy were asked, waits that it may
// not be used (yet).
func (d *draft) review(i, k int, r *run.Result) (asked, waits bool) {
	spot := d.SpotOf(run.AtAfter, i, k)
	if d.PlaceAt(spot) != nil {
		return false, false // it was passed to get here
	}
	inHand := r
	if r == nil && (k >= 0 || !d.IsMap(i)) {
		inHand = d.Steps[i].Tasks[max(k, 0)].Result
	}
	wants, denied := d.heed(d.asking().After(i, k, inHand))
	if denied == nil && len(wants) == 0 {
		return false, false
	}
	if r != nil {
		d.emit(d.Acting(i, k), &run.StepReturned{Step: d.id(i), Index: run.Index(k), Result: *r})
		d.produced(i, k, r)
	}
	if denied != nil {
		d.failStep(i, k, *denied)
		return true, true
	}
	d.open(spot, wants)
	// A place that only the policy decided has already been passed.
	p := d.PlaceAt(spot)
	return true, p == nil || !d.passes(spot, p)
}

// produced records everything that came with the output.
func (d *draft) produced(i, index int, r *run.Result) {
	for _, dl := range r.Deliverables {
		d.deliver(d.Acting(i, index), i, dl)
	}
	d.tellOthers(i, index, r)
	if c := r.Confidence; c != nil && !r.DryRun && *c < confidenceSure && *c >= d.Plan().ConfidenceThreshold(i) {
		d.emit(system, &run.ReviewSuggested{Step: d.id(i), Index: run.Index(index), Confidence: *c})
	}
	if len(r.Output) > run.OutputWarn {
		d.warn("large_output", "steps."+d.id(i),
			fmt.Sprintf("the output of step %s has %d bytes; the limit is %d", d.id(i), len(r.Output), run.OutputMax))
	}
}

// dry reports whether a test run must simulate this: anything not known to be harmless. Scripted agents are
// harmless, and anything declared to have no effects, or to read at low risk. Models are called for real, at
// a cost, and an agent's tools are checked one by one.
func (d *draft) dry(n *plan.Node) bool {
	if !d.Started.TestMode || n.Agent == nil || mutant.Is(mutant.TestModeCalls) {
		return false
	}
	switch {
	case n.CallsTool(): // its call is checked
		return false
	case n.Agent.Kind == plan.AgentScripted, n.Agent.Effects == plan.EffectsNone:
		return false
	case !d.Declared(n.Step.ID): // what an added step claims about itself counts for nothing
		return true
	case n.Step.Effects == plan.EffectsNone:
		return false
	}
	return !risk.Harmless(risk.Class(n.Step.Risk), n.Step.Operation)
}

// SampleOf is a step's simulated result: its sample, its agent's, or a value that matches the schema.
func SampleOf(n *plan.Node) []byte {
	switch {
	case n.Step.Sample != nil:
		return n.Step.Sample
	case n.Agent.Sample != nil:
		return n.Agent.Sample
	}
	return schema.Sample(n.Agent.Output)
}

// finishHuman turns people's answer at a human step into its output.
func (d *draft) finishHuman(i int) {
	r := &run.Result{Output: []byte("null")}
	if p := d.Steps[i].Before; p != nil {
		r.Output = d.humanOutput(i, p)
	}
	d.finishStep(i, r)
}

func (d *draft) humanOutput(i int, p *gate.Place) []byte {
	want := d.Plan().Gates[d.Plan().Nodes[i].Human].Gate.ID
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
	in, _ := d.InputOf(i, -1)
	return in
}
