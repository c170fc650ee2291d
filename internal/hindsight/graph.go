package hindsight

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Graph shows what was learned about tools, or about one tool.
func (h *Hindsight) Graph(ctx context.Context, who guard.Who, tool string, limit int) (insight.Graph, error) {
	if err := h.guard.May(who, access.Look); err != nil {
		return insight.Graph{}, err
	}
	return h.memory.Graph(ctx, tool, limit)
}

// LearnedRequests lists the requests of past runs with the tools that served them, the newest first.
func (h *Hindsight) LearnedRequests(ctx context.Context,
	who guard.Who) (v view.List[insight.LearnedRequest], err error) {
	if err := h.mayLearned(ctx, who, "graph.read"); err != nil {
		return v, err
	}
	return h.memory.Requests(ctx)
}

// RunsTaught lists what runs taught, the newest first.
func (h *Hindsight) RunsTaught(ctx context.Context, who guard.Who) (v view.List[insight.RunTaught], err error) {
	if err := h.mayLearned(ctx, who, "graph.read"); err != nil {
		return v, err
	}
	return h.memory.Runs(ctx)
}

func (h *Hindsight) mayLearned(ctx context.Context, who guard.Who, action string) error {
	err := h.guard.May(who, access.Learned)
	h.guard.Refused(ctx, who, action, "graph", err)
	return err
}

// ForgetGraph forgets what was learned so far.
func (h *Hindsight) ForgetGraph(ctx context.Context, who guard.Who,
	f insight.GraphForgetting) (v insight.GraphForgotten, err error) {
	if err := h.mayLearned(ctx, who, "graph.forgotten"); err != nil {
		return v, err
	}
	return h.memory.Forget(ctx, who.Actor(), f)
}

// RebuildGraph derives from the logs again what runs taught.
func (h *Hindsight) RebuildGraph(ctx context.Context, who guard.Who) (v insight.GraphRebuilt, err error) {
	if err = h.mayLearned(ctx, who, "graph.rebuilt"); err == nil {
		v, err = h.memory.Rebuild(ctx)
	}
	if err != nil {
		return v, err
	}
	_, err = h.store.AppendAudit(ctx, port.AuditDraft{At: h.now(), Actor: who.Actor(), Action: "graph.rebuilt",
		Target: "graph",
		Detail: map[string]any{"runs": v.Runs, "taught": v.Taught}})
	return v, err
}
