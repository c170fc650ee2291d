package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
)

// Insights counts what happened since a time.
func (a *App) Insights(ctx context.Context, who Who, since, until time.Time,
	workflow string) (insight.Insights, error) {
	return a.record.Figures(ctx, a.guard.Scope(who), a.Now(), since, until, workflow)
}

// AgentUsage adds up the use and the cost of agents since a time.
func (a *App) AgentUsage(ctx context.Context, who Who, since, until time.Time,
	workflow string) (insight.AgentUsages, error) {
	return a.record.Usage(ctx, a.guard.Scope(who), a.Now(), since, until, workflow)
}

// UsageOfAgent adds up the use and the cost of an agent that exists, or did.
func (a *App) UsageOfAgent(ctx context.Context, who Who, since, until time.Time,
	agent, workflow string) (insight.AgentUsageDays, error) {
	v, err := a.record.UsageOf(ctx, a.guard.Scope(who), a.Now(), since, until, agent, workflow)
	if err == nil && v.LastUsedAt == nil {
		_, err = a.Documents.Show(ctx, who, definition.KindAgent, agent, 0)
	}
	return v, err
}
