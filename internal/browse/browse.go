// Package browse lists and searches approvals, runs and deliverables, as far as a viewer may see them.
//
//	lists := browse.New(store, sight, viewer, more)
//	page, err := lists.Mine(ctx, port.ApprovalQuery{Status: []string{"pending"}})
//	found, err := lists.Find(ctx, "parcel", browse.FindDefault)
//
// Every list is limited to the viewer's scope by the store, and every entry is shown by package sight. It changes
// nothing.
package browse

import (
	"context"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that is listed.
type Store interface {
	Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error)
	Runs(ctx context.Context, q port.RunQuery) (port.Page[port.RunRow], error)
	SecondLooks(ctx context.Context, q port.SecondLookQuery) (port.Page[port.SecondLook], error)
	Deliverables(ctx context.Context, q port.DeliverableQuery) (port.Page[port.DeliverableRow], error)
}

// Lists are the lists of a store as one viewer sees them. Any number of goroutines may use them.
type Lists struct {
	store  Store
	sight  *sight.Sight
	viewer sight.Viewer
	more   More
}

// More is what Find reads from elsewhere.
type More struct {
	// ByID returns the entry with an id, however old it is, or none.
	ByID func(ctx context.Context, id string) (*view.FoundView, error)
	// Workflows lists the workflows that the viewer sees.
	Workflows func(context.Context) ([]Workflow, error)
}

// Workflow is a workflow in force.
type Workflow struct{ Name, Description string }

// New lists a store for a viewer, showing entries with a sight.
func New(store Store, s *sight.Sight, v sight.Viewer, more More) *Lists {
	return &Lists{store, s, v, more}
}

// Runs lists runs, newest first.
func (l *Lists) Runs(ctx context.Context, q port.RunQuery) (view.List[view.RunSummary], error) {
	q.Scope = l.viewer.Scope()
	page, err := l.store.Runs(ctx, q)
	if err != nil {
		return view.List[view.RunSummary]{}, err
	}
	return view.PageOf(page, l.sight.ShowSummary(ctx, l.viewer))
}

// SearchRuns lists the runs that have every word of a text.
func (l *Lists) SearchRuns(ctx context.Context, q port.RunQuery,
	text string) (view.List[view.RunSummary], error) {
	q.Text = text
	return view.Found(text, q.Cursor, q.Limit, l.sight.Unmasked(l.viewer),
		func(cursor string, limit int) (view.List[view.RunSummary], error) {
			q.Cursor, q.Limit = cursor, limit
			return l.Runs(ctx, q)
		}, view.RunSummary.Texts)
}

// Deliverables lists results, newest first: of each name in a run the newest version.
func (l *Lists) Deliverables(ctx context.Context, q port.DeliverableQuery) (view.List[view.Deliverable], error) {
	q.Scope = l.viewer.Scope()
	page, err := l.store.Deliverables(ctx, q)
	if err != nil {
		return view.List[view.Deliverable]{}, err
	}
	return view.PageOf(page, l.sight.ShowDeliverable(ctx, l.viewer))
}
