package asking

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

const (
	remindDefault = 24 * time.Hour
	pauseDefault  = 72 * time.Hour
)

// defaultOnReject is the default effect of a rejection.
var defaultOnReject = map[run.SpotAt]gate.OnReject{
	run.AtStart: gate.RejectCancels, run.AtBefore: gate.RejectFails, run.AtAfter: gate.RejectFails,
	run.AtCall: gate.RejectTells, run.AtEnd: gate.RejectRevises, run.AtLayer: gate.RejectCancels,
	run.AtLimit: gate.RejectFails, run.AtReplan: gate.RejectTells,
}

// terms turns a gate's settings into who, how many, by when.
func (s Situation) terms(g *plan.Gate, spot run.Spot) gate.Terms {
	t := gate.Terms{
		Role: g.Role, Roles: g.Roles, Assignees: g.Assignees, Quorum: max(g.Quorum, 1), Requester: s.Requester,
		Acts: g.Acts, OnReject: g.OnReject, Revise: g.Revise, Notify: g.Notify, Remind: quantity.Or(g.Remind, remindDefault),
	}
	people := 0
	for _, c := range g.Roles {
		people += c
	}
	several := max(t.Quorum, people) >= 2
	t.ExcludeRequester = g.Requester == "excluded" || g.Requester == "" && several
	if s.Plan().Definition.Workflow.OwnerOnly {
		t.OnlyOwner = s.Requester
	}
	if t.OnReject == "" {
		t.OnReject = defaultOnReject[spot.At]
		if s.OnlyCallAt(spot) {
			t.OnReject = gate.RejectFails // no agent could try anything else
		}
	}
	if p := quantity.Or(g.PauseAfter, pauseDefault); p > 0 {
		t.PauseAt = s.Now.Add(p)
	}
	if g.Timeout != nil && g.Timeout.After > 0 {
		t.Deadline, t.Then, t.Default = s.Now.Add(g.Timeout.After.Std()), g.Timeout.Then, g.Timeout.Default
		if t.Then.Proceeds() && !g.Timeout.Irreversible && s.reversibleBy(spot) == plan.ReversibleNone &&
			!mutant.Is(mutant.SilenceSparesNone) {
			t.Then = gate.ThenPause // a timeout does not approve irreversible actions
		}
	}
	for _, e := range g.Escalate {
		t.Escalate = append(t.Escalate, gate.Rung{At: s.Now.Add(e.After.Std()), To: e.To})
	}
	if t.Acts == nil {
		t.Acts = defaultActs(g, spot)
	}
	return t
}

func defaultActs(g *plan.Gate, spot run.Spot) []gate.Act {
	var acts []gate.Act
	switch g.Kind {
	case gate.KindChoice:
		acts = []gate.Act{gate.Choose, gate.Reject}
	case gate.KindInput:
		acts = []gate.Act{gate.Submit, gate.Reject}
	default:
		acts = []gate.Act{gate.Approve, gate.Modify, gate.Reject}
	}
	if spot.At == run.AtEnd {
		acts = append(acts, gate.RequestRevision)
	}
	if len(g.Escalate) > 0 || g.Kind == gate.KindEscalation {
		acts = append(acts, gate.Escalate)
	}
	return append(acts, gate.Delegate)
}

// reversibleBy is what undoes the action at a spot: none if it is irreversible, empty if that is unknown or
// there is no action.
func (s Situation) reversibleBy(spot run.Spot) string {
	switch spot.At {
	case run.AtCall:
		if c := s.CallAt(spot); c != nil {
			return c.Call.Spec.ReversibleBy
		}
	case run.AtBefore:
		if i, ok := s.Plan().Step(spot.Step); ok {
			return s.Plan().Nodes[i].Step.ReversibleBy
		}
	}
	return ""
}

// Default approvers, for approvals that neither a gate nor a rule assigns: calls, low confidence, limits,
// milestones, decision points, questions by agents, and rules without a role.

// termsFor completes a gate's terms with the default approvers: those of the agents at the spot, else of the
// workflow, else the deployment's default role.
func (s Situation) termsFor(g plan.Gate, spot run.Spot) gate.Terms {
	if g.Role != "" || len(g.Roles) > 0 || len(g.Assignees) > 0 {
		return s.terms(&g, spot)
	}
	ask := s.AskAt(spot)
	if g.Timeout == nil {
		g.Timeout = ask.Timeout
	}
	if s.Plan().Definition.Workflow.OwnerOnly && s.Requester != "" && g.Quorum <= 1 {
		return s.terms(&g, spot) // the owner is asked
	}
	if g.Role, g.Assignees = ask.Role, ask.People; ask.Role == "" && len(ask.People) == 0 && !mutant.Is(mutant.NoRole) {
		g.Role = s.Plan().Definition.DefaultRole
	}
	if g.Kind != gate.KindInput { // one person submits
		g.Quorum = max(g.Quorum, ask.Quorum)
	}
	t := s.terms(&g, spot)
	t.Private = t.Role != "" || len(t.Assignees) > 0
	return t
}
