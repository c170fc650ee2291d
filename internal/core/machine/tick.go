package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
)

// dueKind is the kind of a deadline. Their order is the order in which deadlines at the same time are
// handled: milder ones first.
type dueKind int

const (
	DueApproval dueKind = iota
	DueStarts           // a retry that is due, or a limit to check
	DueTry
	DueTurn
	DueCall
	DueConsultAgain
	DueConsult
	DueReplan
	DueAhead
	DueRun
)

// Due is one deadline.
type Due struct {
	At    time.Time
	Kind  dueKind
	Step  int
	Task  int
	N     int // approval, call or replan
	Stamp int // attempt that it is about
}

// Dues calls yield for every deadline of the run. NextDeadline and Tick share it, so a host that is woken
// finds what it was woken for.
func (s *State) Dues(yield func(Due)) {
	if s.Status.Ended() {
		return
	}
	add := func(d Due) {
		if !d.At.IsZero() {
			yield(d)
		}
	}
	for _, n := range s.OpenApproval {
		if next, ok := s.Approvals[n].Next(); ok {
			add(Due{At: next.At, Kind: DueApproval, N: n})
		}
	}
	for _, i := range s.Active {
		if s.Steps[i].Status == run.RunningStep {
			s.stepDues(i, add)
		}
	}
	if s.Point.Asking {
		add(Due{At: s.Point.RetryAt, Kind: DueConsultAgain})
		add(Due{At: s.Point.Deadline, Kind: DueConsult})
	}
	for _, r := range s.Replans {
		if r.Found != nil {
			continue // the approval has its own
		}
		add(Due{At: r.Deadline, Kind: DueReplan, N: r.N})
	}
	for _, a := range s.Ahead {
		if i, ok := s.plan.Step(a.Step); ok && a.Result == nil {
			add(Due{At: a.Deadline, Kind: DueAhead, Step: i})
		}
	}
	if limit := s.plan.Timeout(); limit > 0 && !s.WorkSince.IsZero() {
		add(Due{At: s.WorkSince.Add(limit - s.Worked), Kind: DueRun})
	}
}

func (s *State) stepDues(i int, add func(Due)) {
	held := s.Pause != nil || s.Cancelling != nil // nothing starts, so nothing waits to start
	p := s.Steps[i].Before
	// about all of its elements
	asked := p != nil && s.IsMap(i) && slices.ContainsFunc(p.Asks, func(ask gate.Ask) bool { return ask.Pending })
	for k, t := range s.Steps[i].Tasks {
		switch t.Status {
		case TaskBackoff:
			if !held && !asked {
				add(Due{At: t.RetryAt, Kind: DueStarts, Step: i, Task: k})
			}
		case TaskRunning:
			add(Due{At: t.Deadline, Kind: DueTry, Step: i, Task: k, Stamp: t.Try})
			if t.Loop != nil {
				s.loopDues(i, k, held, add)
			}
		}
	}
}

func (s *State) loopDues(i, k int, held bool, add func(Due)) {
	l := s.Steps[i].Tasks[k].Loop
	held = held || l.Limit != nil // people are asked first
	if l.Thinking {
		add(Due{At: l.Deadline, Kind: DueTurn, Step: i, Task: k, Stamp: l.Try})
	} else if !held {
		add(Due{At: l.RetryAt, Kind: DueStarts, Step: i, Task: k})
	}
	for _, c := range l.Calls {
		switch {
		case c.Status == loop.Running:
			add(Due{At: c.Deadline, Kind: DueCall, Step: i, Task: k, N: c.No, Stamp: c.Try})
		case c.Status == loop.Backoff && !held:
			add(Due{At: c.RetryAt, Kind: DueStarts, Step: i, Task: k})
		}
	}
	warn, stop := l.Moments(s.loopLimits(i, k))
	add(Due{At: warn, Kind: DueStarts, Step: i, Task: k})
	add(Due{At: stop, Kind: DueStarts, Step: i, Task: k})
}

// NextDeadline is when the run needs the next Tick.
func (s *State) NextDeadline() (at time.Time, ok bool) {
	s.Dues(func(d Due) {
		if at.IsZero() || d.At.Before(at) {
			at = d.At
		}
	})
	return at, !at.IsZero()
}
