package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// An approval is bound to the versions of the tools, agents, MCP servers and sub-workflows it would use.
// Hosts compare at the moment of use, and report a Rebind instead of running something else.

// ImplementationAt is what an approval at a spot is bound to, as recorded.
func (s *State) ImplementationAt(spot run.Spot) []gate.Implementation {
	switch spot.At {
	case run.AtCall:
		if c := s.CallAt(spot); c != nil {
			return c.Call.Spec.Implementation
		}
	case run.AtBefore:
		if p := s.PlaceAt(spot); p != nil {
			return p.Implementation
		}
	}
	return nil
}

// ApprovedFor is the implementation that task k of step i may use; nil: anything in force.
func (s *State) ApprovedFor(i, k int) []gate.Implementation {
	if mutant.Is(mutant.ChangeUnnoticed) {
		return nil
	}
	if st := s.Steps[i]; k < len(st.Tasks) && st.Tasks[k].Approved != nil {
		return st.Tasks[k].Approved
	}
	if p := s.PlaceOf(i, k); p != nil {
		return p.Implementation
	}
	return nil
}

// keepApproved records what the elements at work were started with, before the approvers of the map are asked
// about something else.
func (s *State) keepApproved(i int) {
	for k, t := range s.Steps[i].Tasks {
		if t.Status == TaskRunning && t.Before == nil && t.Approved == nil {
			s.task(i, k).Approved = s.ApprovedFor(i, k)
		}
	}
}

// PlaceOf is where people were asked before task k of step i: before the element, or else before the step as
// a whole.
func (s *State) PlaceOf(i, k int) *gate.Place {
	st := s.Steps[i]
	if k < len(st.Tasks) && st.Tasks[k].Before != nil {
		return st.Tasks[k].Before
	}
	return st.Before
}

// applyStepRebound resets a step to before its start. The earlier approval was for something else.
func (s *State) applyStepRebound(f *run.StepRebound) {
	i, _ := s.plan.Step(f.Step)
	s.uncount(f.Act)
	spot := run.Spot{At: run.AtBefore, Step: f.Step, Index: f.Index}
	k := max(indexOf(f.Index), 0)
	if f.Index != nil && (k >= len(s.Steps[i].Tasks) || s.Steps[i].Tasks[k].Before == nil) {
		spot.Index = nil // approved with all the others
	}
	whole := f.Index == nil && s.IsMap(i) // its elements at work continue
	running := !whole && k < len(s.Steps[i].Tasks) && s.Steps[i].Tasks[k].Status == TaskRunning
	if running {
		s.takeBack(i, k)
	}
	p := s.PlaceAt(spot)
	if p == nil {
		return
	}
	next := *p
	next.Implementation, next.Changed = f.Implementation, f.Changed
	next.Content = s.ContentOf(spot, s.ProposalAt(spot), f.Implementation)
	if spot.Index != nil {
		t := s.task(i, k)
		if t.Before = &next; running {
			t.Status = TaskHeld
		}
		return
	}
	if s.IsMap(i) {
		s.keepApproved(i)
	}
	st := s.step(i)
	st.Before = &next
	if running && !s.IsMap(i) {
		st.Status = run.WaitingStep
	}
}

// recall resets a task that waits for a retry.
func (s *State) recall(i, k int) {
	if st := s.Steps[i]; k < len(st.Tasks) && st.Tasks[k].Status == TaskBackoff {
		s.takeBack(i, k)
	}
}

// takeBack resets a started task to before its start. Attempt numbers are not reused.
func (s *State) takeBack(i, k int) {
	st, t := s.step(i), s.task(i, k)
	t.Status, t.Tried, t.Deadline, t.RetryAt, t.Child, t.ChildWaiting = TaskIdle, t.Try,
		time.Time{}, time.Time{}, "", false
	t.Approved = nil
	if t.Loop != nil {
		l := s.loop(i, k)
		l.TakeBackTurn()
	}
	if s.IsMap(i) {
		st.InFlight--
		st.Next = min(st.Next, k)
		return
	}
	if !s.isDraft {
		s.Active = slices.DeleteFunc(s.Active, func(a int) bool { return a == i })
	}
}

// ApprovedEarlier is part of a planted bug: it finds the approval of a call with the same id in an earlier revision of
// the step.
func (s *State) ApprovedEarlier(key run.Key, call string) bool {
	return slices.ContainsFunc(s.Approvals, func(a *gate.Approval) bool {
		if a.Subject == nil || a.Call != call || a.Outcome == nil || !a.Outcome.Positive() {
			return false
		}
		was, err := run.ParseKey(a.Subject.Key + "~1")
		return err == nil && was.Run == key.Run && was.Step == key.Step && was.Index == key.Index && was.Rev < key.Rev
	})
}
