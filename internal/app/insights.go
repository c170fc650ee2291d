package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/insight"
)

// Insights counts what happened since a time.
func (a *App) Insights(ctx context.Context, who Who, since, until time.Time,
	workflow string) (insight.Insights, error) {
	return a.record.Figures(ctx, a.scope(who), a.Now(), since, until, workflow)
}
