package machine

import (
	"cmp"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// AskAt returns the default approvers that the documents define at a spot. Of several agents, the first in
// the conversation counts, and the largest quorum.
func (s *State) AskAt(spot run.Spot) plan.Ask {
	def := s.plan.Definition
	var found *plan.Ask
	quorum := 0
	for _, name := range s.agentsAt(spot) {
		if a := def.Agents[name].Ask; a != nil {
			found = cmp.Or(found, a)
			quorum = max(quorum, a.Quorum)
		}
	}
	if found = cmp.Or(found, def.Workflow.Ask); found == nil {
		return plan.Ask{}
	}
	ask := *found
	ask.Quorum = max(ask.Quorum, quorum)
	return ask
}

// agentsAt lists the agents whose work a spot covers, oldest first.
func (s *State) agentsAt(spot run.Spot) []string {
	i, ok := s.plan.Step(spot.Step)
	if !ok {
		return nil
	}
	if c := s.CallAt(spot); c != nil && spot.At == run.AtCall {
		return append(slices.Clone(c.Under), c.Agent)
	}
	if l := s.LoopAt(spot); l != nil {
		return append(slices.Clone(l.Under), l.Agent)
	}
	return []string{s.plan.Nodes[i].Step.Performer()}
}
