package decide

import (
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
	ask := d.AskAt(spot)
	if g.Timeout == nil {
		g.Timeout = ask.Timeout
	}
	if d.Plan().Definition.Workflow.OwnerOnly && d.requester() != "" && g.Quorum <= 1 {
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
