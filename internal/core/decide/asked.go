package decide

import (
	"cmp"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Default approvers, for approvals that neither a gate nor a rule assigns: calls, low confidence, limits,
// milestones, decision points, questions by agents, and rules without a role.

// termsFor completes a gate's terms with the default approvers: those of the agents at the spot, else of the
// workflow, else the deployment's default role.
func (d *draft) termsFor(g plan.Gate, spot run.Spot) gate.Terms {
	if g.Role != "" || len(g.Roles) > 0 || len(g.Assignees) > 0 {
		return d.terms(&g, spot)
	}
	ask := d.askAt(spot)
	if g.Timeout == nil {
		g.Timeout = ask.Timeout
	}
	if d.Plan().Definition.Workflow.OwnerOnly && d.owner() != "" && g.Quorum <= 1 {
		return d.terms(&g, spot) // the owner is asked
	}
	if g.Role, g.Assignees = ask.Role, ask.People; ask.Role == "" && len(ask.People) == 0 && !mutant.Is(mutant.NoRole) {
		g.Role = d.Plan().Definition.DefaultRole
	}
	if g.Kind != gate.KindInput { // one person submits
		g.Quorum = max(g.Quorum, ask.Quorum)
	}
	t := d.terms(&g, spot)
	t.Private = t.Role != "" || len(t.Assignees) > 0
	return t
}

// askAt returns the default approvers that the documents define at a spot. Of several agents, the first in
// the conversation counts, and the largest quorum.
func (d *draft) askAt(spot run.Spot) plan.Ask {
	def := d.Plan().Definition
	var found *plan.Ask
	quorum := 0
	for _, name := range d.agentsAt(spot) {
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
func (d *draft) agentsAt(spot run.Spot) []string {
	i, ok := d.Plan().Step(spot.Step)
	if !ok {
		return nil
	}
	if c := d.CallAt(spot); c != nil && spot.At == run.AtCall {
		return append(slices.Clone(c.Under), c.Agent)
	}
	if l := d.LoopAt(spot); l != nil {
		return append(slices.Clone(l.Under), l.Agent)
	}
	return []string{d.Plan().Nodes[i].Step.Performer()}
}
