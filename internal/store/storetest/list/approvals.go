package list

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Approval is a pending approval of a run.
func Approval(id, run string) port.ApprovalRow {
	return port.ApprovalRow{
		ID: id, Run: run, Workflow: "refund", Step: "send", Agent: "mailer", Tool: "email_send",
		Kind: "approval", Reason: "rule",
		Status: "pending", Risk: "high", Title: "Send it", Asked: []string{"role:approver", "bob"}, Requester: "ann",
		Priority: 5, Version: 1,
		RequestedAt: fixture.Began, DeadlineAt: fixture.Began.Add(time.Hour),
		Body: json.RawMessage(`{"id":"` + id + `","n":0.10}`),
	}
}

// ApprovalRow: every column of an approval is returned as written.
func ApprovalRow(t *testing.T, s store.Store) {
	_, err := s.Approval(t.Context(), "apr_1")
	fixture.WantCode(t, err, fault.NotFound)
	a := fixture.New("run_1")
	w := a.Write(fixture.Started(`{}`))
	row := Approval("apr_1", "run_1")
	w.Approvals = []port.ApprovalRow{row}
	a.Store(t, s, w)
	got, err := s.Approval(t.Context(), "apr_1")
	fixture.Must(t, err)
	fixture.WantEqual(t, "row", got, row)
	if string(got.Body) != string(row.Body) {
		t.Errorf("the body came back as %s", got.Body)
	}

	// It is removed from the pending list in the same commit.
	w = a.Write(fixture.Said("x"))
	row.Status, row.Version, row.SettledAt, row.DeadlineAt = "approved", 2, fixture.Began.Add(time.Minute), time.Time{}
	row.Asked, row.Body, row.Title, row.Priority = nil, nil, "Sent", -3
	w.Approvals = []port.ApprovalRow{row}
	a.Store(t, s, w)
	got, err = s.Approval(t.Context(), "apr_1")
	fixture.Must(t, err)
	fixture.WantEqual(t, "row after a decision", got, row)
	for status, want := range map[string]int{"pending": 0, "approved": 1} {
		page, err := s.Approvals(t.Context(), port.ApprovalQuery{Status: []string{status}})
		fixture.Must(t, err)
		if len(page.Items) != want || page.Total != int64(want) {
			t.Errorf("%d are %s, want %d", len(page.Items), status, want)
		}
	}
}

// someApprovals stores approvals that differ in everything a query can filter by.
func someApprovals(t *testing.T, s store.Store, runs, each int) []port.ApprovalRow {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var all []port.ApprovalRow
	for r := range runs {
		a := fixture.New(fixture.RunID(r))
		a.Row.Workflow = pick("refund", "claims")
		w := a.Write(fixture.Started(`{}`))
		for i := range each {
			row := Approval(fmt.Sprintf("apr_%03d_%d", rng.IntN(1000), r*each+i), a.ID)
			row.Workflow, row.Agent, row.Tool = a.Row.Workflow, pick("mailer", "payer", ""), pick("email_send", "pay", "")
			row.Kind, row.Risk = pick("approval", "choice", "input"), pick("low", "high", "critical")
			row.Status = pick("pending", "pending", "pending", "approved", "rejected", "timed_out")
			row.Priority = rng.Int64N(4)
			row.RequestedAt = fixture.Began.Add(time.Duration(rng.IntN(30)) * time.Second)
			row.DeadlineAt = time.Time{}
			if rng.IntN(3) > 0 {
				row.DeadlineAt = fixture.Began.Add(time.Duration(rng.IntN(30)) * time.Minute)
			}
			if row.Status != "pending" {
				row.SettledAt = fixture.Began.Add(time.Duration(rng.IntN(5)) * time.Hour)
			}
			row.Asked = nil
			for _, who := range []string{port.Anyone, "ann", "bob", "role:approver", "role:manager"} {
				if rng.IntN(3) == 0 {
					row.Asked = append(row.Asked, who)
				}
			}
			w.Approvals = append(w.Approvals, row)
		}
		a.Store(t, s, w)
		all = append(all, w.Approvals...)
	}
	return all
}

// expected is the page according to the port's documentation.
func expected(all []port.ApprovalRow, q port.ApprovalQuery) []port.ApprovalRow {
	var out []port.ApprovalRow
	for _, a := range all {
		if len(q.Status) > 0 && !slices.Contains(q.Status, a.Status) || q.Workflow != "" && a.Workflow != q.Workflow ||
			q.Agent != "" && a.Agent != q.Agent || q.Risk != "" && a.Risk != q.Risk || q.Kind != "" && a.Kind != q.Kind ||
			q.Run != "" && a.Run != q.Run || q.Tool != "" && a.Tool != q.Tool ||
			!q.OlderThan.IsZero() && !a.RequestedAt.Before(q.OlderThan) {
			continue
		}
		if len(q.Asked) > 0 && len(a.Asked) > 0 && !slices.Contains(a.Asked, port.Anyone) &&
			!slices.ContainsFunc(a.Asked, func(who string) bool { return slices.Contains(q.Asked, who) }) {
			continue
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b port.ApprovalRow) int {
		c := 0
		switch q.Sort {
		case port.ByAge:
			c = a.RequestedAt.Compare(b.RequestedAt)
		case port.ByNewest:
			if c = b.RequestedAt.Compare(a.RequestedAt); c == 0 {
				return strings.Compare(b.ID, a.ID)
			}
		case port.ByDeadline:
			c = due(a).Compare(due(b))
		case port.BySettled:
			if c = due(b).Compare(due(a)); c == 0 {
				return strings.Compare(b.ID, a.ID)
			}
		default:
			if c = cmp.Compare(b.Priority, a.Priority); c == 0 {
				c = a.RequestedAt.Compare(b.RequestedAt)
			}
		}
		if c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

func checkInbox(t *testing.T, s store.Store, all []port.ApprovalRow, q port.ApprovalQuery, limits ...int) {
	t.Helper()
	want := expected(all, q)
	for _, limit := range limits {
		got, total := Pages(t, func(cursor string) (port.Page[port.ApprovalRow], error) {
			q.Limit, q.Cursor = limit, cursor
			return s.Approvals(t.Context(), q)
		})
		if len(got) != len(want) || total != int64(len(want)) {
			t.Fatalf("%+v: got %d of %d, want %d", q, len(got), total, len(want))
		}
		fixture.WantEqual(t, fmt.Sprintf("%+v", q), got, want)
	}
}

// ApprovalFilters: each filter, alone and combined, finds the right approvals.
func ApprovalFilters(t *testing.T, s store.Store) {
	all := someApprovals(t, s, 15, 8)
	for _, q := range []port.ApprovalQuery{
		{},
		{Status: []string{"pending"}},
		{Status: []string{"approved", "rejected"}},
		{Status: []string{"no such"}},
		{Asked: []string{"ann"}},
		{Asked: []string{"nobody"}}, // open to anyone
		{Asked: []string{"ann", "role:approver", "role:manager", "ann"}, Status: []string{"pending"}},
		{Workflow: "claims"},
		{Agent: "payer", Status: []string{"pending"}},
		{Risk: "critical"},
		{Kind: "choice"},
		{Tool: "pay"},
		{Run: fixture.RunID(3)},
		{Run: fixture.RunID(3), Asked: []string{"bob"}, Status: []string{"pending", "approved"}},
		{Run: "run_none"},
		{OlderThan: fixture.Began.Add(10 * time.Second)},
		{
			Status: []string{"pending"}, Asked: []string{"bob", "role:manager"}, Workflow: "refund",
			Agent: "mailer", Risk: "high",
			Kind: "approval", Tool: "pay", OlderThan: fixture.Began.Add(25 * time.Second),
		},
	} {
		checkInbox(t, s, all, q, 3, 1000)
	}
}

// due is when an approval was settled, else its deadline, else never.
func due(a port.ApprovalRow) time.Time {
	switch {
	case !a.SettledAt.IsZero():
		return a.SettledAt
	case a.DeadlineAt.IsZero():
		return fixture.Began.Add(1000 * time.Hour)
	}
	return a.DeadlineAt
}

// ApprovalSorts: each order, page by page, with and without filters.
func ApprovalSorts(t *testing.T, s store.Store) {
	all := someApprovals(t, s, 10, 10)
	cursors := map[port.ApprovalSort]string{}
	for _, sort := range []port.ApprovalSort{"", port.ByPriority, port.ByAge, port.ByDeadline, port.BySettled} {
		for _, asked := range [][]string{nil, {"ann"}, {"ann", "bob", "role:approver"}} {
			checkInbox(t, s, all, port.ApprovalQuery{Sort: sort, Asked: asked}, 1, 9, 0)
		}
		page, err := s.Approvals(t.Context(), port.ApprovalQuery{Sort: sort, Limit: 1})
		fixture.Must(t, err)
		cursors[sort] = page.Next
	}
	_, err := s.Approvals(t.Context(), port.ApprovalQuery{Sort: port.ByAge, Cursor: cursors[port.ByDeadline]})
	fixture.WantCode(t, err, fault.Invalid)
	_, err = s.Approvals(t.Context(), port.ApprovalQuery{Sort: "title"})
	fixture.WantCode(t, err, fault.Invalid)
	BadCursors(t, func(cursor string) error {
		_, err := s.Approvals(t.Context(), port.ApprovalQuery{Cursor: cursor})
		return err
	})
}

// ApprovalModel makes random changes to approvals and compares with a model.
func ApprovalModel(t *testing.T, s store.Store) {
	rng := rand.New(rand.NewPCG(7, 8))
	all := someApprovals(t, s, 8, 5)
	seqs := map[string]int64{}
	for round := range 60 {
		i := rng.IntN(len(all))
		row := all[i]
		switch rng.IntN(5) {
		case 0:
			row.Status = []string{"pending", "approved", "rejected", "modified"}[rng.IntN(4)]
		case 1:
			row.Asked = append(slices.Clone(row.Asked), fmt.Sprintf("role:new%d", round%3))
		case 2:
			row.Priority = rng.Int64N(4)
		case 3:
			row.DeadlineAt = fixture.Began.Add(time.Duration(rng.IntN(30)) * time.Minute)
		case 4:
			row.Version++
		}
		all[i] = row
		a := fixture.New(row.Run)
		a.Seq = seqs[row.Run] + 1
		w := a.Write(fixture.Said("x"))
		w.Approvals = []port.ApprovalRow{row}
		a.Store(t, s, w)
		seqs[row.Run]++
		if round%6 == 0 {
			for _, sort := range []port.ApprovalSort{port.ByPriority, port.ByAge, port.ByDeadline, port.BySettled} {
				checkInbox(t, s, all, port.ApprovalQuery{Status: []string{"pending"},
					Asked: []string{"ann", "role:new1"}, Sort: sort}, 4)
				checkInbox(t, s, all, port.ApprovalQuery{Sort: sort}, 1000)
			}
		}
	}
}
