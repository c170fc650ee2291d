package run

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
)

// Who proposed what: people's changes to an input teach the agents whose results
// the changed fields were, too.

// proposers lists the agents whose results are proposed at a spot, by field. At
// calls and after steps that is the agent of the approval alone.
func (d *draft) proposers(spot Spot, proposal json.RawMessage) []gate.Proposer {
	switch spot.At {
	case AtBefore:
		i, _ := d.plan.Step(spot.Step)
		k, st := indexOf(spot.Index), d.Steps[i]
		if st.Input != nil || k >= 0 && k < len(st.Tasks) && st.Tasks[k].Input != nil {
			return nil // as people wrote it
		}
		if with := d.plan.Nodes[i].With; with != nil {
			return d.mappedBy(with, i, k)
		}
		return d.contextBy(i, k, proposal)
	case AtEnd:
		if d.Output == nil {
			return d.outputBy()
		}
	}
	return nil
}

// mappedBy is proposers where step i (element k, or -1) has a mapping.
func (d *draft) mappedBy(with []plan.Assign, i, k int) (out []gate.Proposer) {
	for _, w := range with {
		if w.Source.Literal == nil && !slices.Contains(d.Steps[i].Given, w.Target) {
			out = d.credit(out, w.Target, d.originsOf(nil, i, k, w.Source.Path))
		}
	}
	return out
}

// contextBy is proposers where step i (element k, or -1) gets the context.
func (d *draft) contextBy(i, k int, proposal json.RawMessage) (out []gate.Proposer) {
	if k < 0 && d.isMap(i) {
		proposal = firstOf(proposal) // the members of all are the same
	}
	for field := range value.Members(proposal) {
		if slices.Contains(d.Steps[i].Given, field) {
			continue
		}
		path := value.Path{"context", field}
		if d.isMap(i) && (field == "item" || field == "index") {
			path = value.Path{field}
		}
		out = d.credit(out, field, d.originsOf(nil, i, k, path))
	}
	return out
}

// outputBy is proposers for the output of the run.
func (d *draft) outputBy() (out []gate.Proposer) {
	from := func(a int) []origin {
		if d.Steps[a].Status != DoneStep {
			return nil
		}
		return []origin{{a, -1}}
	}
	if d.plan.Output == nil {
		last := d.plan.Last()
		for _, a := range last {
			field := d.id(a)
			if len(last) == 1 {
				field = "" // its result is the output
			}
			out = d.credit(out, field, from(a))
		}
		return out
	}
	for _, w := range d.plan.Output {
		path := w.Source.Path
		if w.Source.Literal != nil {
			continue
		}
		if a, ok := d.plan.Step(path[0]); ok {
			out = d.credit(out, w.Target, from(a))
		} else if path[0] == "context" && len(path) > 1 {
			if _, a, ok := d.contextFind(-1, path[1]); ok && a != given {
				out = d.credit(out, w.Target, from(a))
			}
		}
	}
	return out
}

func firstOf(list json.RawMessage) json.RawMessage {
	if all := value.Elements(list); len(all) > 0 {
		return all[0]
	}
	return nil
}

// credit notes whose results a field is; "" is all of what is proposed.
func (d *draft) credit(out []gate.Proposer, field string, from []origin) []gate.Proposer {
	for _, o := range from {
		step, by := d.plan.Nodes[o.step].Step, d.acting(o.step, o.element)
		if step.Agent == "" || d.edited(o.step) {
			continue // a person's, another workflow's, or set in a fork
		}
		n := slices.IndexFunc(out, func(p gate.Proposer) bool { return p.Step == step.ID && p.Agent == by.Name })
		if n < 0 {
			n = len(out)
			out = append(out, gate.Proposer{Step: step.ID, Agent: by.Name, Operation: step.Operation})
		}
		if field != "" && !slices.Contains(out[n].Fields, field) {
			out[n].Fields = append(out[n].Fields, field)
		}
	}
	return out
}
