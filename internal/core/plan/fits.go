package plan

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// dataOf returns what a name refers to within step i.
func (c *compiler) dataOf(i int, name string) data {
	switch name {
	case "input":
		return data{schema: c.workflow().Input, name: "input"}
	case "index":
		return data{schema: json.RawMessage(`{"type":"integer"}`), name: "index"}
	case "item":
		each := c.plan.Nodes[i].Each
		if len(each) == 0 || each[0] == "item" {
			return data{}
		}
		items, _ := value.Get(c.view(c.dataOf(i, each[0]), each[1:]).schema, "items")
		return data{schema: items, name: "item of " + c.plan.Definition.Workflow.Steps[i].Each}
	}
	if j, ok := c.plan.nodeByID[name]; ok {
		return c.outputOf(j)
	}
	return data{}
}

// outputOf returns a step's output schema, as far as its agent declares one.
func (c *compiler) outputOf(j int) data {
	step := c.step(j)
	facts := c.plan.agents[step.Performer()]
	if facts == nil || facts.out == nil {
		return data{}
	}
	return data{schema: facts.agent.Output, list: step.Each != "", name: "output of " + step.Performer()}
}

// inputOf returns a step's input schema, as far as its agent or sub-workflow declares one.
func (c *compiler) inputOf(i int) (raw json.RawMessage, s shape, who string) {
	step := c.step(i)
	if facts := c.plan.agents[step.Performer()]; facts != nil && facts.in != nil {
		who = "agent " + step.Agent
		if step.Tool != "" {
			who = "tool " + step.Tool
		}
		return facts.agent.Input, facts.shape, who
	}
	if sub, ok := c.plan.Definition.Workflows[step.Workflow]; ok && len(sub.Input) > 0 {
		if _, known := c.shapes[step.Workflow]; !known {
			c.shapes[step.Workflow] = shapeOf(sub.Input)
		}
		return sub.Input, c.shapes[step.Workflow], "workflow " + step.Workflow
	}
	return nil, shape{}, ""
}

// checkInput compares the data a step gets with its input schema.
func (c *compiler) checkInput(i int) {
	n := &c.plan.Nodes[i]
	c.checkEach(i)
	if n.With == nil {
		c.checkContext(i)
		return
	}
	raw, takes, who := c.inputOf(i)
	given := map[string]bool{}
	for _, a := range n.With {
		given[a.Target] = true
		c.checkAssign(i, a, raw, takes, who)
	}
	if raw == nil || len(n.With) != len(c.step(i).With) {
		return // a line that could not be parsed is not missing
	}
	for _, name := range takes.required {
		if !given[name] && !slices.Contains(c.lacks[c.step(i).ID], name) {
			c.bad(c.atStep(i), "with", "%s requires %q: map something to it", who, name)
		}
	}
}

// checkEach rejects a map over data that is certainly not a list.
func (c *compiler) checkEach(i int) {
	each := c.plan.Nodes[i].Each
	if len(each) == 0 {
		return
	}
	from := c.dataOf(i, each[0])
	sub := c.checkPath(c.atStep(i), "each", from, each)
	if sub == nil {
		return
	}
	if why := firstMisfit(sub, json.RawMessage(`{"type":"array"}`)); why != "" {
		c.bad(c.atStep(i), "each", "%s is not a list: %s", each, why)
	}
}

// checkPath reports a field that its source's schema does not have, if that is certain or looks like a typo.
func (c *compiler) checkPath(w where, field string, from data, path value.Path) json.RawMessage {
	v := c.view(from, path[1:])
	hint := c.absent(v)
	switch {
	case v.absent != "" && v.shape.closed:
		c.bad(w, field, "%s has no field %q%s", path[0], v.absent, hint)
	case hint != "":
		c.warn(w, field, "the schema of %s does not mention %q%s", path[0], v.absent, hint)
	}
	return v.schema
}

// absent suggests an existing field in place of a missing one.
func (c *compiler) absent(v view) string {
	if v.absent == "" {
		return ""
	}
	return c.didYouMean(v.absent, v.shape.names())
}

func (c *compiler) checkAssign(i int, a Assign, raw json.RawMessage, takes shape, who string) {
	w, field := c.atStep(i), "with."+clip(a.Target)
	var from data
	var sub json.RawMessage
	if a.Source.Path != nil {
		from = c.dataOf(i, a.Source.Path[0])
		sub = c.checkPath(w, field, from, a.Source.Path)
	}
	if raw == nil {
		return
	}
	want, ok := takes.properties[a.Target]
	if !ok {
		if takes.closed {
			c.bad(w, field, "%s takes no %q%s", who, a.Target, c.didYouMean(a.Target, takes.names()))
		}
		return
	}
	if want = resolve(raw, want); want == nil || referring(want) {
		return
	}
	if a.Source.Literal != nil {
		c.checkLiteral(w, field, a, want, who)
		return
	}
	if sub == nil {
		return
	}
	key := fitKey{from.key(), a.Source.Path[1:].String(), who, a.Target}
	why, known := c.fits[key]
	if !known && c.spend(len(sub)+len(want)+1_000) {
		why = firstMisfit(sub, want)
		c.fits[key] = why
	}
	if why != "" {
		c.bad(w, field, "%s does not match %q of %s: %s", a.Source.Path, a.Target, who, why)
	}
}

func (c *compiler) checkLiteral(w where, field string, a Assign, want json.RawMessage, who string) {
	s, err := c.compileSchema(want)
	if err != nil || !c.spend(len(want)+len(a.Source.Literal)) {
		return // an invalid schema is reported where it is defined
	}
	for _, p := range s.Validate(a.Source.Literal) {
		c.bad(w, field, "%s does not match %q of %s: %s", clip(string(a.Source.Literal)), a.Target, who, p)
	}
}

// checkContext compares a step that gets the whole context with the single step before it. That step's fields
// are merged last, so a field that both declare with incompatible types is certain to be rejected.
func (c *compiler) checkContext(i int) {
	n := &c.plan.Nodes[i]
	raw, takes, who := c.inputOf(i)
	if raw == nil || len(n.Needs) != 1 || c.step(i).Each != "" {
		return
	}
	from := c.outputOf(n.Needs[0])
	if len(from.schema) == 0 || from.list {
		return
	}
	key := fitKey{from: from.name, to: who}
	clashes, known := c.clashes[key]
	if !known {
		clashes = clashesOf(from, raw, takes)
		c.clashes[key] = clashes
	}
	for _, x := range clashes {
		c.bad(c.atStep(i), "needs", "%s.%s does not match %q of %s: %s: map it with `with`", c.ids[n.Needs[0]],
			x.name, x.name, who, x.why)
	}
}

// clash is a property whose two declarations are incompatible.
type clash struct{ name, why string }

func clashesOf(from data, raw json.RawMessage, takes shape) (out []clash) {
	for _, name := range takes.names() {
		have, want := from.at([]string{name}).schema, resolve(raw, takes.properties[name])
		if have == nil || want == nil || referring(want) {
			continue
		}
		if why := firstMisfit(have, want); why != "" {
			out = append(out, clash{name, why})
		}
	}
	return out
}

// firstMisfit explains why data of one schema cannot match the other.
func firstMisfit(from, to json.RawMessage) string {
	for _, p := range schema.Fits(from, to) {
		if !p.Warning {
			return p.String()
		}
	}
	return ""
}
