package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Redact removes sensitive values from what a run teaches, for the engine.
func (a *App) Redact(ctx context.Context, s *machine.State, e *run.Experience) *run.Experience {
	return a.memory.Redact(ctx, s, e)
}

// Graph shows what was learned about tools, or about one tool.
func (a *App) Graph(ctx context.Context, who Who, tool string, limit int) (insight.Graph, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return insight.Graph{}, err
	}
	return a.memory.Graph(ctx, tool, limit)
}

// LearnedRequests lists the requests of past runs with the tools that served them, the newest first.
func (a *App) LearnedRequests(ctx context.Context, who Who) (v view.List[insight.LearnedRequest], err error) {
	if err := a.mayLearned(ctx, who, "graph.read"); err != nil {
		return v, err
	}
	return a.memory.Requests(ctx)
}

// RunsTaught lists what runs taught, the newest first.
func (a *App) RunsTaught(ctx context.Context, who Who) (v view.List[insight.RunTaught], err error) {
	if err := a.mayLearned(ctx, who, "graph.read"); err != nil {
		return v, err
	}
	return a.memory.Runs(ctx)
}

func (a *App) mayLearned(ctx context.Context, who Who, action string) error {
	err := a.guard.May(who, access.Learned)
	a.Access.Refused(ctx, who, action, "graph", err)
	return err
}

// ForgetGraph forgets what was learned so far.
func (a *App) ForgetGraph(ctx context.Context, who Who,
	f insight.GraphForgetting) (v insight.GraphForgotten, err error) {
	if err := a.mayLearned(ctx, who, "graph.forgotten"); err != nil {
		return v, err
	}
	return a.memory.Forget(ctx, who.Actor(), f)
}

// RebuildGraph derives from the logs again what runs taught.
func (a *App) RebuildGraph(ctx context.Context, who Who) (v insight.GraphRebuilt, err error) {
	if err = a.mayLearned(ctx, who, "graph.rebuilt"); err == nil {
		v, err = a.memory.Rebuild(ctx)
	}
	if err != nil {
		return v, err
	}
	return v, a.Record(ctx, port.AuditDraft{Actor: who.Actor(), Action: "graph.rebuilt", Target: "graph",
		Detail: map[string]any{"runs": v.Runs, "taught": v.Taught}})
}
