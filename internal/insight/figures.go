package insight

import (
	"context"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Insights are the decision metrics of a period.
type Insights struct {
	Since     time.Time         `json:"since"`     // The start.
	Until     time.Time         `json:"until"`     // Until when.
	Pending   PendingFigures    `json:"pending"`   // Pending approvals.
	Decided   DecidedFigures    `json:"decided"`   // What was settled in the span.
	Runs      RunFigures        `json:"runs"`      // Runs that started in the span.
	Days      []DayFigures      `json:"days"`      // By day, oldest first.
	Agents    []AgentFigures    `json:"agents"`    // By agent.
	Workflows []WorkflowFigures `json:"workflows"` // By workflow.
	Failures  []FailureFigures  `json:"failures"`  // Failures of steps, by kind.
	Rules     []Accuracy        `json:"rules"`     // How often reviewers agreed with rules.
}

// PendingFigures count pending approvals.
type PendingFigures struct {
	Total int64 `json:"total"`
	// True if there are at least total items, but possibly more.
	AtLeast  bool             `json:"total_is_lower_bound,omitempty"`
	OldestAt *time.Time       `json:"oldest_at"` // When the oldest was requested.
	ByRisk   map[string]int64 `json:"by_risk"`   // By risk; approvals without one are not counted.
}

// DecidedFigures count approvals settled in the period.
type DecidedFigures struct {
	Total     int64            `json:"total"`
	ByStatus  map[string]int64 `json:"by_status"`  // By status.
	ByPeople  int64            `json:"by_people"`  // Decided by people.
	ByRules   int64            `json:"by_rules"`   // Approved by rules.
	AutoShare float64          `json:"auto_share"` // The share decided by rules, from 0 to 1.
	MedianS   float64          `json:"median_s"`   // Median waiting time of decisions by people, in seconds.
	SlowS     float64          `json:"p90_s"`      // 90th percentile of the waiting time, in seconds.
	Waits     []WaitFigures    `json:"waits"`      // Decisions by people, by waiting time.
}

// WaitFigures count people's decisions by how long they waited.
type WaitFigures struct {
	UnderS *float64 `json:"under_s"` // The upper bound of this bucket in seconds, exclusive; null for the last one.
	Count  int64    `json:"count"`   // How many.
}

// RunFigures count runs that started in the period.
type RunFigures struct {
	Total    int64            `json:"total"`
	ByStatus map[string]int64 `json:"by_status"` // By status.
	CostUSD  string           `json:"cost_usd"`
}

// DayFigures are about one day in UTC.
type DayFigures struct {
	Day     string           `json:"day"`     // The day, such as 2026-03-01.
	Settled map[string]int64 `json:"settled"` // Settled approvals, by status.
	Runs    map[string]int64 `json:"runs"`    // Started runs, by status.
	CostUSD string           `json:"cost_usd"`
}

// AgentFigures are about one agent.
type AgentFigures struct {
	Agent    string           `json:"agent"`
	Settled  map[string]int64 `json:"settled"`  // Approvals of its work, by status.
	Failures int64            `json:"failures"` // The number of failed steps.
}

// WorkflowFigures are about one workflow.
type WorkflowFigures struct {
	Workflow string           `json:"workflow"`
	Runs     map[string]int64 `json:"runs"` // Started runs, by status.
	CostUSD  string           `json:"cost_usd"`
}

// FailureFigures count failures of one kind.
type FailureFigures struct {
	Code  string `json:"code"`  // The kind.
	Count int64  `json:"count"` // How many.
}

const (
	insightsSpan = 30 * 24 * time.Hour // by default
	insightsMost = 366 * 24 * time.Hour
)

// byPeople are the statuses that people settle approvals with.
var byPeople = []gate.Status{gate.Approved, gate.Modified, gate.Rejected, gate.Chosen, gate.Submitted,
	gate.RevisionRequested}

// period is the period to count in: 30 days, unless given.
func period(now, since, until time.Time) (from, to time.Time, err error) {
	if until.IsZero() {
		until = now
	}
	if since.IsZero() {
		since = until.Add(-insightsSpan)
	}
	switch {
	case !since.Before(until):
		return from, to, fault.Of("the period is not valid",
			[]fault.Problem{{Path: "since", Message: "must be before until"}})
	case until.Sub(since) > insightsMost:
		return from, to, fault.Of("the period is not valid",
			[]fault.Problem{{Path: "since", Message: "must be at most 366 days"}})
	}
	return since, until, nil
}

// Figures computes the metrics since a time, limited to a scope.
func (h *Record) Figures(
	ctx context.Context, scope *port.Scope, now, since, until time.Time, workflow string,
) (Insights, error) {
	since, until, err := period(now, since, until)
	if err != nil {
		return Insights{}, err
	}
	q := port.FigureQuery{Since: since, Until: until, Workflow: workflow, Scope: scope}
	for _, s := range byPeople {
		q.People = append(q.People, string(s))
	}
	f, err := h.store.Figures(ctx, q)
	if err != nil {
		return Insights{}, err
	}
	v := Insights{Since: since.UTC(), Until: until.UTC(), Decided: decided(f), Runs: ran(f), Days: days(f, since, until),
		Agents: agents(f), Workflows: workflows(f)}
	v.Failures = []FailureFigures{}
	for _, t := range f.FailKinds {
		v.Failures = append(v.Failures, FailureFigures{t.Key, t.Count})
	}
	if v.Pending, err = h.pendingFigures(ctx, scope, workflow, f.Rehearsed); err != nil {
		return v, err
	}
	samples, err := h.Samples(ctx, scope, since)
	v.Rules = view.NotNil(samples.Accuracy)
	return v, err
}

// pendingFigures reads the inbox, which counts cheaply, and subtracts the approvals of test runs.
func (h *Record) pendingFigures(ctx context.Context, scope *port.Scope, workflow string,
	tests []port.Tally) (PendingFigures, error) {
	q := port.ApprovalQuery{Status: []string{string(gate.Pending)}, Workflow: workflow, Sort: port.ByAge,
		Limit: 1, Scope: scope}
	page, err := h.store.Approvals(ctx, q)
	if err != nil {
		return PendingFigures{}, err
	}
	v := PendingFigures{Total: page.Total, AtLeast: page.AtLeast, ByRisk: map[string]int64{}}
	rehearsed := map[string]int64{}
	for _, t := range tests {
		v.Total, rehearsed[t.Key] = v.Total-t.Count, t.Count
	}
	if v.OldestAt, err = h.oldest(ctx, q, page); err != nil {
		return v, err
	}
	for _, level := range risk.Levels {
		q.Risk = string(level)
		page, err := h.store.Approvals(ctx, q)
		if err != nil {
			return v, err
		}
		if n := page.Total - rehearsed[string(level)]; n > 0 {
			v.ByRisk[string(level)] = n
		}
	}
	return v, nil
}

// oldest is when the oldest pending approval, test runs excluded, was requested.
func (h *Record) oldest(ctx context.Context, q port.ApprovalQuery,
	page port.Page[port.ApprovalRow]) (*time.Time, error) {
	for q.NoTotal = true; ; {
		for _, row := range page.Items {
			ap, err := view.ReadApproval(row)
			if err != nil {
				return nil, err
			}
			if !ap.TestMode {
				return &row.RequestedAt, nil
			}
		}
		if q.Cursor, q.Limit = page.Next, PageMost; q.Cursor == "" {
			return nil, nil
		}
		var err error
		if page, err = h.store.Approvals(ctx, q); err != nil {
			return nil, err
		}
	}
}

func decided(f port.Figures) DecidedFigures {
	v := DecidedFigures{ByStatus: map[string]int64{}, MedianS: f.Median.Seconds(), SlowS: f.Slow.Seconds(),
		Waits: []WaitFigures{}}
	for _, t := range f.Settled {
		v.Total += t.Count
		v.ByStatus[t.Status] += t.Count
		switch {
		case t.Status == string(gate.AutoApproved):
			v.ByRules += t.Count
		case slices.Contains(byPeople, gate.Status(t.Status)):
			v.ByPeople += t.Count
		}
	}
	if n := v.ByPeople + v.ByRules; n > 0 {
		v.AutoShare = float64(v.ByRules) / float64(n)
	}
	for _, w := range f.Waits {
		one := WaitFigures{Count: w.Count}
		if w.Under > 0 {
			one.UnderS = new(w.Under.Seconds())
		}
		v.Waits = append(v.Waits, one)
	}
	return v
}

func ran(f port.Figures) RunFigures {
	v := RunFigures{ByStatus: map[string]int64{}}
	var cost quantity.Money
	for _, t := range f.Runs {
		v.Total += t.Count
		v.ByStatus[t.Status] += t.Count
		cost = cost.Add(t.CostUSD)
	}
	v.CostUSD = cost.String()
	return v
}

// days lists every day of the period, including those without events.
func days(f port.Figures, since, until time.Time) []DayFigures {
	type sums struct {
		settled, runs map[string]int64
		cost          quantity.Money
	}
	by := map[string]*sums{}
	at := func(t time.Time) *sums {
		name := t.UTC().Format(time.DateOnly)
		if by[name] == nil {
			by[name] = &sums{settled: map[string]int64{}, runs: map[string]int64{}}
		}
		return by[name]
	}
	for _, t := range f.Settled {
		at(t.Day).settled[t.Status] += t.Count
	}
	for _, t := range f.Runs {
		s := at(t.Day)
		s.runs[t.Status] += t.Count
		s.cost = s.cost.Add(t.CostUSD)
	}
	out := []DayFigures{}
	for d := since.UTC().Truncate(24 * time.Hour); d.Before(until); d = d.Add(24 * time.Hour) {
		s := at(d)
		out = append(out, DayFigures{d.Format(time.DateOnly), s.settled, s.runs, s.cost.String()})
	}
	return out
}

func agents(f port.Figures) []AgentFigures {
	out := []AgentFigures{}
	at := func(name string) *AgentFigures {
		i := slices.IndexFunc(out, func(a AgentFigures) bool { return a.Agent == name })
		if i < 0 {
			i = len(out)
			out = append(out, AgentFigures{Agent: name, Settled: map[string]int64{}})
		}
		return &out[i]
	}
	for _, t := range f.ByAgent {
		if t.Key != "" {
			at(t.Key).Settled[t.Status] += t.Count
		}
	}
	for _, t := range f.Failures {
		if t.Key != "" {
			at(t.Key).Failures += t.Count
		}
	}
	return out
}

func workflows(f port.Figures) []WorkflowFigures {
	out := []WorkflowFigures{}
	cost := map[string]quantity.Money{}
	for _, t := range f.ByFlow {
		i := slices.IndexFunc(out, func(w WorkflowFigures) bool { return w.Workflow == t.Key })
		if i < 0 {
			i = len(out)
			out = append(out, WorkflowFigures{Workflow: t.Key, Runs: map[string]int64{}})
		}
		out[i].Runs[t.Status] += t.Count
		cost[t.Key] = cost[t.Key].Add(t.CostUSD)
	}
	for i := range out {
		out[i].CostUSD = cost[out[i].Workflow].String()
	}
	return out
}
