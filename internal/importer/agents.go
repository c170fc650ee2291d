package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

const agentsFile = "agents.yaml"

// stub is a placeholder for an agent: the files name agents, but not how to reach them. It fails with a message that
// tells what to do, because an agent that invents an answer would be worse.
type stub struct {
	definition.Agent
	outputAt place
}

// stub adds an agent of this name unless it exists.
func (im *imported) stub(name string, e entry) *stub {
	if s := im.stubs[name]; s != nil {
		return s
	}
	s := &stub{}
	s.Name, s.Kind = name, plan.AgentScripted
	s.Description = "Placeholder for an agent that you have to define"
	s.Scripted = &definition.Scripted{Answers: []definition.Answer{{
		Fail: fmt.Sprintf("replace this agent: the imported file %s does not specify how to reach it",
			printable(path.Base(e.at.file))),
	}}}
	im.stubs[name] = s
	im.stubOrder = append(im.stubOrder, name)
	im.notes.defaulted(e.at, target{agentsFile, "agent " + name},
		"the source does not specify how to reach the agent: replace this placeholder, which always fails")
	return s
}

// agents reads the list of agents, as names or as in specification 000.
func (f *flow) agents() {
	items, whole, ok := f.doc.list("agents")
	if !ok {
		return
	}
	f.im.notes.mapped(whole.at, f.to.in("steps"), "one after the other")
	for _, e := range inOrder(items) {
		to := f.to.in(fmt.Sprintf("steps[%d]", len(f.Steps)))
		var o *object
		id := e.node.Text
		switch e.node.Kind {
		case tree.Text:
		case tree.Map:
			o = f.doc.within(e)
			var there bool
			if id, e, there = o.need("agent_id", "which agent is it?"); !there {
				continue
			}
		default:
			id = ""
		}
		if id == "" {
			f.im.notes.bad(e.at, "expected the name of an agent or a mapping with agent_id, got %s",
				kindWord(e.node))
			continue
		}
		name := f.im.agentNames.name(&f.im.notes, e, id)
		if _, twice := f.stepOf[name]; twice {
			f.im.notes.bad(e.at, "the agent %q is listed twice: a checkpoint after it would not know which is meant", clip(id))
			continue
		}
		step := f.addStep(e, name, to)
		if o != nil {
			f.agentConfig(o, step, to)
		}
	}
}

// inOrder sorts agents by `order`, if they have one.
func inOrder(items []entry) []entry {
	place := func(e entry) int {
		if n := e.node.Get("order"); n != nil && n.Kind == tree.Number {
			if i, err := strconv.Atoi(n.Text); err == nil {
				return i
			}
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b entry) int { return cmp.Compare(place(a), place(b)) })
}

// agentConfig reads the settings of an agent in a workflow, as in specification 000.
func (f *flow) agentConfig(o *object, step *plan.Step, to target) {
	n := &f.im.notes
	s := f.im.stubs[step.Agent]
	inAgent := target{agentsFile, "agent " + step.Agent + ": "}
	for _, key := range []string{"agent_name", "name", "description"} {
		if text, e, ok := o.text(key); ok {
			s.Description = text
			n.mapped(e.at, inAgent.in("description"), "")
		}
	}
	if e, ok := o.of("order", tree.Number); ok {
		n.mapped(e.at, to, "steps are in this order")
	}
	if m, ok := o.object("input_mapping"); ok {
		f.inputMapping(m, step, to)
	}
	if e, ok := o.of("output_schema", tree.Map); ok {
		raw := e.node.JSON()
		switch {
		case s.Output == nil:
			s.Output, s.outputAt = raw, e.at
			n.mapped(e.at, inAgent.in("output"), "")
		case !bytes.Equal(s.Output, raw):
			n.dropped(e.at, "the agent has another output_schema in %s", s.outputAt)
		}
	}
	if d, e, ok := o.seconds("timeout_seconds"); ok {
		step.Timeout = &d
		n.mapped(e.at, to.in("timeout"), "")
	}
	f.retries(o, step, to)
	o.rest()
}

// inputMapping reads target: source, where a source is a field of the context.
func (f *flow) inputMapping(m *object, step *plan.Step, to target) {
	for _, member := range m.node.Members {
		source, e, ok := m.text(member.Key)
		if !ok {
			continue
		}
		from := "context." + source
		if p, err := value.ParsePath(from); err != nil || len(p) != 2 {
			from = "context[" + string(value.Quote(source)) + "]"
		}
		step.With = append(step.With, plan.Field{Target: member.Key, Source: from})
		f.im.notes.mapped(e.at, to.in("with"), "%s", clip(from))
	}
}

// retries: max_retries does not count the first try, ours counts all tries.
func (f *flow) retries(o *object, step *plan.Step, to target) {
	n := &f.im.notes
	again, on, said := o.flag("retry_on_failure")
	e, counted := o.of("max_retries", tree.Number)
	count := 0
	if counted {
		var err error
		if count, err = strconv.Atoi(e.node.Text); err != nil || count < 0 || count >= plan.RetryMax {
			n.bad(e.at, "%s is not a number of retries from 0 to %d", clip(e.node.Text), plan.RetryMax-1)
			return
		}
	}
	switch {
	case said && !again:
		step.Retry = &plan.Retry{Max: 1}
		n.mapped(on.at, to.in("retry.max"), "")
		if count > 0 {
			n.dropped(e.at, "retry_on_failure is false")
		}
	case counted:
		step.Retry = &plan.Retry{Max: count + 1}
		n.mapped(e.at, to.in("retry.max"), "max counts all tries")
		if said {
			n.mapped(on.at, to.in("retry.max"), "")
		}
	case said:
		n.defaulted(on.at, to.in("retry"), "no max_retries: three tries, the default")
	}
}

// agentDocuments are the placeholders, in the order they were named.
func (im *imported) agentDocuments() []definition.Document {
	var out []definition.Document
	for _, name := range im.stubOrder {
		out = append(out, &im.stubs[name].Agent)
	}
	return out
}
