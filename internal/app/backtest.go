package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Backtest evaluates a policy on everything that people or rules decided in a period, with the inputs of that time.
func (a *App) Backtest(ctx context.Context, who Who, candidate *policy.Set,
	since, until time.Time) (insight.Backtest, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return insight.Backtest{}, err
	}
	v, err := a.record.Backtest(ctx, a.guard.Scope(who), candidate, since, until)
	for _, passed := range [][]insight.Passed{v.WouldPassRejected, v.WouldPassModified} {
		for i := range passed {
			if err == nil {
				passed[i], err = sight.ShowIn(ctx, a.sight, a.guard.Viewer(who), passed[i].Run, passed[i],
					func(v *insight.Passed) *view.Masking { return &v.Masking })
			}
		}
	}
	return v, err
}
