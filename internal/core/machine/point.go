package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Decision points: between layers an agent, then people, decide whether to continue.

// AgentAt reports whether the agent in the loop is asked at such points.
func (s *State) AgentAt(at plan.AgentAt) bool {
	l := s.Loops().Agent
	return l != nil && (l.At == at || l.At == "" && at == plan.PerLayer)
}

// ConsultsOnError reports whether the agent in the loop is asked about failed steps.
func (s *State) ConsultsOnError() bool { return s.AgentAt(plan.OnError) }

// Layered reports whether layers wait for each other.
func (s *State) Layered() bool {
	h := s.Loops().Human.When
	return s.AgentAt(plan.PerLayer) || h == plan.HumanAlways || h == plan.HumanCriticalOnly
}

// LayerOpen reports whether the layer of step i may run.
func (s *State) LayerOpen(i int) bool {
	return !s.Layered() || s.Plan().Nodes[i].Layer <= s.Point.Open
}

// NextLayer is the next layer with steps to run, -1 if there is none; over: everything before it is settled.
func (s *State) NextLayer() (next int, over bool) {
	next = -1
	for i, st := range s.Steps {
		if st.Status.Settled() {
			continue
		}
		layer := s.Plan().Nodes[i].Layer
		if layer <= s.Point.Open {
			return -1, false
		}
		if next < 0 || layer < next {
			next = layer
		}
	}
	return next, true
}

// PointHeld reports whether people have to decide before anything starts, apart from the question about the next
// layer. A question that was opened as such stays one.
func (s *State) PointHeld(next int, over bool) bool {
	if p := s.Point.Human; p != nil && len(p.Asks) > 0 {
		return s.Spots[p.Asks[0].Approval].Layer <= s.Point.Open
	}
	return s.Point.Ask != nil && !(s.Layered() && over && next >= 0)
}

// Undecided reports whether people have yet to decide in place of the agent in the loop. Once they have, the steps
// that they added to the layers before the next one may run.
func (s *State) Undecided() bool {
	p := s.Point.Human
	return s.Point.Ask != nil && (p == nil || len(p.Asks) == 0 || s.Spots[p.Asks[0].Approval].Layer <= s.Point.Open ||
		slices.ContainsFunc(p.Asks, func(a gate.Ask) bool { return a.Pending }))
}

// CouldStart lists the steps that could start now.
func (s *State) CouldStart() (next []int) {
	skips := s.Doomed()
	for i, st := range s.Steps {
		if st.Status == run.PendingStep && st.Unmet == 0 && s.LayerOpen(i) && !skips[i] {
			next = append(next, i)
		}
	}
	return next
}

// PeopleWanted reports whether people decide before a layer.
func (s *State) PeopleWanted(layer int) bool {
	switch s.Loops().Human.When {
	case plan.HumanAlways:
		return true
	case plan.HumanCriticalOnly:
		for i, st := range s.Steps {
			n := &s.Plan().Nodes[i]
			if n.Layer == layer && !st.Status.Settled() && s.RiskOf(i) == risk.Critical {
				return true
			}
		}
	}
	return false
}

// RiskOf is the risk of step i, as far as it is known before it runs.
func (s *State) RiskOf(i int) risk.Level {
	step := s.plan.Nodes[i].Step
	level := s.plan.Definition.RiskOf(step)
	for _, c := range s.PlanChanges {
		level = run.RiskAsFound(c.Because, step, level)
	}
	return level
}

// Riskiest is the highest risk of some steps, and which of them has it.
func (s *State) Riskiest(of []int) gate.Risk {
	steps := make([]*plan.Step, len(of))
	for k, i := range of {
		steps[k] = s.plan.Nodes[i].Step
	}
	return run.Riskiest(steps, func(k int) risk.Level { return s.RiskOf(of[k]) })
}

// PointTitle is the question at a decision point, and why it is asked.
func (s *State) PointTitle(next []string) (title, why string) {
	title = phrase.Sentence("continue with %s?", strings.Join(next, ", "))
	switch {
	case len(next) == 0:
		title = "Continue?"
	case len(title) > 200:
		title = fmt.Sprintf("Continue with %d steps?", len(next))
	}
	ask := s.Point.Ask
	if ask == nil {
		return title, ""
	}
	if ask.Failed != "" {
		title = phrase.ClipBytes("Step "+ask.Failed+" failed. "+title, 200)
	}
	if ask.By == "" {
		return title, phrase.ClipBytes("The agent in the loop gave no usable answer: "+ask.Why, 2_000)
	}
	return title, phrase.ClipBytes(ask.By+" leaves this to people: "+ask.Why, 2_000)
}
