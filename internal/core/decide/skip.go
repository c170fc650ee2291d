package decide

import (
	"cmp"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Skipping steps. Leaving out a question that people would have to answer is deciding it.

func (d *draft) skip(c run.SkipStep) error {
	if (c.Step == "") == (c.Layer == nil) {
		return fault.Of("the command is incomplete",
			[]fault.Problem{{Path: "/step", Message: "name a step or a layer, and only one of them"}})
	}
	if c.Step != "" {
		i, err := d.skippable(c.Step)
		if err != nil {
			return err
		}
		return d.skipAll([]int{i})
	}
	layers := d.Plan().Layers()
	if *c.Layer < 0 || *c.Layer >= len(layers) {
		return notFound("layer", fmt.Sprint(*c.Layer))
	}
	var steps []int
	for _, i := range layers[*c.Layer] {
		if _, err := d.skippable(d.id(i)); err == nil {
			steps = append(steps, i)
		}
	}
	if len(steps) == 0 {
		return fault.Newf(fault.Conflict, "every step of layer %d has started", *c.Layer)
	}
	return d.skipAll(steps)
}

// skipAll skips steps for the sender of the command: all of them or none.
func (d *draft) skipAll(steps []int) error {
	for _, i := range steps {
		if _, err := d.leavesOut(i); err != nil {
			return err
		}
	}
	for _, i := range steps {
		d.skipFor(d.cmd.By, i)
	}
	return nil
}

// skipFor skips a step for a person or a program.
func (d *draft) skipFor(by run.Actor, i int) {
	f, err := d.leavesOut(i)
	if err != nil {
		return
	}
	d.closeStepApprovals(i, "the step is skipped")
	d.emit(by, &f)
	d.settled(i)
}

// leavesOut is the fact of skipping a step, or why the sender of the command may not: someone else has to
// answer something about it.
func (d *draft) leavesOut(i int) (run.StepSkipped, error) {
	f, runs := run.StepSkipped{Step: d.id(i), Why: run.SkipCommand}, d.Plan().Nodes[i].Step.Workflow
	if mutant.Is(mutant.SkippedUnasked) {
		return f, nil
	}
	if runs != "" && d.cmd.By.Kind != run.Person {
		return f, fault.New(fault.Forbidden,
			fmt.Sprintf("step %s runs a workflow, which may ask people, so %ss can't skip it", f.Step, d.cmd.By.Kind),
			"have it skipped by a person")
	}
	var all []question
	for _, a := range d.asking().About(i) {
		all = append(all, question{a, d.Plan().Definition.Workflow.Name})
	}
	for _, q := range append(all, d.inside(runs, map[string]bool{})...) {
		if d.cmd.By.Kind != run.Person {
			return f, fault.New(fault.Forbidden,
				fmt.Sprintf("people decide about step %s, so %ss can't skip it", f.Step, d.cmd.By.Kind),
				"have it skipped by a person who may approve it: "+cmp.Or(q.Wanted(), "anyone who may decide"))
		}
		behalf, err := d.waive(q)
		if err != nil {
			return f, fault.New(fault.Forbidden, fmt.Sprintf("skipping step %s means deciding it: %v", f.Step, err),
				cmp.Or(fault.HintOf(err), "have it skipped by a person who may approve it"))
		}
		f.LeftOut, f.OnBehalfOf = append(f.LeftOut, q.ID), cmp.Or(behalf, f.OnBehalfOf)
	}
	return f, nil
}

// question is something that people have to answer in a workflow.
type question struct {
	*gate.Approval
	workflow string
}

// inside lists what people have to answer in a workflow that a step runs, and in those that it runs in turn.
func (d *draft) inside(workflow string, seen map[string]bool) (out []question) {
	if workflow == "" || d.env.Workflow == nil || seen[workflow] {
		return nil
	}
	seen[workflow] = true
	p, _ := plan.Compile(d.env.Workflow(workflow))
	if p == nil {
		return nil // it could not be started
	}
	for _, a := range d.asking().Inside(p) {
		out = append(out, question{a, workflow})
	}
	for i := range p.Nodes {
		out = append(out, d.inside(p.Nodes[i].Step.Workflow, seen)...)
	}
	return out
}

// mayLeaveOut rejects a change of the plan that skips what its author may not.
func (d *draft) mayLeaveOut(change []byte) error {
	var c plan.Change
	if err := plan.Decode(change, &c); err != nil {
		return err
	}
	for _, id := range c.Skip {
		i, err := d.skippable(id)
		if err == nil {
			_, err = d.leavesOut(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waive returns for whom the sender of the command may leave a question unanswered.
func (d *draft) waive(q question) (behalf string, err error) {
	who := gate.Person{Name: d.cmd.By.Key(), Kind: string(d.cmd.By.Kind)}
	if d.cmd.May != nil {
		if who, err = d.cmd.May(q.workflow, q.Approval); err != nil {
			return "", err
		}
	}
	return q.Waive(who)
}
