package engine

import (
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// count adds the work of an event that is applied: the agent whose work it is, and what the run had spent before it.
func (p *Projector) count(e run.Event, agent string, before run.Usage) {
	w := port.Worked{Seq: e.Seq, Agent: agent, At: e.At, Usage: spentBy(p.s).Since(before)}
	switch e.Fact.(type) {
	case *run.RunForked:
		p.worked = nil // earlier events are another run's history, and count there
		return
	case *run.StepCompleted:
		w.Steps = 1
	case *run.StepFailed:
		w.Steps, w.Failed = 1, 1
	}
	if agent != "" && !p.s.Started.TestMode && (w.Steps > 0 || w.Usage != (run.Usage{})) {
		p.worked = append(p.worked, w)
	}
}

// spentBy is what the agents of a run have spent, including results of steps that ran ahead in vain.
func spentBy(s *machine.State) run.Usage { return s.Usage.Add(s.AheadCost) }

// workerOf is the agent whose work a fact is, in the state before it; empty: it is not the work of an agent. The work
// of a sub-run counts there, and a step that calls a tool has no agent.
func workerOf(s *machine.State, f run.Fact) string {
	switch f := f.(type) {
	case *run.TurnCompleted:
		return agentNamed(f.Agent)
	case *run.TurnRetrying:
		return performer(s, f.Step, f.Index)
	case *run.CallRetrying:
		return caller(s, f.Step, f.Index, f.No)
	case *run.CallInputNeeded:
		return caller(s, f.Step, f.Index, f.No)
	case *run.CallCompleted:
		return caller(s, f.Step, f.Index, f.No)
	case *run.StepReturned:
		return performer(s, f.Step, f.Index)
	case *run.StepRetrying:
		return performer(s, f.Step, f.Index)
	case *run.ElementCompleted:
		return performer(s, f.Step, &f.Index)
	case *run.StepCompleted:
		return performer(s, f.Step, nil)
	case *run.StepFailed:
		return performer(s, f.Step, f.Error.Index)
	case *run.SpeculationDiscarded:
		return performer(s, f.Step, nil)
	case *run.ConsultRetrying, *run.ConsultRead, *run.ConsultAnswered:
		return agentNamed(s.Adviser())
	}
	return ""
}

// performer is the agent at work on a step, or on an element of a map: after a hand-off, the one that took over.
func performer(s *machine.State, step string, index *int) string {
	i, ok := s.Plan().Step(step)
	if !ok {
		return ""
	}
	if t := taskOf(s, i, index); t != nil && t.Loop != nil {
		return agentNamed(t.Loop.Agent)
	}
	return agentNamed(s.Plan().Nodes[i].Step.Performer())
}

// caller is the agent that requested a call of a tool.
func caller(s *machine.State, step string, index *int, no int) string {
	if i, ok := s.Plan().Step(step); ok {
		if t := taskOf(s, i, index); t != nil && t.Loop != nil {
			if c := t.Loop.Call(no); c != nil {
				return agentNamed(c.Agent)
			}
		}
	}
	return performer(s, step, index)
}

func taskOf(s *machine.State, i int, index *int) *machine.Task {
	k := 0
	if index != nil {
		k = *index
	} else if s.IsMap(i) {
		return nil // the step as a whole is not the work of the agent of one element
	}
	if tasks := s.Steps[i].Tasks; k >= 0 && k < len(tasks) {
		return tasks[k]
	}
	return nil
}

// agentNamed leaves out the performers of steps that call a tool.
func agentNamed(name string) string {
	if _, tool := plan.CalledBy(name); tool {
		return ""
	}
	return name
}
