// Package asking knows who is asked about the steps of a run, and on which terms:
//
//	for _, a := range asking.About(state, requester, now, i) { … } // what people have to answer about step i
//
// It reads the state and changes nothing.
package asking

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
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

// Terms turns a gate's settings into who, how many, by when.
func Terms(s *machine.State, requester string, now time.Time, g *plan.Gate, spot run.Spot) gate.Terms {
	t := gate.Terms{
		Role: g.Role, Roles: g.Roles, Assignees: g.Assignees, Quorum: max(g.Quorum, 1), Requester: requester,
		Acts: g.Acts, OnReject: g.OnReject, Revise: g.Revise, Notify: g.Notify, Remind: quantity.Or(g.Remind, remindDefault),
	}
	people := 0
	for _, c := range g.Roles {
		people += c
	}
	several := max(t.Quorum, people) >= 2
	t.ExcludeRequester = g.Requester == "excluded" || g.Requester == "" && several
	if s.Plan().Definition.Workflow.OwnerOnly {
		t.OnlyOwner = requester
	}
	if t.OnReject == "" {
		t.OnReject = defaultOnReject[spot.At]
		if s.OnlyCallAt(spot) {
			t.OnReject = gate.RejectFails // no agent could try anything else
		}
	}
	if p := quantity.Or(g.PauseAfter, pauseDefault); p > 0 {
		t.PauseAt = now.Add(p)
	}
	if g.Timeout != nil && g.Timeout.After > 0 {
		t.Deadline, t.Then, t.Default = now.Add(g.Timeout.After.Std()), g.Timeout.Then, g.Timeout.Default
		if t.Then.Proceeds() && !g.Timeout.Irreversible && ReversibleBy(s, spot) == plan.ReversibleNone &&
			!mutant.Is(mutant.SilenceSparesNone) {
			t.Then = gate.ThenPause // a timeout does not approve irreversible actions
		}
	}
	for _, e := range g.Escalate {
		t.Escalate = append(t.Escalate, gate.Rung{At: now.Add(e.After.Std()), To: e.To})
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

// ReversibleBy is what undoes the action at a spot: none if it is irreversible, empty if that is unknown or
// there is no action.
func ReversibleBy(s *machine.State, spot run.Spot) string {
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

// SpotAt is where a gate asks: before a step of people, the step itself.
func SpotAt(k plan.SpotKind) run.SpotAt {
	if k == plan.SpotHuman {
		return run.AtBefore
	}
	return run.SpotAt(k)
}

// About lists what people have to answer about a step that has not started: pending approvals, itself
// if it is theirs, and its gates. Whether the condition of a gate will hold is not known yet.
func About(s *machine.State, requester string, now time.Time, i int) (out []*gate.Approval) {
	n, st := &s.Plan().Nodes[i], s.Steps[i]
	passed := map[string]bool{}
	if st.Before != nil {
		for _, g := range n.Before { // those that do not ask
			passed[s.Plan().Gates[g].Gate.ID] = true
		}
		for _, ask := range st.Before.Asks {
			a := s.Approvals[ask.Approval]
			if passed[ask.Want] = true; ask.Pending {
				out = append(out, a)
			} else if theirs := n.Human >= 0 && ask.Want == s.Plan().Gates[n.Human].Gate.ID; theirs ||
				ask.Accepted != st.Before.Content { // the answer to a step of people is its result, which would be dropped
				out = append(out, gate.Open(a.Request, now))
			}
		}
	}
	gates := append(append([]int{}, n.Before...), n.After...)
	if n.Human >= 0 {
		gates = append(gates, n.Human)
	}
	for _, k := range gates {
		if g := s.Plan().Gates[k].Gate; !passed[g.ID] {
			spot := run.Spot{At: SpotAt(s.Plan().Gates[k].Spot.Kind), Step: n.Step.ID}
			out = append(out, gate.Open(gate.Request{ID: "gate " + g.ID, Gate: g.ID, Kind: g.Kind, Options: g.Options,
				Step: n.Step.ID, Terms: Terms(s, requester, now, g, spot)}, now))
		}
	}
	return out
}
