package benchmark

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// RowsVariable is the variable with the number of rows to search among.
const RowsVariable = "ASSENT_SEARCH_ROWS"

// benchSearch measures searches among many rows: half of them settled approvals, each of its own run.
func benchSearch(b *testing.B, s store.Store) {
	rows, err := strconv.Atoi(os.Getenv(RowsVariable))
	if err != nil {
		b.Skip(RowsVariable + " names no number of rows")
	}
	fillSearch(b, s, rows/2)
	settled := []string{"approved", "rejected"}
	for _, c := range []struct{ name, text string }{{"rare", "zanzibar"}, {"common", "order"}, {"prefix", "cust"},
		{"two", "order north"}, {"number", "1234"}} {
		b.Run("runs/"+c.name, func(b *testing.B) {
			benchPages(b, func() (int, error) {
				page, err := s.Runs(b.Context(), port.RunQuery{Text: c.text, Limit: 50})
				return len(page.Items), err
			})
		})
		b.Run("approvals/"+c.name, func(b *testing.B) {
			benchPages(b, func() (int, error) {
				page, err := s.Approvals(b.Context(),
					port.ApprovalQuery{Text: c.text, Limit: 50, Status: settled, Sort: port.BySettled})
				return len(page.Items), err
			})
		})
		b.Run("scope/"+c.name, func(b *testing.B) {
			benchPages(b, func() (int, error) {
				q := port.ApprovalQuery{Text: c.text, Limit: 50, Status: settled, Sort: port.BySettled,
					Scope: &port.Scope{Workflows: []string{"flow-7"}, Name: "zoe"}}
				page, err := s.Approvals(b.Context(), q)
				return len(page.Items), err
			})
		})
	}
}

func benchPages(b *testing.B, read func() (int, error)) {
	var took []time.Duration
	found := 0
	for b.Loop() {
		at := time.Now()
		n, err := read()
		if err != nil {
			b.Fatal(err)
		}
		took, found = append(took, time.Since(at)), n
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50_µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99_µs")
	b.ReportMetric(float64(found), "found")
}

func fillSearch(b *testing.B, s store.Store, n int) {
	b.Helper()
	var wg sync.WaitGroup
	for part := range 64 {
		wg.Go(func() {
			for i := part; i < n; i += 64 {
				a := fixture.New(fmt.Sprintf("run_01K%07d", i))
				a.Row.StartedAt, a.Row.Workflow = fixture.Began.Add(time.Duration(i)*time.Millisecond), fmt.Sprintf("flow-%d", i%20)
				a.Row.Subject = fmt.Sprintf("Order %d for customer %d in the %s", i, i%9973,
					[]string{"north", "south", "east", "west"}[i%4])
				if i%(n/10) == 5 {
					a.Row.Subject += " by way of Zanzibar"
				}
				w := a.Write(fixture.Started(`{}`))
				row := list.Approval("apr"+a.ID[3:], a.ID)
				row.Title, row.Workflow, row.Status = a.Row.Subject, a.Row.Workflow, "approved"
				row.RequestedAt, row.SettledAt = a.Row.StartedAt, a.Row.StartedAt.Add(time.Minute)
				w.Approvals = []port.ApprovalRow{row}
				if _, err := s.Append(b.Context(), w); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
