package machine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// applyFork turns the copied history into this run's own: completed work stays completed, everything else is
// owed again. An approval is valid for one run, so anything not done yet is asked about again.
func (s *State) applyFork(f *run.RunForked, by run.Actor, at time.Time) {
	s.Forked = f
	// Earlier acts belong to the original run and count there, and so does its caller.
	s.Started.Family, s.Started.Trace, s.Counted = f.Family, "", nil
	if f.Owner != "" {
		s.Started.Owner = ownedBy(f.Owner, by)
	}
	s.Status, s.Pause, s.Cancelling = run.Running, nil, nil
	s.Error, s.ErrorAt, s.EndedAt = nil, time.Time{}, time.Time{}
	s.Worked, s.WorkSince = 0, at
	s.Answered, s.Children, s.ChildCount = nil, nil, 0
	s.Ahead = nil                 // it ran under the keys of the other run
	s.Used, s.Declined = nil, nil // the original run teaches it
	s.Replans = slices.DeleteFunc(slices.Clone(s.Replans), func(r OpenReplan) bool { return r.Found == nil })
	for n := range s.Replans {
		s.Replans[n].Place = nil // people are asked again
	}
	s.Point.Asking, s.Point.Human = false, nil
	s.EndPlace, s.Output = nil, nil
	for _, n := range s.OpenApproval {
		if s.Approvals[n].Status == gate.Pending {
			a := s.approval(n)
			a.Settle(gate.Outcome{Status: gate.Cancelled, Comment: "asked again in the fork"}, at)
		}
	}
	s.OpenApproval = nil
	if s.StartPlace != nil && !s.StartPlace.Passed {
		s.askStartAgain()
	}
	s.reviveSteps(true)
	begun := s.begunMaps()
	defer s.restartMaps(begun)
	if f.Edits.Input != nil {
		s.Input = f.Edits.Input
		if len(s.plan.Start) > 0 { // people approved a different input
			s.askStartAgain()
		}
	}
	s.copied() // before new edits: they override all results so far
	if f.Edits.Context != nil {
		s.Context = value.Merge(s.Context, f.Edits.Context)
	}
	for id, out := range f.Edits.Outputs {
		i, _ := s.plan.Step(id)
		if !s.Steps[i].Status.Settled() {
			s.settle(i, run.DoneStep, at)
		}
		st := s.step(i) // a skipped step is already settled
		st.Status, st.Skipped, st.Output = run.DoneStep, "", out
	}
}

// begunMaps lists the items of maps that have begun.
func (s *State) begunMaps() map[int]json.RawMessage {
	lists := map[int]json.RawMessage{}
	for i, st := range s.Steps {
		if s.IsMap(i) && len(st.Tasks) > 0 && !st.Status.Settled() {
			lists[i] = value.Array(s.ItemsOf(i)...)
		}
	}
	return lists
}

// restartMaps restarts maps whose list was edited: results for another list are useless.
func (s *State) restartMaps(lists map[int]json.RawMessage) {
	for i, was := range lists {
		if s.Steps[i].Status.Settled() {
			continue
		}
		st := s.step(i)
		st.items = nil
		if is := value.Array(s.ItemsOf(i)...); !value.Equal(is, was) {
			s.reset([]int{i})
		}
	}
}

// CheckEdits rejects edits that the plan could not continue with.
func CheckEdits(p *plan.Plan, e *run.Edits) error {
	var ps []fault.Problem
	check := func(path string, v *[]byte) {
		if *v == nil {
			return
		}
		out, err := value.Strict(*v)
		if err != nil {
			ps = append(ps, fault.Problem{Path: path, Message: err.Error()})
		}
		*v = out
	}
	in, ctx := []byte(e.Input), []byte(e.Context)
	check("/input", &in)
	check("/context", &ctx)
	e.Input, e.Context = in, ctx
	if e.Context != nil && value.KindOf(e.Context) != value.KindObject {
		ps = append(ps, fault.Problem{Path: "/context", Message: "it has to be an object"})
	}
	if e.Input != nil && len(ps) == 0 {
		for _, p := range p.InputSchema.Validate(e.Input) {
			ps = append(ps, fault.Problem{Path: "/input" + p.Path, Message: p.Message})
		}
	}
	for id, v := range e.Outputs {
		i, ok := p.Step(id)
		if !ok {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id, Message: "step not found"})
			continue
		}
		out := []byte(v)
		check("/outputs/"+id, &out)
		e.Outputs[id] = out
		for _, p := range p.Nodes[i].OutputSchema.Validate(out) {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id + p.Path, Message: p.Message})
		}
	}
	if len(ps) > 0 {
		slices.SortFunc(ps, func(a, b fault.Problem) int { return strings.Compare(a.Path, b.Path) })
		return fault.Of("the edits are not valid", ps)
	}
	return nil
}
