package loop

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Limits of a loop: duration (including waiting), cost and turns. At 80 % a warning is raised, at 100 % the
// run stops or people are asked for more.

// Limits returns an agent's limits plus what people granted to this loop and, as raised, to its step.
func (l *State) Limits(agent *plan.Agent, raised run.LimitAmount) (out plan.Limits) {
	if agent != nil && agent.Limits != nil {
		out = *agent.Limits
	}
	if out.Iterations == 0 {
		out.Iterations = run.TurnsMax
	}
	for _, more := range []run.LimitAmount{l.Granted, raised} {
		out.Iterations += more.Iterations
		if out.CostUSD > 0 {
			out.CostUSD = out.CostUSD.Add(more.CostUSD)
		}
		if out.Duration > 0 {
			out.Duration += more.Duration
		}
	}
	return out
}

// Grant increases the limit that ran out.
func (l *State) Grant(more run.LimitAmount) {
	l.Limit = nil
	l.Granted.Duration += more.Duration
	l.Granted.CostUSD = l.Granted.CostUSD.Add(more.CostUSD)
	l.Granted.Iterations += more.Iterations
}

// Gauge is how much of a limit is used.
type Gauge struct{ Used, Limit int64 }

// Full reports whether a limit is used up.
func (g Gauge) Full() bool { return g.Limit > 0 && g.Used >= g.Limit }

// Near is 80 % or more, in whole numbers so that a timer set for that time finds it.
func (g Gauge) Near() bool { return g.Limit > 0 && g.Used >= g.Limit-g.Limit/5 }

// Percent is the used percentage of a limit.
func (g Gauge) Percent() int { return int(float64(g.Used) / float64(g.Limit) * 100) }

// Spent is how much of a limit the loop has used at a given time.
func (l *State) Spent(kind run.LimitKind, limits plan.Limits, now time.Time) Gauge {
	switch kind {
	case run.LimitDuration:
		return Gauge{int64(now.Sub(l.StartedAt)), int64(limits.Duration)}
	case run.LimitCost:
		return Gauge{int64(l.Usage.CostUSD), int64(limits.CostUSD)}
	}
	return Gauge{int64(l.Turns), int64(limits.Iterations)}
}

// Moments are the times at which the duration limit needs attention.
func (l *State) Moments(limits plan.Limits) (warn, stop time.Time) {
	if limits.Duration <= 0 || l.Limit != nil {
		return
	}
	stop = l.StartedAt.Add(limits.Duration.Std())
	if !slices.Contains(l.Warned, run.LimitDuration) {
		warn = l.StartedAt.Add((limits.Duration - limits.Duration/5).Std())
	}
	return warn, stop
}
