package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// Taking up a run where it stood: after a failure in the same run, or in a fork.
// What was recorded is reused and never asked of the world again.

// applyReopened takes a run that failed or reached a limit back to its last good state.
func (s *State) applyReopened(at time.Time) {
	if s.Status == run.LimitReached {
		s.stoodStill(max(at.Sub(s.EndedAt), 0))
	}
	s.Status, s.Error, s.EndedAt, s.ErrorAt = run.Running, nil, time.Time{}, time.Time{}
	s.Worked, s.WorkSince = 0, at
	s.EndPlace, s.Output, s.Point.Human = nil, nil, nil
	if s.StartPlace != nil && !s.StartPlace.Passed {
		s.askStartAgain()
	}
	s.reviveSteps(false)
}

// askStartAgain leaves a place that nothing has passed.
func (s *State) askStartAgain() { s.StartPlace = &gate.Place{} }

// reviveSteps puts back what had begun and not completed.
func (s *State) reviveSteps(forked bool) {
	s.Active, s.Loose = nil, true
	var again []int
	for i, st := range s.Steps {
		switch {
		case st.Status == run.SkippedStep && st.Skipped == run.SkipNeed,
			mutant.Is(mutant.ForkReissues) && forked && st.Status == run.DoneStep:
			again = append(again, i)
		case st.Status == run.FailedStep || st.Status == run.CancelledStep || st.Status == run.RunningStep ||
			st.Status == run.WaitingStep,
			forked && len(st.Tasks) > 0 && st.Status == run.PendingStep: // taken up, and not started again yet
			s.revive(i, forked)
		}
	}
	s.reset(again)
	s.reset(s.undermined())
}

// undermined lists the steps that had begun although something they build on
// is being done again: by a step that was left out, or set by a fork. What they
// were about to work on may change, so they begin anew.
func (s *State) undermined() (steps []int) {
	open := make([]bool, len(s.Steps))
	for _, i := range s.plan.Order() {
		st := s.Steps[i]
		for _, need := range s.plan.Nodes[i].Needs {
			open[i] = open[i] || open[need]
		}
		if open[i] && !st.Status.Settled() && (len(st.Tasks) > 0 || st.Before != nil) && !s.resultInHand(i) {
			steps = append(steps, i)
		}
		open[i] = open[i] || !st.Status.Settled()
	}
	return steps
}

// revive takes up one step. In the same run people need not approve again what
// they approved; a fork is another run, and an approval is good for one.
func (s *State) revive(i int, forked bool) {
	st := s.step(i)
	if st.Status.Settled() {
		s.Unsettled++
	}
	st.Error, st.EndedAt, st.Skipped, st.InFlight, st.Next = nil, time.Time{}, "", 0, 0
	if s.resultInHand(i) { // it is reviewed again, not made again
		if forked || st.After == nil {
			st.After, st.Status = nil, run.RunningStep
			s.Active = append(s.Active, i)
		} else {
			st.Status = run.WaitingStep
		}
		return
	}
	if forked && !s.IsMap(i) && !IsLoop(&s.plan.Nodes[i]) {
		st.Tasks = nil
	}
	for k := range st.Tasks {
		s.reviveTask(i, k, forked)
	}
	st.After = nil
	if forked || st.Before == nil {
		st.Before, st.Status = nil, run.PendingStep
	} else {
		st.Status = run.WaitingStep
	}
}

// resultInHand reports whether all that is missing of a step is a review.
func (s *State) resultInHand(i int) bool {
	st := s.Steps[i]
	if s.IsMap(i) {
		return len(st.Tasks) > 0 && st.Open == 0
	}
	return len(st.Tasks) > 0 && st.Tasks[0].Status == TaskReview
}

func (s *State) reviveTask(i, k int, forked bool) {
	if s.Steps[i].Tasks[k].Status == TaskDone {
		return
	}
	t := s.task(i, k)
	if forked {
		t.Before, t.After = nil, nil
	}
	if t.Status == TaskReview {
		return
	}
	t.Status, t.Tried, t.Deadline, t.RetryAt, t.Child, t.Approved = TaskIdle, t.Try, time.Time{}, time.Time{}, "", nil
	if t.Before != nil {
		t.Status = TaskHeld
	}
	if forked {
		t.Tried = 0
	}
	if t.Loop != nil {
		s.loop(i, k).Revive(forked)
	}
}

// reset puts steps back to the beginning, keeping what people said about them.
func (s *State) reset(steps []int) {
	for _, i := range steps {
		st := s.step(i)
		if st.Status.Settled() {
			s.Unsettled++
		}
		*st = Step{Status: run.PendingStep, Rev: st.Rev + 1, Guidance: st.Guidance, Patches: st.Patches, Given: st.Given,
			Raised: st.Raised, own: st.own}
	}
	if !s.isDraft {
		s.Active = slices.DeleteFunc(s.Active, func(a int) bool { return slices.Contains(steps, a) })
	}
	s.layOut()
}

// applyChildEnded forgets a sub-run.
func (s *State) applyChildEnded(f *run.ChildEnded) {
	ended := func(c OpenChild) bool { return c.Run == f.Run }
	if slices.ContainsFunc(s.Children, ended) {
		s.Children = slices.DeleteFunc(slices.Clone(s.Children), ended)
		return
	}
	for _, i := range s.Active {
		for k, t := range s.Steps[i].Tasks {
			if t.Child == f.Run {
				s.task(i, k).Child = ""
			}
		}
	}
}
