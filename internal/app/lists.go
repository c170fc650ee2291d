package app

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/browse"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Approvals lists the inbox, or the approvals of one run.
func (a *App) Approvals(ctx context.Context, who Who, q port.ApprovalQuery) (view.List[view.Approval], error) {
	return a.browse.Approvals(ctx, a.guard.Viewer(who), q)
}

// MyApprovals lists the approvals that the caller may answer, and the settled ones that asked them.
func (a *App) MyApprovals(ctx context.Context, who Who, q port.ApprovalQuery) (view.List[view.Approval], error) {
	return a.browse.Mine(ctx, a.guard.Viewer(who), q)
}

// SearchApprovals lists the approvals that have every word of a text, among all or among the caller's own.
func (a *App) SearchApprovals(ctx context.Context, who Who, q port.ApprovalQuery, text string,
	mine bool) (view.List[view.Approval], error) {
	return a.browse.SearchApprovals(ctx, a.guard.Viewer(who), q, text, mine)
}

// GroupApprovals lists pending approvals with one row for similar ones of a run.
func (a *App) GroupApprovals(ctx context.Context, who Who, q port.ApprovalQuery, text string,
	mine bool) (view.List[view.Approval], error) {
	return a.browse.Grouped(ctx, a.guard.Viewer(who), q, text, mine)
}

// SecondLooks lists results that passed with a confidence at which a second look is suggested.
func (a *App) SecondLooks(ctx context.Context, who Who, q port.SecondLookQuery,
	text string) (view.List[view.Approval], error) {
	return a.browse.SecondLooks(ctx, a.guard.Viewer(who), q, text)
}

// Runs lists runs, newest first.
func (a *App) Runs(ctx context.Context, who Who, q port.RunQuery) (view.List[view.RunSummary], error) {
	return a.browse.Runs(ctx, a.guard.Viewer(who), q)
}

// SearchRuns lists the runs that have every word of a text.
func (a *App) SearchRuns(ctx context.Context, who Who, q port.RunQuery,
	text string) (view.List[view.RunSummary], error) {
	return a.browse.SearchRuns(ctx, a.guard.Viewer(who), q, text)
}

// Deliverables lists results, newest first: of each name in a run the newest version.
func (a *App) Deliverables(ctx context.Context, who Who, q port.DeliverableQuery) (view.List[view.Deliverable], error) {
	return a.browse.Deliverables(ctx, a.guard.Viewer(who), q)
}

// Find searches approvals, runs and workflows for entries whose text visible to the caller contains every word, or
// whose id is the text.
func (a *App) Find(ctx context.Context, who Who, text string, limit int) (view.FoundList, error) {
	return a.browse.Find(ctx, a.guard.Viewer(who), browse.Search{
		Text: text, Limit: limit,
		ByID:      func(id string) (*view.FoundView, error) { return a.foundByID(ctx, who, id) },
		Workflows: func() ([]browse.Workflow, error) { return a.foundWorkflows(ctx, who) },
	})
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
