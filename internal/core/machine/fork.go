package machine

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
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
		s.Programmed = slices.DeleteFunc(slices.Clone(s.Programmed), func(key string) bool {
			_, again := value.Get(f.Edits.Context, key)
			return again
		})
		for key := range value.Members(f.Edits.Context) {
			if by.Kind != run.Person {
				s.Programmed = append(s.Programmed, key)
			}
		}
	}
	for id, out := range f.Edits.Outputs {
		i, _ := s.plan.Step(id)
		if !s.Steps[i].Status.Settled() {
			s.settle(i, run.DoneStep, at)
		}
		s.setOutput(i, out, by)
	}
}

// setOutput sets the result of a settled step. What a person writes is certain; about a program's result nothing is
// known.
func (s *State) setOutput(i int, out json.RawMessage, by run.Actor) {
	st := s.step(i)
	outs := []json.RawMessage{out}
	if s.IsMap(i) {
		outs = value.Elements(out)
	}
	tasks := make([]*Task, len(outs))
	for k := range outs {
		r := &run.Result{Output: outs[k]}
		if by.Kind == run.Person {
			sure := 1.0
			r.Confidence = &sure
		}
		if was := s.ResultOf(i, min(k, len(st.Tasks)-1)); was != nil {
			r.DryRun = was.DryRun
		}
		tasks[k] = &Task{Status: TaskDone, Rev: st.Rev, Result: r, own: s.loans}
	}
	st.Status, st.Skipped, st.Output, st.After = run.DoneStep, "", out, nil
	st.Tasks, st.ownTasks, st.Open, st.items = tasks, true, 0, nil
}

// ResultOf is the result of step i or of element k; nil for a map as a whole, or without one.
func (s *State) ResultOf(i, k int) *run.Result {
	st := s.Steps[i]
	if k < 0 && s.IsMap(i) || max(k, 0) >= len(st.Tasks) {
		return nil
	}
	return st.Tasks[max(k, 0)].Result
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
