package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// Resuming a run where it stopped: after a failure in the same run, or in a fork. Recorded results are reused
// and never requested again.

// applyReopened returns a run that failed or reached a limit to its last good state.
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

// askStartAgain resets the start gate if nothing has passed it.
func (s *State) askStartAgain() { s.StartPlace = &gate.Place{} }

// reviveSteps resets steps that had begun and not completed.
func (s *State) reviveSteps(forked bool) {
	s.Active, s.Loose = nil, true
	var again []int
	for i, st := range s.Steps {
		switch {
		case s.plan.InPlaceOf(i) != i: // what replaced it does its work
		case st.Status == run.SkippedStep && st.Skipped == run.SkipNeed,
			mutant.Is(mutant.ForkReissues) && forked && st.Status == run.DoneStep:
			again = append(again, i)
		case st.Status != run.DoneStep && st.Status != run.SkippedStep:
			s.revive(i, forked)
		}
	}
	s.reset(again)
	s.reset(s.undermined())
}

// undermined lists the steps that had begun although a step they build on is being redone: one that was
// skipped, or set by a fork. Their input may change, so they start again.
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

// revive resumes one step. In the same run earlier approvals remain valid; a fork is another run, and an
// approval is valid for one.
func (s *State) revive(i int, forked bool) {
	st := s.step(i)
	if st.Status.Settled() {
		s.Unsettled++
	}
	st.Error, st.EndedAt, st.Skipped, st.InFlight, st.Next = nil, time.Time{}, "", 0, 0
	if s.resultInHand(i) { // it is reviewed again, not redone
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

// resultInHand reports whether all that is missing from a step is a review.
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
		l := s.loop(i, k)
		if l.Revive(forked); s.plan.Nodes[i].CallsTool() {
			l.ReviveCall(forked)
		}
	}
}

// reset resets steps to the beginning, keeping people's changes and feedback.
func (s *State) reset(steps []int) {
	for _, i := range steps {
		st := s.step(i)
		if st.Status.Settled() {
			s.Unsettled++
		}
		*st = Step{Status: run.PendingStep, Rev: st.Rev + 1, Guidance: st.Guidance, Patches: st.Patches, Given: st.Given,
			Programmed: st.Programmed, Raised: st.Raised, AheadNo: st.AheadNo, AheadLost: st.AheadLost, own: st.own}
	}
	if !s.isDraft {
		s.Active = slices.DeleteFunc(s.Active, func(a int) bool { return slices.Contains(steps, a) })
	}
	s.layOut()
}

// applyChildEnded removes a sub-run.
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
