// Package list checks how a store lists: runs, approvals, deliverables and figures
// with filters, orders, cursors, scopes and search. Package storetest runs all of it.
package list

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// RunRow: every column of a run is returned as written.
func RunRow(t *testing.T, s store.Store) {
	_, err := s.Run(t.Context(), "run_1")
	fixture.WantCode(t, err, fault.NotFound)
	a := fixture.New("run_1")
	a.Row = port.RunRow{
		ID: "run_1", Workflow: "refund", Version: 3, Definition: "sha256:d", Status: run.Waiting, Owner: "ann",
		Labels: map[string]string{"env": "test", "team": "ü x", "empty": ""}, StepsDone: 1, StepsTotal: 3, Pending: 2,
		Error: "none", Subject: "Refund 35 EUR to Åse", CostUSD: "0.10",
		Parent: "run_0", RetryOf: "run_r", ForkedFrom: "run_f", StartedAt: fixture.Began,
		UpdatedAt: fixture.Began.Add(1), EndedAt: fixture.Began.Add(2),
		DueAt: fixture.Began.Add(3), Busy: true, Cancelling: true, TestMode: true,
	}
	a.Did(t, s, fixture.Started(`{}`))
	got, err := s.Run(t.Context(), "run_1")
	fixture.Must(t, err)
	want := a.Row
	want.Seq = 1
	fixture.WantEqual(t, "row", got, want)

	// Sort and search columns are fixed; the rest follows.
	w := a.Write(fixture.Said("x"))
	w.Row = port.RunRow{
		ID: "run_1", Seq: 2, Workflow: "other", Version: 4, Definition: "sha256:e", Status: run.Completed, Owner: "bob",
		Labels: map[string]string{"env": "prod"}, StepsDone: 3, StepsTotal: 4, CostUSD: "0.20",
		StartedAt: fixture.Began.Add(time.Hour),
		UpdatedAt: fixture.Began.Add(5),
	}
	a.Store(t, s, w)
	want.Seq, want.Version, want.Definition, want.Status, want.StepsDone, want.StepsTotal = 2, 4,
		"sha256:e", run.Completed, 3, 4
	want.Pending, want.Error, want.Subject, want.CostUSD, want.UpdatedAt = 0, "", "", "0.20", fixture.Began.Add(5)
	want.EndedAt, want.DueAt, want.Busy, want.Cancelling = time.Time{}, time.Time{}, false, false
	got, err = s.Run(t.Context(), "run_1")
	fixture.Must(t, err)
	fixture.WantEqual(t, "row after a second write", got, want)
	if !got.EndedAt.IsZero() || !got.DueAt.IsZero() {
		t.Errorf("no time came back as %v, %v", got.EndedAt, got.DueAt)
	}
}

// SomeRuns stores runs that differ in everything a query can filter by.
func SomeRuns(t *testing.T, s store.Store, n int) []port.RunRow {
	t.Helper()
	statuses := []run.Status{run.Running, run.Waiting, run.Paused, run.Completed, run.Failed,
		run.Cancelled, run.LimitReached}
	var rows []port.RunRow
	for i := range n {
		a := fixture.New(fixture.RunID(i * 7919 % 1000)) // ids and times in different orders
		a.Row.Status = statuses[i%len(statuses)]
		a.Row.Workflow = fmt.Sprintf("flow-%d", i%3)
		a.Row.Owner = []string{"ann", "bob", ""}[i%5%3]
		a.Row.Parent = []string{"", "", "run_parent"}[i%3]
		a.Row.StartedAt = fixture.Began.Add(time.Duration(i/4) * time.Second) // some at the same time
		a.Row.Labels = map[string]string{"n": fmt.Sprint(i % 4), "even": fmt.Sprint(i%2 == 0)}
		a.Did(t, s, fixture.Started(`{}`))
		a.Row.Seq = 1
		rows = append(rows, a.Row)
	}
	slices.SortFunc(rows, func(a, b port.RunRow) int {
		if c := b.StartedAt.Compare(a.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return rows
}

// Pages reads a list page by page.
func Pages[T any](t *testing.T, read func(cursor string) (port.Page[T], error)) (all []T, total int64) {
	t.Helper()
	cursor := ""
	for range 10_000 {
		p, err := read(cursor)
		fixture.Must(t, err)
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

// Runs: filters, orders and pages of runs.
func Runs(t *testing.T, s store.Store) {
	rows := SomeRuns(t, s, 90)
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
			got, total := Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
				q := c.q
				q.Limit, q.Cursor = limit, cursor
				return s.Runs(t.Context(), q)
			})
			if total != int64(len(want)) || len(got) != len(want) {
				t.Fatalf("%+v by %d: got %d of %d, want %d", c.q, limit, len(got), total, len(want))
			}
			fixture.WantEqual(t, fmt.Sprintf("%+v by %d", c.q, limit), got, want)
		}
	}
	BadCursors(t, func(cursor string) error {
		_, err := s.Runs(t.Context(), port.RunQuery{Cursor: cursor})
		return err
	})
}

// BadCursors: cursors that were not issued for a list are rejected.
func BadCursors(t *testing.T, read func(string) error) {
	t.Helper()
	for _, cursor := range []string{"x", "!", "e30", "bnVsbA", "' OR 1=1 --", "eyJsIjoib3RoZXIiLCJhIjoxLCJpIjoieCJ9",
		string(make([]byte, 5000))} {
		if err := read(cursor); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %.20q: got %v, want invalid", cursor, err)
		}
	}
}

// runCursorStable: items that existed when reading began are seen once, whatever is added in the meantime.
func RunCursorStable(t *testing.T, s store.Store) {
	rows := SomeRuns(t, s, 60)
	n := 0
	got, _ := Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
		a := fixture.New(fmt.Sprintf("run_new_%d", n))
		a.Row.StartedAt = fixture.Began.Add(time.Hour + time.Duration(n)*time.Second)
		if n > 0 {
			a.Did(t, s, fixture.Started(`{}`))
		}
		n++
		return s.Runs(t.Context(), port.RunQuery{Limit: 7, Cursor: cursor})
	})
	fixture.WantEqual(t, "runs", got, rows)
}

// Totals are counted up to a limit.
func Totals(t *testing.T, s store.Store) {
	if testing.Short() {
		t.Skip("stores 10,001 runs")
	}
	const bound = 10_000
	done := make(chan struct{})
	for part := range 50 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := part; i < bound; i += 50 {
				a := fixture.New(fixture.RunID(i))
				if _, err := s.Append(context.Background(), a.Write(fixture.Started(`{}`))); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range 50 {
		<-done
	}
	page, err := s.Runs(t.Context(), port.RunQuery{Limit: 1})
	fixture.Must(t, err)
	if page.Total != bound || page.AtLeast {
		t.Errorf("of %d: %d, at least %v", bound, page.Total, page.AtLeast)
	}
	fixture.New("run_more").Did(t, s, fixture.Started(`{}`))
	page, err = s.Runs(t.Context(), port.RunQuery{Limit: 1})
	fixture.Must(t, err)
	if page.Total != bound || !page.AtLeast {
		t.Errorf("of %d: %d, at least %v", bound+1, page.Total, page.AtLeast)
	}
}

// DueAndBusy: the runs that a host has to handle.
func DueAndBusy(t *testing.T, s store.Store) {
	authors := map[int]*fixture.Author{}
	for i := range 10 {
		a := fixture.New(fixture.RunID(i))
		a.Row.Busy = i%2 == 0
		if i%3 != 0 {
			a.Row.DueAt = fixture.Began.Add(time.Duration(20-i) * time.Second)
		}
		a.Did(t, s, fixture.Started(`{}`))
		authors[i] = a
	}
	due := func(until time.Time, limit int) (ids []string) {
		t.Helper()
		list, err := s.Due(t.Context(), until, limit)
		fixture.Must(t, err)
		for _, d := range list {
			if d.At.IsZero() || d.At.After(until) {
				t.Errorf("%s is due at %v, not until %v", d.Run, d.At, until)
			}
			ids = append(ids, d.Run)
		}
		return ids
	}
	fixture.WantEqual(t, "due", due(fixture.Began.Add(time.Hour), 100),
		fixture.RunIDs(8, 7, 5, 4, 2, 1))
	fixture.WantEqual(t, "due, two", due(fixture.Began.Add(time.Hour), 2), fixture.RunIDs(8, 7))
	fixture.WantEqual(t, "due until", due(fixture.Began.Add(13*time.Second), 100), fixture.RunIDs(8, 7))
	fixture.WantEqual(t, "due never", due(fixture.Began, 100), nil)

	busy := func(after string, limit int) []string {
		t.Helper()
		ids, err := s.Busy(t.Context(), after, limit)
		fixture.Must(t, err)
		return ids
	}
	fixture.WantEqual(t, "busy", busy("", 100), fixture.RunIDs(0, 2, 4, 6, 8))
	fixture.WantEqual(t, "busy behind", busy(fixture.RunID(3), 2), fixture.RunIDs(4, 6))

	// A write moves a run between both lists.
	for _, i := range []int{8, 2} {
		authors[i].Row.Busy, authors[i].Row.DueAt = false, time.Time{}
		authors[i].Did(t, s, fixture.Said("x"))
	}
	authors[3].Row.Busy, authors[3].Row.DueAt = true, fixture.Began.Add(time.Second)
	authors[3].Did(t, s, fixture.Said("x"))
	fixture.WantEqual(t, "due then", due(fixture.Began.Add(time.Hour), 100), fixture.RunIDs(3, 7, 5, 4, 1))
	fixture.WantEqual(t, "busy then", busy("", 100), fixture.RunIDs(0, 3, 4, 6))
}
