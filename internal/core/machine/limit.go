package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// loopLimits returns the limits of the agent at work, including what people granted and raised.
func (s *State) loopLimits(i, k int) plan.Limits {
	return s.Steps[i].Tasks[k].Loop.Limits(s.plan.Nodes[i].Agent, s.Steps[i].Raised)
}

// Spent is how much of a limit a loop has used at a given time.
func (s *State) Spent(i, k int, kind run.LimitKind, now time.Time) loop.Gauge {
	return s.Steps[i].Tasks[k].Loop.Spent(kind, s.loopLimits(i, k), now)
}

// Meter is how much of a limit an agent has used: nanoseconds, billionths of a
// dollar, or turns.
type Meter struct {
	Limit run.LimitKind
	Used  int64
	Max   int64
	Since time.Time // of a duration that is still growing: when it began to count
}

// Meters returns the usage of each limit of an agent at work; nil if it has no limits. Index is that of a
// map's element, -1 otherwise.
func (s *State) Meters(step string, index int, now time.Time) []Meter {
	i, ok := s.plan.Step(step)
	k := max(index, 0)
	if !ok || k >= len(s.Steps[i].Tasks) || s.Steps[i].Tasks[k].Loop == nil {
		return nil
	}
	end := s.Steps[i].EndedAt
	if !end.IsZero() {
		now = end // the clock stopped there
	}
	var out []Meter
	for _, kind := range run.LimitKinds {
		if g := s.Spent(i, k, kind, now); g.Limit > 0 {
			m := Meter{Limit: kind, Used: max(g.Used, 0), Max: g.Limit}
			if kind == run.LimitDuration && end.IsZero() {
				m.Since = s.Steps[i].Tasks[k].Loop.StartedAt
			}
			out = append(out, m)
		}
	}
	return out
}

// limitHint ends the error of a run that stopped at a limit.
const limitHint = " Resume the run with a higher limit to continue."

// SubRunMessage is the error of a sub-run as the run that started it reports it: a raised limit would continue the
// sub-run alone.
func SubRunMessage(f *run.Failure) string {
	if said, ok := strings.CutSuffix(f.Message, limitHint); ok {
		return said + " Resuming this run starts a new sub-run."
	}
	return f.Message
}

// limitFailure describes the limit that stopped a run. Logs of earlier releases name the step only.
func limitFailure(f *run.RunLimitReached) *run.Failure {
	out := &run.Failure{Code: "limit_reached", Step: f.Step, Agent: f.Agent, Index: f.Index}
	if f.Agent == "" {
		out.Message = phrase.Sentence("%s has used up its %s", f.Step, f.Limit.Words())
		return out
	}
	out.Message = phrase.Sentence("%s has used up its %s: ", f.Agent, f.Limit.Words()) +
		fmt.Sprintf("%s of %s.", f.Limit.Amount(f.Current), f.Limit.Amount(f.Max)) + limitHint
	return out
}

// stoodStill excludes the time that a run was stopped from its agents' durations.
func (s *State) stoodStill(d time.Duration) {
	for i := range s.Steps {
		for k, t := range s.Steps[i].Tasks {
			if t.Loop != nil && t.Status != TaskDone {
				l := s.loop(i, k)
				l.StartedAt = l.StartedAt.Add(d)
			}
		}
	}
}
