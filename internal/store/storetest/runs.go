package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

func runRow(t *testing.T, s store.Store) {
	_, err := s.Run(t.Context(), "run_1")
	wantCode(t, err, fault.NotFound)
	a := newAuthor("run_1")
	a.row = port.RunRow{
		ID: "run_1", Workflow: "refund", Version: 3, Definition: "sha256:d", Status: run.Waiting, Owner: "ann",
		Labels: map[string]string{"env": "test", "team": "ü x", "empty": ""}, StepsDone: 1, StepsTotal: 3, Pending: 2,
		Error: "none", Subject: "Refund 35 EUR to Åse", CostUSD: "0.10",
		Parent: "run_0", RetryOf: "run_r", ForkedFrom: "run_f", StartedAt: began,
		UpdatedAt: began.Add(1), EndedAt: began.Add(2),
		DueAt: began.Add(3), Busy: true, Cancelling: true, TestMode: true,
	}
	a.did(t, s, started(`{}`))
	got, err := s.Run(t.Context(), "run_1")
	must(t, err)
	want := a.row
	want.Seq = 1
	wantEqual(t, "row", got, want)

	// What lists are ordered and found by stays; the rest follows.
	w := a.write(said("x"))
	w.Row = port.RunRow{
		ID: "run_1", Seq: 2, Workflow: "other", Version: 4, Definition: "sha256:e", Status: run.Completed, Owner: "bob",
		Labels: map[string]string{"env": "prod"}, StepsDone: 3, StepsTotal: 4, CostUSD: "0.20",
		StartedAt: began.Add(time.Hour),
		UpdatedAt: began.Add(5),
	}
	a.store(t, s, w)
	want.Seq, want.Version, want.Definition, want.Status, want.StepsDone, want.StepsTotal = 2, 4,
		"sha256:e", run.Completed, 3, 4
	want.Pending, want.Error, want.Subject, want.CostUSD, want.UpdatedAt = 0, "", "", "0.20", began.Add(5)
	want.EndedAt, want.DueAt, want.Busy, want.Cancelling = time.Time{}, time.Time{}, false, false
	got, err = s.Run(t.Context(), "run_1")
	must(t, err)
	wantEqual(t, "row after a second write", got, want)
	if !got.EndedAt.IsZero() || !got.DueAt.IsZero() {
		t.Errorf("no time came back as %v, %v", got.EndedAt, got.DueAt)
	}
}

// someRuns stores runs that differ in everything a query can ask for.
func someRuns(t *testing.T, s store.Store, n int) []port.RunRow {
	t.Helper()
	statuses := []run.Status{run.Running, run.Waiting, run.Paused, run.Completed, run.Failed,
		run.Cancelled, run.LimitReached}
	var rows []port.RunRow
	for i := range n {
		a := newAuthor(runID(i * 7919 % 1000)) // ids and times in different orders
		a.row.Status = statuses[i%len(statuses)]
		a.row.Workflow = fmt.Sprintf("flow-%d", i%3)
		a.row.Owner = []string{"ann", "bob", ""}[i%5%3]
		a.row.Parent = []string{"", "", "run_parent"}[i%3]
		a.row.StartedAt = began.Add(time.Duration(i/4) * time.Second) // some at the same time
		a.row.Labels = map[string]string{"n": fmt.Sprint(i % 4), "even": fmt.Sprint(i%2 == 0)}
		a.did(t, s, started(`{}`))
		a.row.Seq = 1
		rows = append(rows, a.row)
	}
	slices.SortFunc(rows, func(a, b port.RunRow) int {
		if c := b.StartedAt.Compare(a.StartedAt); c != 0 {
			return c
		}
		return compare(b.ID, a.ID)
	})
	return rows
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// pages reads a list page by page.
func pages[T any](t *testing.T, read func(cursor string) (port.Page[T], error)) (all []T, total int64) {
	t.Helper()
	cursor := ""
	for range 10_000 {
		p, err := read(cursor)
		must(t, err)
		all, total = append(all, p.Items...), p.Total
		if p.Next == "" {
			return all, total
		}
		if len(p.Items) == 0 {
			t.Fatal("an empty page has a next one")
		}
		cursor = p.Next
	}
	t.Fatal("the list does not end")
	return nil, 0
}

func runList(t *testing.T, s store.Store) {
	rows := someRuns(t, s, 90)
	for _, c := range []struct {
		q    port.RunQuery
		want func(port.RunRow) bool
	}{
		{port.RunQuery{}, func(port.RunRow) bool { return true }},
		{port.RunQuery{Status: []run.Status{run.Running}}, func(r port.RunRow) bool { return r.Status == run.Running }},
		{port.RunQuery{Status: []run.Status{run.Running, run.Failed, run.Running}},
			func(r port.RunRow) bool { return r.Status == run.Running || r.Status == run.Failed }},
		{port.RunQuery{Status: []run.Status{"no such"}}, func(port.RunRow) bool { return false }},
		{port.RunQuery{Workflow: "flow-1"}, func(r port.RunRow) bool { return r.Workflow == "flow-1" }},
		{port.RunQuery{Owner: "bob"}, func(r port.RunRow) bool { return r.Owner == "bob" }},
		{port.RunQuery{Parent: "run_parent"}, func(r port.RunRow) bool { return r.Parent == "run_parent" }},
		{port.RunQuery{Label: map[string]string{"n": "3"}}, func(r port.RunRow) bool { return r.Labels["n"] == "3" }},
		{port.RunQuery{Label: map[string]string{"n": "2", "even": "true"}},
			func(r port.RunRow) bool { return r.Labels["n"] == "2" && r.Labels["even"] == "true" }},
		{port.RunQuery{Label: map[string]string{"n": "2", "even": "false"}}, func(port.RunRow) bool { return false }},
		{
			port.RunQuery{Status: []run.Status{run.Running, run.Waiting}, Workflow: "flow-0", Owner: "ann",
				Label: map[string]string{"even": "true"}},
			func(r port.RunRow) bool {
				return (r.Status == run.Running || r.Status == run.Waiting) && r.Workflow == "flow-0" && r.Owner == "ann" &&
					r.Labels["even"] == "true"
			},
		},
	} {
		var want []port.RunRow
		for _, r := range rows {
			if c.want(r) {
				want = append(want, r)
			}
		}
		for _, limit := range []int{1, 7, 0, 1000} {
			got, total := pages(t, func(cursor string) (port.Page[port.RunRow], error) {
				q := c.q
				q.Limit, q.Cursor = limit, cursor
				return s.Runs(t.Context(), q)
			})
			if total != int64(len(want)) || len(got) != len(want) {
				t.Fatalf("%+v by %d: got %d of %d, want %d", c.q, limit, len(got), total, len(want))
			}
			wantEqual(t, fmt.Sprintf("%+v by %d", c.q, limit), got, want)
		}
	}
	badCursors(t, func(cursor string) error {
		_, err := s.Runs(t.Context(), port.RunQuery{Cursor: cursor})
		return err
	})
}

func badCursors(t *testing.T, read func(string) error) {
	t.Helper()
	for _, cursor := range []string{"x", "!", "e30", "bnVsbA", "' OR 1=1 --", "eyJsIjoib3RoZXIiLCJhIjoxLCJpIjoieCJ9",
		string(make([]byte, 5000))} {
		if err := read(cursor); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %.20q: got %v, want invalid", cursor, err)
		}
	}
}

// runCursorStable: what was there when reading began is seen once, whatever
// comes meanwhile.
func runCursorStable(t *testing.T, s store.Store) {
	rows := someRuns(t, s, 60)
	n := 0
	got, _ := pages(t, func(cursor string) (port.Page[port.RunRow], error) {
		a := newAuthor(fmt.Sprintf("run_new_%d", n))
		a.row.StartedAt = began.Add(time.Hour + time.Duration(n)*time.Second)
		if n > 0 {
			a.did(t, s, started(`{}`))
		}
		n++
		return s.Runs(t.Context(), port.RunQuery{Limit: 7, Cursor: cursor})
	})
	wantEqual(t, "runs", got, rows)
}

// totals are counted up to a bound.
func totals(t *testing.T, s store.Store) {
	if testing.Short() {
		t.Skip("stores 10,001 runs")
	}
	const bound = 10_000
	done := make(chan struct{})
	for part := range 50 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := part; i < bound; i += 50 {
				a := newAuthor(runID(i))
				if _, err := s.Append(context.Background(), a.write(started(`{}`))); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range 50 {
		<-done
	}
	page, err := s.Runs(t.Context(), port.RunQuery{Limit: 1})
	must(t, err)
	if page.Total != bound || page.AtLeast {
		t.Errorf("of %d: %d, at least %v", bound, page.Total, page.AtLeast)
	}
	newAuthor("run_more").did(t, s, started(`{}`))
	page, err = s.Runs(t.Context(), port.RunQuery{Limit: 1})
	must(t, err)
	if page.Total != bound || !page.AtLeast {
		t.Errorf("of %d: %d, at least %v", bound+1, page.Total, page.AtLeast)
	}
}

func dueAndBusy(t *testing.T, s store.Store) {
	authors := map[int]*author{}
	for i := range 10 {
		a := newAuthor(runID(i))
		a.row.Busy = i%2 == 0
		if i%3 != 0 {
			a.row.DueAt = began.Add(time.Duration(20-i) * time.Second)
		}
		a.did(t, s, started(`{}`))
		authors[i] = a
	}
	due := func(until time.Time, limit int) (ids []string) {
		t.Helper()
		list, err := s.Due(t.Context(), until, limit)
		must(t, err)
		for _, d := range list {
			if d.At.IsZero() || d.At.After(until) {
				t.Errorf("%s is due at %v, not until %v", d.Run, d.At, until)
			}
			ids = append(ids, d.Run)
		}
		return ids
	}
	wantEqual(t, "due", due(began.Add(time.Hour), 100),
		[]string{runID(8), runID(7), runID(5), runID(4), runID(2), runID(1)})
	wantEqual(t, "due, two", due(began.Add(time.Hour), 2), []string{runID(8), runID(7)})
	wantEqual(t, "due until", due(began.Add(13*time.Second), 100), []string{runID(8), runID(7)})
	wantEqual(t, "due never", due(began, 100), nil)

	busy := func(after string, limit int) []string {
		t.Helper()
		ids, err := s.Busy(t.Context(), after, limit)
		must(t, err)
		return ids
	}
	wantEqual(t, "busy", busy("", 100), []string{runID(0), runID(2), runID(4), runID(6), runID(8)})
	wantEqual(t, "busy behind", busy(runID(3), 2), []string{runID(4), runID(6)})

	// A write moves a run between both lists.
	for _, i := range []int{8, 2} {
		authors[i].row.Busy, authors[i].row.DueAt = false, time.Time{}
		authors[i].did(t, s, said("x"))
	}
	authors[3].row.Busy, authors[3].row.DueAt = true, began.Add(time.Second)
	authors[3].did(t, s, said("x"))
	wantEqual(t, "due then", due(began.Add(time.Hour), 100), []string{runID(3), runID(7), runID(5), runID(4), runID(1)})
	wantEqual(t, "busy then", busy("", 100), []string{runID(0), runID(3), runID(4), runID(6)})
}
