package hindsight

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
)

// Insights counts what happened since a time.
func (h *Hindsight) Insights(ctx context.Context, who guard.Who, since, until time.Time,
	workflow string) (insight.Insights, error) {
	return h.record.Figures(ctx, h.guard.Scope(who), h.now(), since, until, workflow)
}

// AgentUsage adds up the use and the cost of agents since a time.
func (h *Hindsight) AgentUsage(ctx context.Context, who guard.Who, since, until time.Time,
	workflow string) (insight.AgentUsages, error) {
	return h.record.Usage(ctx, h.guard.Scope(who), h.now(), since, until, workflow)
}

// UsageOfAgent adds up the use and the cost of an agent that exists, or did.
func (h *Hindsight) UsageOfAgent(ctx context.Context, who guard.Who, since, until time.Time,
	agent, workflow string) (insight.AgentUsageDays, error) {
	v, err := h.record.UsageOf(ctx, h.guard.Scope(who), h.now(), since, until, agent, workflow)
	if err == nil && v.LastUsedAt == nil {
		_, err = h.documents.Show(ctx, who, definition.KindAgent, agent, 0)
	}
	return v, err
}
