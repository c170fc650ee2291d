package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
)

// limits are an agent's limits with what people granted on top, to this loop
// and, as raised, to its step.
func (l *Loop) limits(agent *plan.Agent, raised LimitAmount) (out plan.Limits) {
	if agent != nil && agent.Limits != nil {
		out = *agent.Limits
	}
	if out.Iterations == 0 {
		out.Iterations = TurnsMax
	}
	for _, more := range []LimitAmount{l.Granted, raised} {
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

// grant gives the loop more of what ran out.
func (l *Loop) grant(more LimitAmount) {
	l.Limit = nil
	l.Granted.Duration += more.Duration
	l.Granted.CostUSD = l.Granted.CostUSD.Add(more.CostUSD)
	l.Granted.Iterations += more.Iterations
}

// gauge is how much of a limit is used.
type gauge struct{ used, limit int64 }

func (g gauge) full() bool { return g.limit > 0 && g.used >= g.limit }

// near is 80 % or more, in whole numbers so that a timer set for that moment finds it.
func (g gauge) near() bool { return g.limit > 0 && g.used >= g.limit-g.limit/5 }

func (g gauge) percent() int { return int(float64(g.used) / float64(g.limit) * 100) }

// spent is what the loop has used of one of its limits at a moment.
func (l *Loop) spent(kind LimitKind, limits plan.Limits, now time.Time) gauge {
	switch kind {
	case LimitDuration:
		return gauge{int64(now.Sub(l.StartedAt)), int64(limits.Duration)}
	case LimitCost:
		return gauge{int64(l.Usage.CostUSD), int64(limits.CostUSD)}
	}
	return gauge{int64(l.Turns), int64(limits.Iterations)}
}

// moments are when the duration limit wants attention.
func (l *Loop) moments(limits plan.Limits) (warn, stop time.Time) {
	if limits.Duration <= 0 || l.Limit != nil {
		return
	}
	stop = l.StartedAt.Add(limits.Duration.Std())
	if !slices.Contains(l.Warned, LimitDuration) {
		warn = l.StartedAt.Add((limits.Duration - limits.Duration/5).Std())
	}
	return warn, stop
}
