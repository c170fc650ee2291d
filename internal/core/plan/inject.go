package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
)

// Inject adds steps to a running plan. It returns the new plan and the steps with their needs made explicit.
// Recording those and injecting them again into the same plan gives the same result, whatever has completed
// by then.
//
// Existing nodes keep their indices; new ones follow, marked Injected. The first step without needs depends
// on everything that is done; a later one depends on its predecessor in the list. NeededBy inserts a step
// before existing ones, which must not have started. Replaces puts a step in the place of one that failed: the
// steps that needed that one need this one, and read its output instead; its gates apply to this one as well.
// Agents are looked up in the plan first, then among the given ones.
func (p *Plan) Inject(steps []Step, agents map[string]Agent, started func(step int) bool,
	done []int) (*Plan, []Step, error) {
	return p.inject(steps, agents, nil, started, done)
}

// Propose returns the plan with steps that people have yet to complete: required arguments that a step lacks, by its
// name, may be missing. It is for looking at; only Inject adds steps.
func (p *Plan) Propose(steps []Step, agents map[string]Agent, lacks map[string][]string, started func(step int) bool,
	done []int) (*Plan, error) {
	next, _, err := p.inject(steps, agents, lacks, started, done)
	return next, err
}

func (p *Plan) inject(steps []Step, agents map[string]Agent, lacks map[string][]string, started func(step int) bool,
	done []int) (*Plan, []Step, error) {
	if len(steps) == 0 {
		return nil, nil, fault.New(fault.Invalid, "there are no steps to add", "")
	}
	if n := len(p.Nodes) + len(steps); n > StepsMax {
		return nil, nil, refused(fault.Problem{Path: "steps",
			Message: fmt.Sprintf("the run would have %d steps; the maximum is %d", n, StepsMax)})
	}
	steps = p.spellOut(steps, done)
	c := p.edit(steps, agents)
	c.lacks = lacks
	c.nameSteps()
	c.applyReplaces()
	tooLate := c.applyNeededBy(started)
	if c.withinLimits() {
		c.link()
		c.sort()
		c.compileSteps()
		for i := range c.remapped {
			c.compileWith(i)
		}
		c.compileGates()
		c.inheritGates()
		c.checkSubWorkflows()
		c.answer()
	}
	next, problems := c.finish()
	switch {
	case next == nil:
		return nil, nil, refused(problems...)
	case tooLate != "":
		return nil, nil, fault.New(fault.Conflict,
			fmt.Sprintf("step %q has started, so nothing can be put in front of it", tooLate),
			"name a later step in needed_by, or leave it out").With("step", tooLate)
	}
	return next, steps, nil
}

func refused(problems ...fault.Problem) error {
	return fault.Of("the steps cannot be added", fault.Errors(problems))
}

// spellOut copies the steps and makes their needs explicit.
func (p *Plan) spellOut(steps []Step, done []int) []Step {
	steps = slices.Clone(steps)
	for i := range steps {
		if steps[i].Needs != nil {
			continue
		}
		needs := []string{}
		if i > 0 {
			needs = append(needs, steps[i-1].ID)
		} else {
			done = slices.Compact(slices.Sorted(slices.Values(done)))
			for _, d := range done {
				if d >= 0 && d < len(p.Nodes) {
					needs = append(needs, p.Nodes[d].Step.ID)
				}
			}
		}
		steps[i].Needs = &needs
	}
	return steps
}

// edit starts a compiler that takes the old plan as given.
func (p *Plan) edit(steps []Step, agents map[string]Agent) *compiler {
	def := *p.Definition
	w := &def.Workflow
	w.Steps = slices.Concat(p.Definition.Workflow.Steps, steps)
	w.Gates = slices.Clone(p.Definition.Workflow.Gates)
	def.Agents = maps.Clone(p.Definition.Agents)
	if def.Agents == nil {
		def.Agents = map[string]Agent{}
	}
	// Only agents that are used: a run is bound to no more than it needs.
	for i := range steps {
		name := steps[i].Agent
		if a, ok := agents[name]; ok && name != "" {
			if _, bound := def.Agents[name]; !bound {
				def.Agents[name] = a
			}
		}
	}
	next := *p
	next.Definition = &def
	next.Gates = slices.Clone(p.Gates)
	next.nodeByID, next.gateByID, next.agents = maps.Clone(p.nodeByID), maps.Clone(p.gateByID), maps.Clone(p.agents)
	c := compilerFor(&next)
	c.base, c.changed, c.remapped = len(p.Nodes), map[int]bool{}, map[int]bool{}
	return c
}

// applyNeededBy moves each needed_by to the needs of the other step, where the graph reads it. It returns a
// step for which that is too late.
func (c *compiler) applyNeededBy(started func(step int) bool) (tooLate string) {
	steps := c.workflow().Steps
	for i := c.base; i < len(steps); i++ {
		for k, id := range steps[i].NeededBy {
			target, ok := c.plan.nodeByID[id]
			switch {
			case !ok:
				c.bad(c.atStep(i), at("needed_by", k), "%s", c.noStep(id))
				continue
			case target == i:
				c.bad(c.atStep(i), at("needed_by", k), "step %q needs itself: remove it", id)
				continue
			case target < c.base && started != nil && started(target):
				if tooLate == "" {
					tooLate = id
				}
				continue
			}
			steps[target].Needs = withNeed(c.needNames(target), steps[i].ID)
			if target < c.base {
				c.changed[target] = true
				c.keepRevise(target)
			}
		}
		steps[i].NeededBy = nil
	}
	return tooLate
}

// applyReplaces puts steps in the place of others. It does not matter what has started by then, so that a plan that is
// read from a log again is the same: a step that needs one that failed has not started, and if it was skipped for that,
// it needs the new one once it is resumed.
func (c *compiler) applyReplaces() {
	steps := c.workflow().Steps
	for i := c.base; i < len(steps); i++ {
		by := steps[i].Replaces
		if by == "" {
			continue
		}
		if old, ok := c.plan.nodeByID[by]; !ok || old >= c.base {
			c.bad(c.atStep(i), "replaces", "%s", c.noStep(by))
			continue
		}
		for k := range c.base {
			needs := c.needNames(k)
			at := slices.Index(needs, by)
			if at < 0 || c.plan.nodeByID[by] == k {
				continue
			}
			next := slices.Clone(needs)
			next[at] = steps[i].ID
			steps[k].Needs = &next
			steps[k].With = steps[k].With.reading(by, steps[i].ID)
			c.changed[k] = true
			c.remapped[k] = true
			c.keepRevise(k)
		}
		c.plan.Output = slices.Clone(c.plan.Output)
		for k, a := range c.plan.Output {
			if len(a.Source.Path) > 0 && a.Source.Path[0] == by {
				path := slices.Clone(a.Source.Path)
				path[0] = steps[i].ID
				c.plan.Output[k].Source.Path = path
			}
		}
	}
}

// inheritGates puts the gates of a step that failed at the one that takes its place: what people wanted to see
// there, they see there.
func (c *compiler) inheritGates() {
	for i := c.base; i < len(c.plan.Nodes); i++ {
		old, ok := c.plan.nodeByID[c.step(i).Replaces]
		if !ok || old >= i || mutant.Is(mutant.ReplaceUngated) {
			continue
		}
		n, from := &c.plan.Nodes[i], &c.plan.Nodes[old]
		n.Before, n.After = slices.Concat(from.Before, n.Before), slices.Concat(from.After, n.After)
	}
}

// reading is a mapping that reads the output of another step instead.
func (m Mapping) reading(old, by string) Mapping {
	out := slices.Clone(m)
	for k, f := range out {
		rest, ok := strings.CutPrefix(strings.TrimSpace(f.Source), old)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			out[k].Source = by + rest
		}
	}
	return out
}

// keepRevise fixes which step the gates before this one revise, while it is still their only predecessor.
func (c *compiler) keepRevise(step int) {
	n := &c.plan.Nodes[step]
	for _, g := range n.Before {
		if r := c.plan.Gates[g].revise; r >= 0 {
			c.workflow().Gates[g].Revise = c.ids[r]
		}
	}
	if n.Human >= 0 && c.plan.Gates[n.Human].revise >= 0 {
		human := *c.step(step).Human
		human.Revise = c.ids[c.plan.Gates[n.Human].revise]
		c.step(step).Human = &human
	}
}

// needNames lists a step's needs by name.
func (c *compiler) needNames(i int) []string {
	if s := c.step(i); s.Needs != nil {
		return *s.Needs
	}
	if i == 0 {
		return nil
	}
	return []string{c.ids[i-1]}
}

func withNeed(needs []string, id string) *[]string {
	out := append(slices.Clip(needs), id)
	if slices.Contains(needs, id) {
		out = needs
	}
	return &out
}
