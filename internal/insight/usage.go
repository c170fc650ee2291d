package insight

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// AgentUsages is the use and the cost of agents in a period.
type AgentUsages struct {
	Since time.Time `json:"since"` // The start of the period.
	Until time.Time `json:"until"` // The end of the period.
	// When counting began, if that was within the period; null: everything is counted.
	CountedSince *time.Time `json:"counted_since"`
	// Agents that were used, the most expensive first.
	Items []AgentUsage `json:"items"`
}

// AgentUsage is the use and the cost of one agent. Test runs do not count.
type AgentUsage struct {
	Agent string `json:"agent" holds:"id"`
	UsageFigures
	// When it last worked in the period; null if it did not.
	LastUsedAt *time.Time `json:"last_used_at"`
}

// UsageFigures count the work of an agent.
type UsageFigures struct {
	Runs        int64  `json:"runs"`         // Runs in which it worked.
	Steps       int64  `json:"steps"`        // Steps that it completed or that failed.
	FailedSteps int64  `json:"failed_steps"` // Steps that failed.
	LLMCalls    int64  `json:"llm_calls"`    // Calls of models.
	TokensIn    int64  `json:"tokens_in"`    // Tokens read by models.
	TokensOut   int64  `json:"tokens_out"`   // Tokens written by models.
	CostUSD     string `json:"cost_usd"`
}

// AgentUsageDays is the use and the cost of one agent, by day.
type AgentUsageDays struct {
	AgentUsage
	Since time.Time `json:"since"` // The start of the period.
	Until time.Time `json:"until"` // The end of the period.
	// When counting began, if that was within the period; null: everything is counted.
	CountedSince *time.Time `json:"counted_since"`
	// Every day of the period.
	Days []UsageDay `json:"days"`
}

// UsageDay is the use of an agent on one day in UTC.
type UsageDay struct {
	Day string `json:"day"` // The day, such as 2026-03-01.
	UsageFigures
}

// Usage adds up the use and the cost of all agents, limited to a scope.
func (h *Record) Usage(
	ctx context.Context, scope *port.Scope, now, since, until time.Time, workflow string,
) (AgentUsages, error) {
	q := port.WorkQuery{Workflow: workflow, Scope: scope}
	var err error
	if q.Since, q.Until, err = period(now, since, until); err != nil {
		return AgentUsages{}, err
	}
	w, err := h.store.AgentWork(ctx, q)
	if err != nil {
		return AgentUsages{}, err
	}
	v := AgentUsages{Since: q.Since.UTC(), Until: q.Until.UTC(), CountedSince: countedSince(w, q.Since),
		Items: []AgentUsage{}}
	for _, t := range w.Agents {
		v.Items = append(v.Items, usageOf(t))
	}
	return v, nil
}

// UsageOf adds up the use and the cost of one agent, limited to a scope. Nothing found is not an error.
func (h *Record) UsageOf(
	ctx context.Context, scope *port.Scope, now, since, until time.Time, agent, workflow string,
) (v AgentUsageDays, err error) {
	q := port.WorkQuery{Workflow: workflow, Agent: agent, ByDay: true, Scope: scope}
	if q.Since, q.Until, err = period(now, since, until); err != nil {
		return v, err
	}
	w, err := h.store.AgentWork(ctx, q)
	if err != nil {
		return v, err
	}
	v = AgentUsageDays{AgentUsage: usageOf(port.WorkTotal{Agent: agent}), Since: q.Since.UTC(), Until: q.Until.UTC(),
		CountedSince: countedSince(w, q.Since)}
	if len(w.Agents) > 0 {
		v.AgentUsage = usageOf(w.Agents[0])
	}
	byDay := map[string]port.WorkTotal{}
	for _, t := range w.Days {
		byDay[t.Day.Format(time.DateOnly)] = t
	}
	for at := v.Since.Truncate(24 * time.Hour); at.Before(v.Until); at = at.AddDate(0, 0, 1) {
		day := at.Format(time.DateOnly)
		v.Days = append(v.Days, UsageDay{day, figuresOf(byDay[day])})
	}
	return v, nil
}

// countedSince is when counting began, if that is within the period.
func countedSince(w port.AgentWork, since time.Time) *time.Time {
	if w.From.IsZero() || !w.From.After(since) {
		return nil
	}
	return &w.From
}

func usageOf(t port.WorkTotal) AgentUsage {
	v := AgentUsage{Agent: t.Agent, UsageFigures: figuresOf(t)}
	if !t.Last.IsZero() {
		v.LastUsedAt = &t.Last
	}
	return v
}

func figuresOf(t port.WorkTotal) UsageFigures {
	return UsageFigures{Runs: t.Runs, Steps: t.Steps, FailedSteps: t.Failed, LLMCalls: t.Usage.LLMCalls,
		TokensIn: t.Usage.TokensIn, TokensOut: t.Usage.TokensOut, CostUSD: t.Usage.CostUSD.String()}
}
