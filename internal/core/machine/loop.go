package machine

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// loop returns a task's loop for writing.
func (s *State) loop(i, k int) *loop.State {
	t := s.task(i, k)
	if s.isDraft && !t.ownLoop {
		t.Loop, t.ownLoop = t.Loop.Clone(), true
	}
	return t.Loop
}

// LoopAt finds the loop at a spot.
func (s *State) LoopAt(spot run.Spot) *loop.State {
	i, ok := s.plan.Step(spot.Step)
	k := max(spot.Element(), 0)
	if !ok || k >= len(s.Steps[i].Tasks) {
		return nil
	}
	return s.Steps[i].Tasks[k].Loop
}

// CallAt finds the call at a spot.
func (s *State) CallAt(spot run.Spot) *loop.Call {
	if l := s.LoopAt(spot); l != nil {
		return l.Call(spot.Call)
	}
	return nil
}

// SpotOf is a spot at step i, or at an element of it; -1: at the step as a whole.
func (s *State) SpotOf(at run.SpotAt, i, element int) run.Spot {
	return run.Spot{At: at, Step: s.Plan().Nodes[i].Step.ID, Index: run.Index(element)}
}

// CallSpot is the spot of a call by task k of step i.
func (s *State) CallSpot(i, k int, c *loop.Call) run.Spot {
	return run.Spot{At: run.AtCall, Step: s.Plan().Nodes[i].Step.ID, Index: s.IndexFor(i, k), Call: c.No}
}

// IndexFor is the index used in facts about task k of step i.
func (s *State) IndexFor(i, k int) *int {
	if s.IsMap(i) {
		return &k
	}
	return nil
}

// inputFor returns people's answer to the tool's last question, with the state the tool wants back.
func (s *State) inputFor(c *loop.Call) (answer, state json.RawMessage) {
	if c.Input == nil {
		return nil, nil
	}
	if n, ok := c.Asked(); ok && n < len(s.Approvals) && s.Approvals[n].Outcome != nil {
		answer = s.Approvals[n].Outcome.Data
	}
	return answer, c.Input.State
}

// IsLoop reports whether a step is performed in turns and calls: by an LLM agent, or as one call of a tool.
func IsLoop(n *plan.Node) bool {
	return n.Agent != nil && (n.Agent.Kind == plan.AgentLLM || n.Agent.Kind == plan.AgentTool)
}
