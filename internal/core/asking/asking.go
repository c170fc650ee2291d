// Package asking knows what a run has to ask people, whom, and on which terms:
//
//	now := asking.Situation{State: state, Now: now, Judge: policy, Requester: "ann"}
//	r := now.Before(i, nil)  // what step i needs before it runs: gates, rules, people's own steps
//	r.Denied                 // the policy forbids it
//	for _, w := range r.Wants {
//		w.Request        // what people are shown, who may answer, and by when
//		w.Auto           // the rule that answers in their place
//	}
//
// Gates, rules of the policy, the autonomy of agents, low confidence, limits, decision points and questions of agents
// and tools each want an approval. Once people have answered, OnceMore lists what is required by then: an answer
// counts only for the content that was shown, and under the policy in force.
//
// It reads the state and changes nothing. Package decide opens the approvals.
package asking

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// Judge is the policy in force. A verdict is recorded and not requested again for the same subject.
type Judge interface {
	Judge(now time.Time, s policy.Subject) policy.Verdict
}

// Situation is a run at a point in time, and what surrounds it.
type Situation struct {
	*machine.State
	Now       time.Time
	Judge     Judge // nil: no policy
	Stopped   bool  // the emergency stop is on
	Requester string
	// Elsewhere returns the totals of other runs, if known; nil: unknown.
	Elsewhere func(run.Elsewhere) (tallies []run.Tally, known bool)
	// Decided are events that are not stored yet: the store has not counted their uses of rules.
	Decided []run.Event

	granted string // the rule that already approved the subject the policy is asked about again
}

// Want is one reason to ask people at a spot, with the prepared request.
type Want struct {
	ID      string
	Request gate.Request
	Auto    *policy.Verdict // set when the policy decides in place of people
	Firm    bool            // people are asked, whatever the policy would decide
}

// Required is what a spot requires.
type Required struct {
	Wants    []Want
	Denied   *run.Failure  // the policy forbids it; then there are no wants
	Warnings []run.Warning // gates that were skipped because their condition names a missing field
}

// CodeDenied is the code of failures that the policy causes.
const CodeDenied = "denied"

func denied(v policy.Verdict) Required {
	return Required{Denied: &run.Failure{Code: CodeDenied, Message: v.Deny}}
}

// add appends a want.
func (r *Required) add(w Want) { r.Wants = append(r.Wants, w) }

// sure adds the confidence and its source to the requests.
func (r *Required) sure(c *float64, src *gate.ConfidenceSource) {
	for n := range r.Wants {
		r.Wants[n].Request.Confidence, r.Wants[n].Request.Source = c, src
	}
}

// about records the subject that the policy judges for these wants.
func (r *Required) about(key run.Key, result bool) {
	for n := range r.Wants {
		w := &r.Wants[n]
		w.Request.Subject = &gate.Subject{Key: key.Work(), Result: result, Firm: w.Firm}
	}
}

// At recomputes what a spot requires, for the current proposal.
func (s Situation) At(spot run.Spot) Required {
	i, _ := s.Plan().Step(spot.Step)
	k := spot.Element()
	switch spot.At {
	case run.AtStart:
		return s.AtStart()
	case run.AtEnd:
		return s.AtEnd(s.ProposalAt(spot))
	case run.AtBefore:
		if k >= 0 {
			return s.BeforeElement(i, k, s.ProposalAt(spot))
		}
		return s.Before(i, nil)
	case run.AtAfter:
		return s.After(i, k, s.ResultOf(i, k))
	case run.AtCall:
		if c := s.CallAt(spot); c != nil {
			return s.Call(i, max(k, 0), c)
		}
	}
	return Required{}
}

// AtStart lists the approvals required before the run starts.
func (s Situation) AtStart() (r Required) {
	if len(s.Plan().Start) > 0 {
		s.gates(&r, s.Plan().Start, run.Spot{At: run.AtStart}, s.ScopeAt(-1, -1, s.Input), policy.Verdict{})
	}
	return r
}

// AtEnd lists the approvals required for the output of the run.
func (s Situation) AtEnd(out []byte) (r Required) {
	if len(s.Plan().End) > 0 {
		s.gates(&r, s.Plan().End, run.Spot{At: run.AtEnd}, s.ScopeAt(-1, -1, out), policy.Verdict{})
	}
	return r
}

// About lists what people have to answer about a step that has not started: pending approvals, itself
// if it is theirs, and its gates. Whether the condition of a gate will hold is not known yet.
func (s Situation) About(i int) (out []*gate.Approval) {
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
				out = append(out, gate.Open(a.Request, s.Now))
			}
		}
	}
	gates := append(append([]int{}, n.Before...), n.After...)
	if n.CallsTool() {
		gates = append(gates, s.Plan().CallGates(n.Step.Tool)...)
	}
	if n.Human >= 0 {
		gates = append(gates, n.Human)
	}
	for _, k := range gates {
		if !passed[s.Plan().Gates[k].Gate.ID] {
			out = append(out, s.ahead(k, n.Step.ID))
		}
	}
	return out
}

// Inside lists what people have to answer in a run of another workflow that this one starts: all its gates and steps of
// people.
func (s Situation) Inside(p *plan.Plan) (out []*gate.Approval) {
	s.State = machine.New("", p)
	for k := range p.Gates {
		step := ""
		if i := p.Gates[k].Step; i >= 0 {
			step = p.Nodes[i].Step.ID
		}
		a := s.ahead(k, step)
		a.ID += " of " + p.Definition.Workflow.Name
		out = append(out, a)
	}
	return out
}

// ahead is the approval that a gate wants, as far as it is known before the run is there.
func (s Situation) ahead(k int, step string) *gate.Approval {
	g := s.Plan().Gates[k].Gate
	spot := run.Spot{At: spotAt(s.Plan().Gates[k].Spot.Kind), Step: step}
	return gate.Open(gate.Request{ID: "gate " + g.ID, Gate: g.ID, Kind: g.Kind, Options: g.Options, Step: step,
		Terms: s.terms(g, spot)}, s.Now)
}

// spotAt is where a gate asks: before a step of people, the step itself.
func spotAt(k plan.SpotKind) run.SpotAt {
	if k == plan.SpotHuman {
		return run.AtBefore
	}
	return run.SpotAt(k)
}

func (s Situation) id(i int) string { return s.Plan().Nodes[i].Step.ID }
