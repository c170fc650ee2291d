package preview

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// PlanChange is what a change of a running plan would do.
type PlanChange struct {
	// The steps that would be added, in the order given.
	Added []AddedStep `json:"added"`
	// Steps whose dependencies would change.
	Rewired []RewiredStep `json:"rewired"`
}

// RewiredStep is a step of a running plan that would wait for others than now.
type RewiredStep struct {
	Step string `json:"step" holds:"id"`
	// The steps that it would wait for.
	Needs []string `json:"needs" holds:"id"`
}

// AddedStep is a step that would be added to a running plan.
type AddedStep struct {
	Step string `json:"step" holds:"id"`
	// agent NAME, tool NAME, workflow NAME or people.
	By string `json:"by" holds:"id"`
	// The steps that it would wait for.
	Needs []string `json:"needs" holds:"id"`
	// The steps that would wait for it.
	NeededBy []string `json:"needed_by" holds:"id"`
	// The failed step in whose place it would be put; empty: none.
	Replaces string `json:"replaces,omitempty" holds:"id"`
	// How dangerous it is, as far as the step and the tool declare it.
	Risk risk.Level `json:"risk,omitempty" holds:"id"`
	// The questions that people would be asked about it. Rules of the policy may ask more.
	Asks []StepAsk `json:"asks"`
}

// StepAsk is a question that people would be asked about an added step.
type StepAsk struct {
	// before the step, after it, at the call of its tool, or because of the tool's risk.
	At string `json:"at" holds:"id"`
	// The gate that asks; empty at a risk.
	Gate  string `json:"gate,omitempty" holds:"id"`
	Title string `json:"title" holds:"line"`
	// The replaced step from which the gate is inherited; empty: it is the step's own.
	From string `json:"from,omitempty" holds:"id"`
}

// Change shows what a change of the plan would do where people are asked about it, or why it cannot be made. Agents
// are those in force that it names; rated is the risk of a tool.
func Change(s *machine.State, spot run.Spot, proposed json.RawMessage, agents map[string]plan.Agent,
	rated func(tool string) risk.Class) (*PlanChange, []fault.Problem) {
	before := s.Plan()
	after, err := decide.PlanWith(s, spot, proposed, agents)
	if err != nil {
		if f := (*fault.Error)(nil); errors.As(err, &f) && len(f.Problems) > 0 {
			return nil, f.Problems
		}
		return nil, []fault.Problem{{Message: err.Error()}}
	}
	out := &PlanChange{Added: []AddedStep{}, Rewired: []RewiredStep{}}
	if after == before {
		return out, nil
	}
	for _, r := range machine.Rewired(before, after) {
		out.Rewired = append(out.Rewired, RewiredStep(r))
	}
	for i := len(before.Nodes); i < len(after.Nodes); i++ {
		out.Added = append(out.Added, added(after, i, rated))
	}
	return out, nil
}

func added(p *plan.Plan, i int, rated func(tool string) risk.Class) AddedStep {
	n := &p.Nodes[i]
	s := n.Step
	a := AddedStep{Step: s.ID, By: performer(s), Needs: []string{}, NeededBy: []string{}, Replaces: s.Replaces,
		Risk: s.Risk, Asks: []StepAsk{}}
	for _, need := range n.Needs {
		a.Needs = append(a.Needs, p.Nodes[need].Step.ID)
	}
	for k := range p.Nodes {
		for _, need := range p.Nodes[k].Needs {
			if need == i {
				a.NeededBy = append(a.NeededBy, p.Nodes[k].Step.ID)
			}
		}
	}
	ask := func(at string, gates []int) {
		for _, g := range gates {
			one := &p.Gates[g]
			q := StepAsk{At: at, Gate: one.Gate.ID, Title: cmp.Or(one.Gate.Title, one.Gate.ID)}
			if at != "call" && one.Spot.Step != s.ID {
				q.From = s.Replaces
			}
			a.Asks = append(a.Asks, q)
		}
	}
	ask("before", n.Before)
	if s.Tool != "" {
		ask("call", p.CallGates(s.Tool))
		own := rated(s.Tool)
		if level := own.Level(); level.Rank() > a.Risk.Rank() {
			a.Risk = level
		}
		if !own.Valid() || a.Risk.Rank() >= risk.High.Rank() {
			a.Asks = append(a.Asks, StepAsk{At: "risk", Title: "Call " + s.Tool + "?"})
		}
	}
	ask("after", n.After)
	return a
}

func performer(s *plan.Step) string {
	switch {
	case s.Tool != "":
		return "tool " + s.Tool
	case s.Workflow != "":
		return "workflow " + s.Workflow
	case s.Human != nil:
		return "people"
	}
	return "agent " + s.Agent
}
