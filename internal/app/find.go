package app

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// How a search of everything is bounded.
const (
	FindMost    = 20 // entries of a kind
	FindDefault = 5
	findRows    = 500 // rows of a list in which matches may be masked for the reader
	findChunk   = 50
)

type (
	// FoundView is a search result.
	FoundView = view.FoundView
	// FoundList holds search results by kind.
	FoundList = view.FoundList
)

// Find searches approvals, runs and workflows for entries whose text visible to the reader contains every word, or
// whose id is the text.
func (a *App) Find(ctx context.Context, who Who, text string, limit int) (FoundList, error) {
	words, err := view.SearchWords(text)
	f := finding{App: a, ctx: ctx, who: who, limit: limit, text: text, words: words, sight: a.scope(who),
		seen: map[string]bool{}}
	f.out.Items = []FoundView{}
	if f.limit <= 0 {
		f.limit = FindDefault
	}
	if err != nil || len(words) == 0 {
		return f.out, err
	}
	if err := f.byID(strings.TrimSpace(text)); err != nil {
		return f.out, err
	}
	for _, search := range []func() error{
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
	*App
	ctx   context.Context
	who   Who
	text  string
	words []string
	limit int
	sight *port.Scope // of runs
	seen  map[string]bool
	out   FoundList
}

func (f *finding) add(v FoundView) {
	if !f.seen[v.ID] {
		f.seen[v.ID] = true
		f.out.Items = append(f.out.Items, v)
	}
}

// byID finds the entry with exactly this id, however old it is.
func (f *finding) byID(id string) error {
	var err error
	switch {
	case strings.HasPrefix(id, "apr_"):
		var v view.Approval
		if v, err = f.Approval(f.ctx, f.who, id, false); err == nil {
			f.add(view.FoundApprovalOf(v))
		}
	case strings.HasPrefix(id, "run_"):
		var v view.Run
		if v, err = f.Run(f.ctx, f.who, id, false); err == nil {
			f.add(view.FoundRunOf(v.ID, v.Workflow, v.Subject, string(v.Status), v.StartedAt))
		}
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// scan reads rows from the store until enough of them match in the text that the reader sees. Read returns the number
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
		page, err := f.approvalRows(f.ctx, f.who,
			port.ApprovalQuery{Status: statuses, Sort: sort, Text: f.text, Cursor: cursor, Limit: findChunk, NoTotal: true})
		found := 0
		for _, row := range page.Items {
			if found == left || err != nil {
				break
			}
			var v view.Approval
			if v, err = f.viewApproval(f.ctx, row, f.who, false); err == nil && view.Contains(v.Texts(), f.words) {
				f.add(view.FoundApprovalOf(v))
				found++
			}
		}
		left -= found
		return len(page.Items), found, page.Next, err
	})
}

func (f *finding) runs() error {
	show, left := f.showSummary(f.ctx, f.who), f.limit
	return f.scan(func(cursor string) (int, int, string, error) {
		page, err := f.lists.Runs(f.ctx, port.RunQuery{Scope: f.sight, Text: f.text, Cursor: cursor, Limit: findChunk})
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
	all, err := f.Workflows(f.ctx, f.who)
	if fault.Is(err, fault.Forbidden) {
		return nil
	}
	found := 0
	for _, v := range all.Items {
		about, _ := value.Get(v.Definition, "description")
		description, _ := value.Text(about)
		if found < f.limit && view.Contains([]string{v.Name, description}, f.words) {
			f.add(FoundView{Kind: view.FoundWorkflow, ID: v.Name, Title: v.Name, Subject: description, Workflow: v.Name})
			found++
		}
	}
	return err
}
