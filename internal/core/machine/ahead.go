package machine

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// Ahead is a step that runs ahead of open approvals, or has done so and waits for them. It is kept apart from
// the step: the context, the thread, deliverables and costs are folded from other facts, so nothing of it is
// visible there unless the step starts with exactly this input.
//
// It runs under the key that the step's first attempt would have. If it is used, the attempt is already under
// way, or its result is there; if not, the step gets another revision, and with it another key.
type Ahead struct {
	Step           string                `json:"step"`
	Rev            int                   `json:"rev,omitempty"`
	Input          json.RawMessage       `json:"input"`
	Approvals      []string              `json:"approvals"`
	Deadline       time.Time             `json:"deadline,omitzero"`
	Implementation []gate.Implementation `json:"implementation,omitempty"`
	StartedAt      time.Time             `json:"started_at"`
	Result         *run.Result           `json:"result,omitempty"` // nil: it is at work
}

// AheadOf finds a step that runs ahead; nil if it does not.
func (s *State) AheadOf(i int) *Ahead {
	for n := range s.Ahead {
		if s.Ahead[n].Step == s.plan.Nodes[i].Step.ID {
			return &s.Ahead[n]
		}
	}
	return nil
}

// AheadSpent is what steps that ran ahead have cost and the run proper has not: their results were discarded,
// or it is still open whether they are used.
func (s *State) AheadSpent() run.Usage {
	sum := s.AheadCost
	for _, a := range s.Ahead {
		if a.Result != nil {
			sum = sum.Add(a.Result.Usage)
		}
	}
	return sum
}

// Declared reports whether a step is part of the workflow's document, not of an edit of the running plan.
func (s *State) Declared(step string) bool {
	_, ok := s.base.Step(step)
	return ok
}

// SentTo reports whether other agents sent messages to an agent.
func (s *State) SentTo(agent string) bool { return len(s.sentTo(agent)) > 0 }

func (s *State) applyAhead(e run.Event) {
	s.Ahead = slices.Clone(s.Ahead) // a draft shares it
	switch f := e.Fact.(type) {
	case *run.StepSpeculated:
		s.Ahead = append(s.Ahead, Ahead{Step: f.Step, Rev: f.Rev, Input: f.Input, Approvals: f.Approvals,
			Deadline: f.Deadline, Implementation: f.Implementation, StartedAt: e.At})
		if i, ok := s.plan.Step(f.Step); ok {
			s.step(i).AheadNo++
		}
	case *run.SpeculationReturned:
		if i, ok := s.plan.Step(f.Step); ok {
			if a := s.AheadOf(i); a != nil {
				a.Result = &f.Result
			}
		}
		if mutant.Is(mutant.AheadCosts) {
			s.Usage = s.Usage.Add(f.Result.Usage)
		}
	case *run.SpeculationUsed:
		s.endAhead(f.Step, run.AheadUsed)
	case *run.SpeculationDiscarded:
		s.AheadCost = s.AheadCost.Add(f.Usage)
		if r := s.endAhead(f.Step, f.Why); r != nil {
			s.AheadCost = s.AheadCost.Add(r.Usage)
		}
		if i, ok := s.plan.Step(f.Step); ok {
			st := s.step(i)
			st.AheadLost += max(f.Rev-st.Rev, 0)
			if st.Rev = f.Rev; f.Why == run.AheadFailed {
				st.AheadNo = run.AheadMax // once more would be a retry
			}
		}
	}
}

// endAhead removes a step that ran ahead, and returns its result, if any.
func (s *State) endAhead(step string, end run.AheadEnd) *run.Result {
	i, ok := s.plan.Step(step)
	if !ok {
		return nil
	}
	s.step(i).AheadEnd = end
	var r *run.Result
	s.Ahead = slices.DeleteFunc(s.Ahead, func(a Ahead) bool {
		if a.Step == step {
			r = a.Result
		}
		return a.Step == step
	})
	if len(s.Ahead) == 0 {
		s.Ahead = nil
	}
	return r
}

// AheadKey is the key of a step that runs ahead: that of its first attempt.
func (s *State) AheadKey(a *Ahead) run.Key {
	return run.Key{Run: s.ID, Kind: run.KeyStep, Step: a.Step, Index: -1, Rev: a.Rev, Try: 1}
}

func (s *State) aheadEffects(out []run.Effect) []run.Effect {
	for n := range s.Ahead {
		a := &s.Ahead[n]
		i, ok := s.plan.Step(a.Step)
		if !ok || a.Result != nil {
			continue
		}
		out = append(out, run.Effect{Key: s.AheadKey(a), Do: run.Invoke{Step: a.Step, Agent: s.plan.Nodes[i].Step.Agent,
			Index: -1, Try: 1, Deadline: a.Deadline, Guidance: s.Steps[i].Guidance, Approved: a.Implementation, Ahead: true}})
	}
	return out
}
