package machine

import (
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
)

// Invariants of a state, checked after every commit. A fold never fails, so that any log can be read; a log that
// leads to a state like none of these is damaged, or the fold has a bug, and continuing would make it worse.

// Sound checks the invariants that cost next to nothing: until a run completes, it looks at counters and at what is
// open, not at every step. Engines check it before they store events, and do not continue a run that breaks one.
func (s *State) Sound() error {
	switch n := len(s.Steps); {
	case n != len(s.plan.Nodes):
		return fmt.Errorf("%d steps have a state, and the plan has %d", n, len(s.plan.Nodes))
	case s.Unsettled < 0 || s.Unsettled > n:
		return fmt.Errorf("%d of %d steps are to be settled", s.Unsettled, n)
	case len(s.Spots) != len(s.Approvals):
		return fmt.Errorf("%d approvals have %d positions", len(s.Approvals), len(s.Spots))
	case s.Seq > 0 && s.Status == "":
		return fmt.Errorf("it has events, and no status")
	case (s.Status == run.Paused) != (s.Pause != nil):
		return fmt.Errorf("it is %s, and its pause is %v", s.Status, s.Pause != nil)
	case s.Status == run.Running && s.WorkSince.IsZero():
		return fmt.Errorf("it is running, but its clock is stopped")
	case s.Status != run.Running && !s.WorkSince.IsZero():
		return fmt.Errorf("it is %s, and its clock runs", s.Status)
	}
	if err := s.soundReplans(); err != nil {
		return err
	}
	for _, i := range s.Active {
		if i < 0 || i >= len(s.Steps) || s.Steps[i].Status == run.PendingStep && s.Steps[i].StartedAt.IsZero() {
			return fmt.Errorf("step %d is in progress but has not started", i)
		}
	}
	for _, n := range s.OpenApproval {
		if n < 0 || n >= len(s.Approvals) {
			return fmt.Errorf("approval %d is open, and there are %d", n, len(s.Approvals))
		}
	}
	if s.Status.Ended() {
		return s.soundEnd()
	}
	return nil
}

// soundEnd checks that a run that has ended left nothing open.
func (s *State) soundEnd() error {
	switch {
	case s.EndedAt.IsZero():
		return fmt.Errorf("it is %s, and has no end", s.Status)
	case s.Cancelling != nil || s.Point.Asking || len(s.Replans) > 0 || len(s.Active) > 0:
		return fmt.Errorf("it is %s, and something is still under way", s.Status)
	case s.Status == run.Completed && slices.ContainsFunc(s.Steps, unfinished):
		return fmt.Errorf("it is completed, and a step is not")
	case s.Status == run.Failed && s.Error == nil:
		return fmt.Errorf("it failed without an error")
	}
	return nil
}

// unfinished steps were at work or waiting when their run ended.
func unfinished(st *Step) bool { return !st.Status.Settled() || st.Status == run.CancelledStep }

// soundReplans checks that every search that is open has a number of its own.
func (s *State) soundReplans() error {
	for k, r := range s.Replans {
		if r.N < 1 || r.N > s.ReplanNo || k > 0 && r.N <= s.Replans[k-1].N {
			return fmt.Errorf("search %d is open, and %d were requested", r.N, s.ReplanNo)
		}
	}
	return nil
}

// Consistent checks Sound, and everything that the counters stand for. It takes time in proportion to the run.
func (s *State) Consistent() error {
	if err := s.Sound(); err != nil {
		return err
	}
	unsettled := 0
	for i, st := range s.Steps {
		id := s.plan.Nodes[i].Step.ID
		if !st.Status.Settled() {
			unsettled++
		}
		if err := s.consistentStep(i); err != nil {
			return fmt.Errorf("step %s is %s: %w", id, st.Status, err)
		}
	}
	if unsettled != s.Unsettled {
		return fmt.Errorf("%d steps are not settled, and %d are counted", unsettled, s.Unsettled)
	}
	for n, a := range s.Approvals {
		if a.Status == "pending" && !s.Status.Ended() && !slices.Contains(s.OpenApproval, n) {
			return fmt.Errorf("approval %s is pending, and not listed as open", a.ID)
		}
	}
	return nil
}

func (s *State) consistentStep(i int) error {
	st := s.Steps[i]
	unmet, open, busy := 0, 0, 0
	for _, n := range s.plan.Nodes[i].Needs {
		if !s.Steps[n].Status.Settled() {
			unmet++
		}
	}
	for _, t := range st.Tasks {
		if t.Status != TaskDone {
			open++
		}
		if t.Status == TaskRunning || t.Status == TaskBackoff {
			busy++
		}
	}
	switch running := st.Status == run.RunningStep; {
	case st.Status == run.PendingStep && unmet != st.Unmet && !s.Status.Ended():
		return fmt.Errorf("%d needs are not met, and %d are counted", unmet, st.Unmet)
	case running && unmet > 0 && !s.Loose:
		return fmt.Errorf("%d needs are not met", unmet)
	case running && !slices.Contains(s.Active, i):
		return fmt.Errorf("it is not listed as active")
	case running && s.IsMap(i) && (open != st.Open || busy != st.InFlight):
		return fmt.Errorf("%d of its elements are open and %d at work, and %d and %d are counted", open, busy, st.Open,
			st.InFlight)
	}
	return nil
}
