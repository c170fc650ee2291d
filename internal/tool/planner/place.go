package planner

import (
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
)

// place puts the new steps where later steps see their results. They run beside the next steps of the plan.
// The first steps after those that get the whole context wait for them; if there are none, the next steps
// that get the context do. A step with a mapping reads what its author chose, so it does not wait.
func (s *sketch) place() {
	ends := s.ends()
	if s.need.Failed != "" {
		s.replace(ends)
		return
	}
	readers := s.readers()
	for _, i := range ends {
		s.out.Steps[i].NeededBy = slices.Clone(readers)
	}
}

// ends are the new steps that no other new step needs.
func (s *sketch) ends() (out []int) {
	for i := range s.out.Steps {
		used := slices.ContainsFunc(s.out.Steps, func(other plan.Step) bool {
			return other.Needs != nil && slices.Contains(*other.Needs, s.out.Steps[i].ID)
		})
		if !used {
			out = append(out, i)
		}
	}
	return out
}

// replace puts the last of the new steps in the place of the failed one, and the others after what that one
// needed.
func (s *sketch) replace(ends []int) {
	at, ok := s.need.Plan.Step(s.need.Failed)
	if !ok {
		return
	}
	s.out.Steps[ends[len(ends)-1]].Replaces = s.need.Failed
	var needs []string
	for _, n := range s.need.Plan.Nodes[at].Needs {
		needs = append(needs, s.need.Plan.Nodes[n].Step.ID)
	}
	for i := range s.out.Steps {
		if s.out.Steps[i].Needs == nil {
			own := append([]string{}, needs...)
			s.out.Steps[i].Needs = &own
		}
	}
}

// readers are the steps that are to wait for the new ones.
func (s *sketch) readers() (out []string) {
	p := s.need.Plan
	next := -1
	var behind, beside []int
	for _, id := range s.need.Pending {
		i, _ := p.Step(id)
		if layer := p.Nodes[i].Layer; next < 0 || layer < next {
			next = layer
		}
	}
	for _, id := range s.need.Pending {
		i, _ := p.Step(id)
		n := &p.Nodes[i]
		switch {
		case n.With != nil || n.Human >= 0:
		case n.Layer > next:
			behind = append(behind, i)
		default:
			beside = append(beside, i)
		}
	}
	if len(behind) == 0 {
		behind = beside
	}
	for _, i := range behind {
		// Those after one of them wait for it anyway.
		first := !slices.ContainsFunc(behind, func(other int) bool { return other != i && p.IsAncestor(other, i) })
		if first {
			out = append(out, p.Nodes[i].Step.ID)
		}
	}
	return out
}
