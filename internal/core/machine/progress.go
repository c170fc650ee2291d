package machine

import (
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// What has been reached, and what depends on what.

// ToldAtEnd reports whether the run's output was rejected and the run is to complete without it.
func (s *State) ToldAtEnd() bool {
	return slices.ContainsFunc(s.EndPlace.Asks, func(ask gate.Ask) bool {
		a := s.Approvals[ask.Approval]
		no := a.Status == gate.Rejected || a.Status == gate.TimedOut && a.Outcome.Act == gate.Reject
		return no && ask.Content == s.EndPlace.Content && a.Terms.OnReject == gate.RejectTells &&
			a.Outcome.Act != gate.RequestRevision
	})
}

// AnyLastDone reports whether one of the last steps is done, or was left out on purpose.
func (s *State) AnyLastDone() bool {
	for _, i := range s.plan.Last() {
		if st := s.Steps[i]; st.Status == run.DoneStep || st.Status == run.SkippedStep && st.Skipped != run.SkipNeed {
			return true
		}
	}
	return false
}

// FirstFailure is the error of the first failed step in plan order that no other replaces and that the run cannot do
// without, or nil.
func (s *State) FirstFailure() *run.Failure {
	for _, i := range s.plan.Order() {
		if s.Steps[i].Status == run.FailedStep && s.plan.InPlaceOf(i) == i && !s.Dispensable(i) {
			return s.Steps[i].Error
		}
	}
	return nil
}

// Dispensable reports whether the run can do without step i: a search added it, it replaces no step, and no step that
// people added needs it. Steps of the workflow need it only because the search put it in front of them.
func (s *State) Dispensable(i int) bool {
	seen := map[int]bool{i: true}
	for next := []int{i}; len(next) > 0; next = next[1:] {
		n := &s.plan.Nodes[next[0]]
		if n.Step.Replaces != "" || !run.AddedBySearch(n.Step.ID, s.PlanChanges) {
			return false
		}
		for _, k := range n.Dependents {
			if s.plan.Nodes[k].Injected && !seen[k] {
				seen[k] = true
				next = append(next, k)
			}
		}
	}
	return true
}

// Lost reports whether step i has no result because it, or a step that it needs, failed.
func (s *State) Lost(i int) bool {
	return s.Steps[i].Status == run.FailedStep || s.Steps[i].Skipped == run.SkipNeed
}

// DoesWithout reports whether step i runs without a step that it needs, if that one is lost.
func (s *State) DoesWithout(i, need int) bool {
	return !s.plan.Nodes[i].Injected && s.Dispensable(need)
}

// Foundation reports whether everything step i builds on is settled. Its needs are; but a step that was
// skipped manually, set by a fork or completed before a failure may depend on one that is still open. The
// data a step sees must not depend on which of them comes first.
func (s *State) Foundation(i int) bool {
	if !s.Loose {
		return true
	}
	for _, a := range s.plan.Ancestors(i) {
		if !s.Steps[a].Status.Settled() {
			return false
		}
	}
	return true
}

// Behind lists the steps that depend on step i and have begun, except those that failed and were replaced.
func (s *State) Behind(i int) []int {
	seen := make([]bool, len(s.Steps))
	var out []int
	stack := []int{i}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range s.plan.Nodes[n].Dependents {
			if !seen[k] {
				seen[k] = true
				stack = append(stack, k)
				if s.Steps[k].Status != run.PendingStep && s.plan.InPlaceOf(k) == k {
					out = append(out, k)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// MayRun reports whether a step may still run, as far as is known: its condition counts once everything it
// builds on is settled.
func (s *State) MayRun(i int) bool {
	n, st := &s.plan.Nodes[i], s.Steps[i]
	switch {
	case st.Status == run.SkippedStep || st.Status == run.FailedStep:
		return false
	case st.Status != run.PendingStep || st.Unmet > 0:
		return true
	}
	for _, need := range n.Needs {
		if s.Lost(need) && !s.DoesWithout(i, need) {
			return false
		}
	}
	if n.If == nil {
		return true
	}
	sc := s.ScopeAt(i, -1, nil)
	holds, err := n.If.Test(sc.Look())
	return holds || err != nil
}
