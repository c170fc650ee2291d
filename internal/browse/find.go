package browse

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// How a search of everything is bounded.
const (
	FindMost    = 20 // entries of a kind
	FindDefault = 5
	findRows    = 500 // rows of a list in which matches may be masked for the viewer
	findChunk   = 50
)

// Find searches approvals, runs and workflows for entries whose text visible to the viewer contains every word, or
// whose id is the text: of each kind at most a number of entries, by default FindDefault.
func (l *Lists) Find(ctx context.Context, text string, limit int) (view.FoundList, error) {
	words, err := view.SearchWords(text)
	f := finding{Lists: l, text: text, limit: limit, ctx: ctx, words: words, seen: map[string]bool{}}
	f.out.Items = []view.FoundView{}
	if f.limit <= 0 {
		f.limit = FindDefault
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
	ctx   context.Context
	text  string // every word of it is in what the viewer sees of an entry
	words []string
	limit int // entries of a kind
	seen  map[string]bool
	out   view.FoundList
}

func (f *finding) add(v view.FoundView) {
	if !f.seen[v.ID] {
		f.seen[v.ID] = true
		f.out.Items = append(f.out.Items, v)
	}
}

func (f *finding) byID() error {
	found, err := f.more.ByID(f.ctx, strings.TrimSpace(f.text))
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
		if seen, reads, all, cursor = seen+n, reads+1, all+found, next; err != nil || next == "" || all >= f.limit {
			return err
		}
		if seen >= findRows || reads == view.SearchReads {
			f.out.Partial = true
			return nil
		}
	}
}

func (f *finding) approvals(statuses []string, sort port.ApprovalSort) error {
	left := f.limit
	return f.scan(func(cursor string) (int, int, string, error) {
		page, err := f.rows(f.ctx,
			port.ApprovalQuery{Status: statuses, Sort: sort, Text: f.text, Cursor: cursor, Limit: findChunk, NoTotal: true})
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
	show, left := f.sight.ShowSummary(f.ctx, f.viewer), f.limit
	return f.scan(func(cursor string) (int, int, string, error) {
		page, err := f.store.Runs(f.ctx,
			port.RunQuery{Scope: f.viewer.Scope(), Text: f.text, Cursor: cursor, Limit: findChunk})
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
	all, err := f.more.Workflows(f.ctx)
	found := 0
	for _, v := range all {
		if found < f.limit && view.Contains([]string{v.Name, v.Description}, f.words) {
			f.add(view.FoundView{Kind: view.FoundWorkflow, ID: v.Name, Title: v.Name, Subject: v.Description,
				Workflow: v.Name})
			found++
		}
	}
	return err
}
