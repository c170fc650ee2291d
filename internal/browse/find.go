package browse

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// How a search of everything is bounded.
const (
	FindMost    = 20 // entries of a kind
	FindDefault = 5
	findRows    = 500 // rows of a list in which matches may be masked for the viewer
	findChunk   = 50
)

// Search is a search of everything.
type Search struct {
	Text  string // every word of it is in what the viewer sees of an entry
	Limit int    // entries of a kind; 0: FindDefault
	// ByID returns the entry whose id is the text, however old it is, or none.
	ByID func(id string) (*view.FoundView, error)
	// Workflows lists the workflows that the viewer sees.
	Workflows func() ([]Workflow, error)
}

// Workflow is a workflow in force.
type Workflow struct{ Name, Description string }

// Find searches approvals, runs and workflows for entries whose text visible to the viewer contains every word, or
// whose id is the text.
func (l *Lists) Find(ctx context.Context, v sight.Viewer, s Search) (view.FoundList, error) {
	words, err := view.SearchWords(s.Text)
	f := finding{Lists: l, Search: s, ctx: ctx, viewer: v, words: words, seen: map[string]bool{}}
	f.out.Items = []view.FoundView{}
	if f.Limit <= 0 {
		f.Limit = FindDefault
	}
	if err != nil || len(words) == 0 {
		return f.out, err
	}
	for _, search := range []func() error{
		f.byID,
		func() error { return f.approvals([]string{string(gate.Pending)}, port.ByPriority) },
		f.runs,
		func() error { return f.approvals(view.SettledStatuses, port.BySettled) },
		f.workflows,
	} {
		if err := search(); err != nil {
			return f.out, err
		}
	}
	return f.out, nil
}

// finding is a search in progress.
type finding struct {
	*Lists
	Search
	ctx    context.Context
	viewer sight.Viewer
	words  []string
	seen   map[string]bool
	out    view.FoundList
}

func (f *finding) add(v view.FoundView) {
	if !f.seen[v.ID] {
		f.seen[v.ID] = true
		f.out.Items = append(f.out.Items, v)
	}
}

func (f *finding) byID() error {
	found, err := f.ByID(strings.TrimSpace(f.Text))
	if err == nil && found != nil {
		f.add(*found)
	}
	return err
}

// scan reads rows from the store until enough of them match in the text that the viewer sees. Read returns the number
// of rows, the number of matches, and the cursor of the next page.
func (f *finding) scan(read func(cursor string) (n, found int, next string, err error)) error {
	for seen, reads, all, cursor := 0, 0, 0, ""; ; {
		n, found, next, err := read(cursor)
		if seen, reads, all, cursor = seen+n, reads+1, all+found, next; err != nil || next == "" || all >= f.Limit {
			return err
		}
		if seen >= findRows || reads == view.SearchReads {
			f.out.Partial = true
			return nil
		}
	}
}

func (f *finding) approvals(statuses []string, sort port.ApprovalSort) error {
	left := f.Limit
	return f.scan(func(cursor string) (int, int, string, error) {
		page, err := f.rows(f.ctx, f.viewer,
			port.ApprovalQuery{Status: statuses, Sort: sort, Text: f.Text, Cursor: cursor, Limit: findChunk, NoTotal: true})
		found := 0
		for _, row := range page.Items {
			if found == left || err != nil {
				break
			}
			var v view.Approval
			if v, err = f.sight.ShowApproval(f.ctx, f.viewer, row, false); err == nil && view.Contains(v.Texts(), f.words) {
				f.add(view.FoundApprovalOf(v))
				found++
			}
		}
		left -= found
		return len(page.Items), found, page.Next, err
	})
}

func (f *finding) runs() error {
	show, left := f.sight.ShowSummary(f.ctx, f.viewer), f.Limit
	return f.scan(func(cursor string) (int, int, string, error) {
		page, err := f.store.Runs(f.ctx,
			port.RunQuery{Scope: f.viewer.Scope(), Text: f.Text, Cursor: cursor, Limit: findChunk})
		found := 0
		for _, row := range page.Items {
			if found == left || err != nil {
				break
			}
			var v view.RunSummary
			if v, err = show(row); err == nil && view.Contains(v.Texts(), f.words) {
				f.add(view.FoundRunOf(v.ID, v.Workflow, v.Subject, string(v.Status), v.StartedAt))
				found++
			}
		}
		left -= found
		return len(page.Items), found, page.Next, err
	})
}

func (f *finding) workflows() error {
	all, err := f.Workflows()
	found := 0
	for _, v := range all {
		if found < f.Limit && view.Contains([]string{v.Name, v.Description}, f.words) {
			f.add(view.FoundView{Kind: view.FoundWorkflow, ID: v.Name, Title: v.Name, Subject: v.Description,
				Workflow: v.Name})
			found++
		}
	}
	return err
}
