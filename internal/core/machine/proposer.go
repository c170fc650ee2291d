package machine

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Who proposed what: when people change an input, the agents whose results the changed fields came from learn
// from it as well.

// Proposers lists the agents whose results are proposed at a spot, by field. At calls and after steps that is
// only the agent of the approval.
func (s *State) Proposers(spot run.Spot, proposal json.RawMessage) []gate.Proposer {
	switch spot.At {
	case run.AtBefore:
		i, _ := s.plan.Step(spot.Step)
		k, st := spot.Element(), s.Steps[i]
		if st.Input != nil || k >= 0 && k < len(st.Tasks) && st.Tasks[k].Input != nil {
			return nil // as people edited it
		}
		if with := s.plan.Nodes[i].With; with != nil {
			return s.mappedBy(with, i, k)
		}
		return s.contextBy(i, k, proposal)
	case run.AtEnd:
		if s.Output == nil {
			return s.outputBy()
		}
	}
	return nil
}

// mappedBy is proposers where step i (element k, or -1) has a mapping.
func (s *State) mappedBy(with []plan.Assign, i, k int) (out []gate.Proposer) {
	for _, w := range with {
		if w.Source.Literal == nil && !slices.Contains(s.Steps[i].Given, w.Target) {
			out = s.credit(out, w.Target, s.originsOf(nil, i, k, w.Source.Path))
		}
	}
	return out
}

// contextBy is proposers where step i (element k, or -1) gets the context.
func (s *State) contextBy(i, k int, proposal json.RawMessage) (out []gate.Proposer) {
	if k < 0 && s.IsMap(i) {
		proposal = firstOf(proposal) // the members of all are the same
	}
	for field := range value.Members(proposal) {
		if slices.Contains(s.Steps[i].Given, field) {
			continue
		}
		path := value.Path{"context", field}
		if s.IsMap(i) && (field == "item" || field == "index") {
			path = value.Path{field}
		}
		out = s.credit(out, field, s.originsOf(nil, i, k, path))
	}
	return out
}

// outputBy is proposers for the output of the run.
func (s *State) outputBy() (out []gate.Proposer) {
	from := func(a int) []origin {
		if s.Steps[a].Status != run.DoneStep {
			return nil
		}
		return []origin{{a, -1}}
	}
	if s.plan.Output == nil {
		last := s.plan.Last()
		for _, a := range last {
			field := s.plan.Nodes[a].Step.ID
			if len(last) == 1 {
				field = "" // its result is the output
			}
			out = s.credit(out, field, from(a))
		}
		return out
	}
	for _, w := range s.plan.Output {
		path := w.Source.Path
		if w.Source.Literal != nil {
			continue
		}
		if a, ok := s.plan.Step(path[0]); ok {
			out = s.credit(out, w.Target, from(a))
		} else if path[0] == "context" && len(path) > 1 {
			if _, a, ok := s.contextFind(-1, path[1]); ok && a != given {
				out = s.credit(out, w.Target, from(a))
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

// credit records whose result a field is; "" is the whole proposal.
func (s *State) credit(out []gate.Proposer, field string, from []origin) []gate.Proposer {
	for _, o := range from {
		if o.step < 0 {
			continue
		}
		step, by := s.plan.Nodes[o.step].Step, s.Acting(o.step, o.element)
		if step.Agent == "" || s.edited(o.step) {
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

// AgentOf returns the performer of a step: an agent, a tool, another workflow, or only the run itself.
func (s *State) AgentOf(i int) run.Actor {
	n := &s.plan.Nodes[i]
	switch {
	case n.Step.Performer() != "":
		return run.Actor{Kind: run.Agent, Name: n.Step.Performer()}
	case n.Step.Workflow != "":
		return run.Actor{Kind: run.Agent, Name: "workflow:" + n.Step.Workflow}
	}
	return run.Actor{Kind: run.System}
}

// Acting returns who works on a task: after a hand-off, the new agent. For a step as a whole (k < 0) it is
// the one working on its only task.
func (s *State) Acting(i, k int) run.Actor {
	if tasks := s.Steps[i].Tasks; (k >= 0 || !s.IsMap(i)) && max(k, 0) < len(tasks) && tasks[max(k, 0)].Loop != nil {
		return run.Actor{Kind: run.Agent, Name: tasks[max(k, 0)].Loop.Agent}
	}
	return s.AgentOf(i)
}
