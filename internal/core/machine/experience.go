package machine

import (
	"cmp"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
)

// usedMax limits how many tools of agents a run remembers.
const usedMax = 200

// ToolUse is a tool that an agent at work on a step called successfully.
type ToolUse struct {
	Step string `json:"step"`
	Tool string `json:"tool"`
}

// Declined is a tool that people did not want for a request.
type Declined struct {
	Request string `json:"request"`
	Tool    string `json:"tool"`
}

// useTool remembers a successful call, once per step.
func (s *State) useTool(step, tool string) {
	u := ToolUse{step, tool}
	if i, ok := s.plan.Step(step); !ok || s.plan.Nodes[i].CallsTool() || len(s.Used) >= usedMax ||
		slices.Contains(s.Used, u) {
		return
	}
	s.Used = append(slices.Clip(s.Used), u)
}

// decline remembers the steps that a person rejected.
func (s *State) decline(n int, by run.Actor) {
	r := s.ReplanAt(run.Spot{At: run.AtReplan, Replan: n})
	if r == nil || r.Found == nil || by.Kind != run.Person {
		return
	}
	for _, b := range r.Found.Because {
		if len(s.Declined) < run.ServedMax {
			s.Declined = append(slices.Clip(s.Declined), Declined{cmp.Or(b.Wanted, r.Requirement), b.Tool})
		}
	}
}
