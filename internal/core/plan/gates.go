package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
)

// compileGates attaches the gates of the workflow and of new human steps.
func (c *compiler) compileGates() {
	if c.base == 0 {
		gates := c.workflow().Gates
		for i := range gates {
			w := where{part: inGates, index: i}
			spot, err := ParseSpot(gates[i].At)
			if err != nil {
				c.bad(w, "at", "%s", err)
			}
			c.placeGate(w, gates[i], spot, -1)
		}
	}
	for i := c.base; i < len(c.plan.Nodes); i++ {
		human := c.step(i).Human
		if human == nil {
			continue
		}
		w := c.atStep(i)
		w.within = "human"
		g := *human
		if g.At != "" {
			c.bad(w, "at", "the gate of a human step belongs to that step: remove `at`")
		}
		switch g.ID {
		case "", c.ids[i]:
			g.ID = c.ids[i]
			c.plan.gateByID[g.ID] = len(c.plan.Gates)
		default:
			c.nameGate(w, g.ID, len(c.plan.Gates))
		}
		c.plan.Nodes[i].Human = len(c.plan.Gates)
		c.placeGate(w, g, Spot{Kind: SpotHuman, Step: c.ids[i]}, i)
	}
}

// placeGate compiles a gate and attaches it to its spot.
func (c *compiler) placeGate(w where, g Gate, spot Spot, step int) {
	p := c.plan
	index := len(p.Gates)
	switch spot.Kind {
	case SpotStart:
		p.Start = append(p.Start, index)
	case SpotEnd:
		p.End = append(p.End, index)
	case SpotCall:
		p.calls = append(p.calls, index)
	case SpotBefore, SpotAfter:
		if i, ok := p.nodeByID[spot.Step]; ok {
			n := &p.Nodes[i]
			if step = i; spot.Kind == SpotBefore {
				n.Before = append(n.Before, index)
			} else {
				n.After = append(n.After, index)
			}
		} else {
			c.bad(w, "at", "%s", c.noStep(spot.Step))
		}
	}
	if g.Kind == "" {
		g.Kind = kindOf(&g)
	}
	if g.Kind == gate.KindInput && spot.Kind == SpotBefore && step >= 0 && c.step(step).Each != "" {
		c.bad(w, "kind", "submitted data cannot replace the list that %q works on: ask before the step "+
			"that creates the list", c.ids[step])
	}
	compiled := CompiledGate{Gate: &g, Spot: spot, Step: step, Index: index, revise: -1}
	compiled.InputSchema = c.schema(w, "input_schema", g.InputSchema)
	names := scope{where: w, node: step, gate: &compiled.Spot}
	c.compileGateNames(names, &compiled)
	c.checkGate(w, &compiled)
	compiled.revise = c.checkRevise(w, &compiled)
	p.Gates = append(p.Gates, compiled)
}

// kindOf is the default kind of a gate.
func kindOf(g *Gate) gate.Kind {
	switch {
	case len(g.Options) > 0:
		return gate.KindChoice
	case len(g.InputSchema) > 0:
		return gate.KindInput
	}
	return gate.KindApproval
}

// compileGateNames compiles when and show.
func (c *compiler) compileGateNames(s scope, g *CompiledGate) {
	subject := c.subject(g)
	s.field = "when"
	g.When = c.program(s.where, s.field, g.Gate.When)
	c.checkNames(s, g.When)
	c.checkSubject(s, subject, paths(g.When))
	c.checkGiven(s, g, subject, paths(g.When))
	if len(g.Gate.Show) > ShowMax {
		c.bad(s.where, "show", "%d fields are too many: at most %d", len(g.Gate.Show), ShowMax)
		return
	}
	for k, text := range g.Gate.Show {
		s.field = at("show", k)
		path, err := parsePath(text)
		if err != nil {
			c.bad(s.where, s.field, "%s is not a path: write one such as draft.text", quote(text))
			continue
		}
		c.checkName(s, path[0])
		c.checkSubject(s, subject, []value.Path{path})
		g.Show = append(g.Show, path)
	}
}

func paths(p *expr.Program) []value.Path {
	if p == nil {
		return nil
	}
	return p.Paths()
}

// subject is the data a gate is about, as far as schemas declare it.
func (c *compiler) subject(g *CompiledGate) data {
	switch {
	case g.Spot.Kind == SpotStart:
		return data{schema: c.workflow().Input, name: "input"}
	case g.Spot.Kind == SpotAfter && g.Step >= 0:
		return c.outputOf(g.Step)
	case g.Spot.Kind == SpotBefore && g.Step >= 0 && c.step(g.Step).Each == "":
		raw, _, who := c.inputOf(g.Step)
		return data{schema: raw, name: "input of " + who}
	}
	return data{}
}

// aside are names at gates that do not refer to a field.
var aside = []string{"input", "context", "confidence", "risk", "operation", "tool", "agent", "item", "index"}

// checkSubject warns about names that the subject does not have. A condition on such a name is never met, so
// the gate would never ask.
func (c *compiler) checkSubject(s scope, subject data, names []value.Path) {
	for _, path := range names {
		if slices.Contains(aside, path[0]) {
			continue
		}
		if _, isStep := c.plan.nodeByID[path[0]]; isStep || subject.list {
			continue
		}
		v := c.view(subject, path)
		if hint := c.absent(v); hint != "" || v.absent != "" && v.shape.closed {
			c.warn(s.where, s.field, "the schema of the %s does not mention %q%s", subject.name, v.absent, hint)
		}
	}
}

// checkGiven warns about fields in a condition that the schema does not require. If one is missing, the
// condition is false and the gate does not ask, unless the gate or the deployment says otherwise. A gate with
// if_missing: ignore says that it is meant.
func (c *compiler) checkGiven(s scope, g *CompiledGate, subject data, names []value.Path) {
	if subject.list || len(subject.schema) == 0 || s.gate.Kind == SpotBefore || g.Gate.IfMissing == MissingIgnored ||
		c.plan.Definition.AsksIfMissing(g.Gate) {
		return
	}
	var told []string
	for _, path := range names {
		if _, isStep := c.plan.nodeByID[path[0]]; isStep || slices.Contains(aside, path[0]) {
			continue
		}
		if v := c.view(subject, path); v.absent != "" && (v.shape.closed || c.absent(v) != "") {
			continue // reported by checkSubject
		}
		if name := optional(subject.schema, path); name != "" && !slices.Contains(told, name) {
			told = append(told, name)
			c.warn(s.where, s.field, "the schema of the %s does not require %q: without it this condition is not met, and "+
				"people are not asked; require it, or add if_missing: ask", subject.name, name)
		}
	}
}

// optional is the part of a path that may be missing from data of a schema, or "" if it is required. Schemas
// with alternatives are not checked.
func optional(root json.RawMessage, path value.Path) string {
	cur := root
	for n, name := range path {
		if cur = resolve(root, cur); value.KindOf(cur) != value.KindObject || referring(cur) {
			return ""
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf", "if", "enum", "const", "items", "prefixItems"} {
			if _, ok := value.Get(cur, word); ok {
				return ""
			}
		}
		if s := shapeOf(cur); !slices.Contains(s.required, name) {
			return path[:n+1].String()
		}
		next, ok := value.Get(cur, "properties", name)
		if !ok {
			return ""
		}
		cur = next
	}
	return ""
}

// checkRevise finds the step to redo after a rejection, or -1.
func (c *compiler) checkRevise(w where, g *CompiledGate) int {
	wanted := g.Gate.OnReject == gate.RejectRevises
	asked := slices.Contains(g.Gate.Acts, gate.RequestRevision)
	if g.Gate.Revise != "" {
		return c.namedRevise(w, g)
	}
	switch g.Spot.Kind {
	case SpotStart:
		if wanted {
			c.bad(w, "on_reject", "nothing has run at start that could be revised: use fail or cancel")
		} else if asked {
			c.warn(w, "acts", "nothing has run at start that could be revised: request_revision has nothing to redo")
		}
	case SpotAfter:
		return g.Step
	case SpotBefore, SpotHuman:
		if g.Step < 0 {
			return -1
		}
		needs := c.plan.Nodes[g.Step].Needs
		if len(needs) == 1 {
			return needs[0]
		}
		why := fmt.Sprintf("nothing comes before %q that could be revised", c.ids[g.Step])
		if len(needs) > 1 {
			why = fmt.Sprintf("%q comes after %d steps: name the one to repeat in `revise`", c.ids[g.Step], len(needs))
		}
		if wanted {
			c.bad(w, "on_reject", "%s", why)
		} else if asked {
			c.warn(w, "acts", "%s", why)
		}
	}
	return -1
}

func (c *compiler) namedRevise(w where, g *CompiledGate) int {
	id := g.Gate.Revise
	step, ok := c.plan.nodeByID[id]
	if !ok {
		c.bad(w, "revise", "%s", c.noStep(id))
		return -1
	}
	late := func() {
		c.bad(w, "revise", "step %q has not run at this gate (%s): name one that comes before it", id, g.Spot)
	}
	switch g.Spot.Kind {
	case SpotStart:
		c.bad(w, "revise", "nothing has run at start that could be revised: leave `revise` out")
	case SpotCall:
		c.bad(w, "revise", "a call belongs to the step that makes it, which is the one revised: leave `revise` out")
	case SpotAfter, SpotBefore, SpotHuman:
		if step == g.Step && g.Spot.Kind != SpotAfter {
			late()
		} else if step != g.Step && g.Step >= 0 {
			c.mustPrecede(step, g.Step, late)
		}
	}
	return step
}
