package app

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/browse"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// Lists are the lists of approvals, runs and deliverables as the caller sees them.
func (a *App) Lists(who Who) *browse.Lists {
	return browse.New(a.lists, a.sight, a.guard.Viewer(who), browse.More{
		ByID: func(ctx context.Context, id string) (*view.FoundView, error) { return a.foundByID(ctx, who, id) },
		Workflows: func(ctx context.Context) ([]browse.Workflow, error) {
			return a.foundWorkflows(ctx, who)
		}})
}

// foundByID is the entry with exactly this id, however old it is, if there is one that the caller may see.
func (a *App) foundByID(ctx context.Context, who Who, id string) (found *view.FoundView, err error) {
	switch {
	case strings.HasPrefix(id, "apr_"):
		var v view.Approval
		if v, err = a.Approval(ctx, who, id, false); err == nil {
			one := view.FoundApprovalOf(v)
			found = &one
		}
	case strings.HasPrefix(id, "run_"):
		var v view.Run
		if v, err = a.Run(ctx, who, id, false); err == nil {
			one := view.FoundRunOf(v.ID, v.Workflow, v.Subject, string(v.Status), v.StartedAt)
			found = &one
		}
	}
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return found, err
}

// foundWorkflows are the workflows that the caller may read; none, if they may read none.
func (a *App) foundWorkflows(ctx context.Context, who Who) (out []browse.Workflow, err error) {
	all, err := a.Documents.Workflows(ctx, who)
	if fault.Is(err, fault.Forbidden) {
		return nil, nil
	}
	for _, v := range all.Items {
		about, _ := value.Get(v.Definition, "description")
		description, _ := value.Text(about)
		out = append(out, browse.Workflow{Name: v.Name, Description: description})
	}
	return out, err
}
