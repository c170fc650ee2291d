package plan

import (
	"math"

	"github.com/assent-run/assent/internal/core/phrase"
)

// compileSteps compiles every new step on its own.
func (c *compiler) compileSteps() {
	// Performers come first: a step may need one that is listed later.
	for i := c.base; i < len(c.plan.Nodes); i++ {
		c.checkWho(i)
	}
	for i := c.base; i < len(c.plan.Nodes); i++ {
		c.checkValues(i)
		c.compileConditions(i)
		c.compileWith(i)
		c.checkInput(i)
		c.plan.Nodes[i].Injected = c.base > 0
	}
}

// checkWho determines the performer: an agent, a tool, a sub-workflow or a person.
func (c *compiler) checkWho(i int) {
	s, w := c.step(i), c.atStep(i)
	given := 0
	for _, is := range []bool{s.Agent != "", s.Tool != "", s.Workflow != "", s.Human != nil} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		c.bad(w, "agent", "the step has no agent, tool, workflow or human: add one")
	case given > 1:
		c.bad(w, "agent", "a step has one of agent, tool, workflow or human, not %d of them", given)
	}
	if s.Agent != "" {
		if facts := c.agent(w, "agent", s.Agent); facts != nil && given == 1 {
			n := &c.plan.Nodes[i]
			n.Agent, n.InputSchema, n.OutputSchema = facts.agent, facts.in, facts.out
		}
	}
	if s.Tool != "" && given == 1 {
		c.checkTool(i)
	}
	if s.Workflow != "" {
		c.checkSubWorkflowName(i)
	}
}

// checkValues checks numbers and words.
func (c *compiler) checkValues(i int) {
	s, w := c.step(i), c.atStep(i)
	c.level(w, "risk", s.Risk)
	c.oneOf(w, "effects", s.Effects, effectsWords)
	if s.ReversibleBy != "" && s.Operation == "" {
		c.bad(w, "reversible_by", "name what the step does as well: add operation")
	}
	c.notNegative(w, "timeout", s.Timeout)
	c.checkRetry(w, s.Retry)
	if len(s.NeededBy) > 0 && c.base == 0 {
		c.bad(w, "needed_by", "needed_by is for steps that are added to a run: write needs at the other step instead")
	}
	if s.Replaces != "" && c.base == 0 {
		c.bad(w, "replaces", "replaces is for steps that are added to a run: name the other step's needs instead")
	}
	switch {
	case s.Width < 0 || s.Width > WidthMax:
		c.bad(w, "width", "%d is not between 1 and %d", s.Width, WidthMax)
	case s.Width > 0 && s.Each == "":
		c.warn(w, "width", "width has no effect without each")
	}
	if s.Human != nil {
		if s.Timeout != nil {
			c.warn(w, "timeout", "people are not bound by a step's timeout: use human.timeout")
		}
		if s.Retry != nil {
			c.warn(w, "retry", "people are asked once: retry has no effect here")
		}
	}
	c.checkSample(w, s.Sample, c.plan.Nodes[i].OutputSchema)
	if _, err := phrase.Parse(s.Title); err != nil {
		c.bad(w, "title", "%v", err)
	}
}

func (c *compiler) checkRetry(w where, r *Retry) {
	if r == nil {
		return
	}
	if r.Max < 0 || r.Max > RetryMax {
		c.bad(w, "retry.max", "%d is not between 1 and %d tries (leave it out for %d)", r.Max, RetryMax, TriesDefault)
	}
	if r.Factor != 0 && !(r.Factor >= 1 && !math.IsInf(r.Factor, 1)) {
		c.bad(w, "retry.factor", "%v is less than 1: the pauses between tries must not get shorter", r.Factor)
	}
	c.notNegative(w, "retry.backoff", r.Backoff)
	c.notNegative(w, "retry.max_backoff", r.MaxBackoff)
	if r.Backoff != nil && r.MaxBackoff != nil && *r.MaxBackoff < *r.Backoff {
		c.bad(w, "retry.max_backoff", "%s is shorter than the first pause of %s", r.MaxBackoff, r.Backoff)
	}
}

// compileConditions compiles if and each.
func (c *compiler) compileConditions(i int) {
	s, w, n := c.step(i), c.atStep(i), &c.plan.Nodes[i]
	n.If = c.program(w, "if", s.If)
	c.checkNames(scope{where: w, field: "if", node: i}, n.If)
	if s.Each == "" {
		return
	}
	if s.Human != nil {
		c.bad(w, "each", "a human step cannot be a map: ask about the whole list at once")
	}
	path, err := parsePath(s.Each)
	if err != nil {
		c.bad(w, "each", "%s is not the path of a list: write one such as draft.recipients", quote(s.Each))
		return
	}
	c.checkName(scope{where: w, field: "each", node: i}, path[0])
	n.Each, n.Width = path, s.Width
	if n.Width == 0 {
		n.Width = WidthDefault
	}
}

// compileWith compiles the sources of the step's input.
func (c *compiler) compileWith(i int) {
	s := c.step(i)
	with := s.With
	if with == nil && s.Tool != "" {
		with = Mapping{} // a tool gets its arguments, never the whole context
	}
	c.plan.Nodes[i].With = c.mapping(scope{where: c.atStep(i), field: "with", node: i, items: s.Each != ""}, with)
}

func (c *compiler) compileOutput() {
	c.plan.Output = c.mapping(scope{field: "output", node: -1}, c.workflow().Output)
}

// mapping compiles every line; nil stays nil.
func (c *compiler) mapping(s scope, m Mapping) []Assign {
	if m == nil {
		return nil
	}
	whole := s.field
	if len(m) > FieldsMax {
		c.bad(s.where, whole, "%d fields are too many: at most %d", len(m), FieldsMax)
		return nil
	}
	out := make([]Assign, 0, len(m))
	seen := make(map[string]bool, len(m))
	for _, f := range m {
		s.field = whole + "." + clip(f.Target)
		if f.Target == "" {
			c.bad(s.where, whole, "a target is empty: name the field that gets %s", quote(f.Source))
			continue
		}
		if seen[f.Target] {
			c.bad(s.where, s.field, "the target %s is given twice: keep one", quote(f.Target))
			continue
		}
		seen[f.Target] = true
		src, err := ParseSource(f.Source)
		if err != nil {
			c.bad(s.where, s.field, "%s", messageOf(err))
			continue
		}
		if src.Path != nil {
			s.text = ""
			if len(src.Path) == 1 {
				s.text = f.Source
			}
			c.checkName(s, src.Path[0])
		}
		out = append(out, Assign{Target: f.Target, Source: src})
	}
	return out
}
