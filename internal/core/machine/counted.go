package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Family identifies related runs by the first of them: a run, its sub-runs, its forks and its retries.
func (s *State) Family() string {
	switch {
	case s.Started.Family != "":
		return s.Started.Family
	case s.Forked != nil:
		return s.Forked.From
	}
	return s.ID
}

// count records an act that has begun. Another attempt replaces it.
func (s *State) count(c *run.Counted, at time.Time, try int) {
	if c == nil {
		return
	}
	one := run.Counted{Act: c.Act, Operation: c.Operation, At: at, Counts: slices.Clone(c.Counts)}
	if n := s.Begun(c.Act); try > 1 && n >= 0 {
		s.Counted = slices.Clone(s.Counted)
		s.Counted[n] = one
		return
	}
	s.Counted = append(s.Counted, one)
}

// Begun is the position of an act among those counted, or -1.
func (s *State) Begun(act string) int {
	return slices.IndexFunc(s.Counted, func(c run.Counted) bool { return c.Act == act })
}

// uncount removes an act that a host took back before doing anything.
func (s *State) uncount(act string) {
	if n := s.Begun(act); n >= 0 {
		s.Counted = slices.Delete(slices.Clone(s.Counted), n, n+1)
	}
}

// CountedIn lists the acts of a run that began in these events, and those that were taken back. Acts that a
// fork copied belong to the original run.
func CountedIn(s *State, events []run.Event) (begun []run.Counted, takenBack []string) {
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *run.RunForked:
			begun, takenBack = nil, nil
		case *run.StepStarted:
			begun = appendCounted(begun, f.Counted, e.At)
		case *run.CallStarted:
			begun = appendCounted(begun, f.Counted, e.At)
		case *run.StepRebound:
			takenBack = append(takenBack, f.Act)
		case *run.CallRebound:
			takenBack = append(takenBack, f.Act)
		}
	}
	return begun, slices.DeleteFunc(takenBack, func(act string) bool { return act == "" || s.Begun(act) >= 0 })
}

func appendCounted(list []run.Counted, c *run.Counted, at time.Time) []run.Counted {
	if c == nil {
		return list
	}
	one := *c
	one.At = at
	return append(slices.DeleteFunc(list, func(o run.Counted) bool { return o.Act == one.Act }), one)
}
