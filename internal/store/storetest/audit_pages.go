package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// auditPages: every query lists all matches, newest first, in as few pages as necessary, and counts them.
func auditPages(t *testing.T, s store.Store) {
	for i := range 12 {
		d := fixture.AuditDraft([]string{"run.started", "approval.decided", "run.proved"}[i%3], fmt.Sprintf("apr_%d", i%2),
			fmt.Sprintf("run_%d", i%4))
		if d.At = fixture.Began.Add(time.Duration(i) * time.Second); i%3 == 0 {
			d.Target = d.Run
		}
		if i%5 == 0 {
			d.Actor = run.Actor{Kind: run.Person, Name: "bob"}
		}
		if i%6 == 1 {
			d.Outcome = port.AuditRefused
		}
		_, err := s.AppendAudit(t.Context(), d)
		fixture.Must(t, err)
	}
	for name, c := range map[string]struct {
		q     port.AuditQuery
		which func(i int) bool
	}{
		"all":         {port.AuditQuery{}, func(int) bool { return true }},
		"starts":      {port.AuditQuery{Action: "run.started"}, func(i int) bool { return i%3 == 0 }},
		"decisions":   {port.AuditQuery{Action: "approval.decided"}, func(i int) bool { return i%3 == 1 }},
		"bob":         {port.AuditQuery{Actor: "bob"}, func(i int) bool { return i%5 == 0 }},
		"refused":     {port.AuditQuery{Outcome: string(port.AuditRefused)}, func(i int) bool { return i%6 == 1 }},
		"done":        {port.AuditQuery{Outcome: string(port.AuditDone)}, func(i int) bool { return i%6 != 1 }},
		"a run":       {port.AuditQuery{Target: "run_2"}, func(i int) bool { return i%4 == 2 }},
		"an approval": {port.AuditQuery{Target: "apr_1"}, func(i int) bool { return i%3 != 0 && i%2 == 1 }},
		"since":       {port.AuditQuery{Since: fixture.Began.Add(4 * time.Second)}, func(i int) bool { return i >= 4 }},
		"until":       {port.AuditQuery{Until: fixture.Began.Add(4 * time.Second)}, func(i int) bool { return i < 4 }},
		"nobody":      {port.AuditQuery{Actor: "eve"}, func(int) bool { return false }},
		"bob's starts": {port.AuditQuery{Actor: "bob", Action: "run.started", Target: "run_0"},
			func(i int) bool { return i == 0 }},
	} {
		var want []int64
		for i := 11; i >= 0; i-- {
			if c.which(i) {
				want = append(want, int64(i)+1)
			}
		}
		for limit := 1; limit <= 13; limit++ {
			q := c.q
			q.Limit = limit
			var got []int64
			pages := 0
			for {
				page, err := s.AuditEntries(t.Context(), q)
				fixture.Must(t, err)
				if page.Total != int64(len(want)) || page.AtLeast || len(page.Items) > limit {
					t.Fatalf("%s by %d: %d entries of %d", name, limit, len(page.Items), page.Total)
				}
				for _, r := range page.Items {
					got = append(got, r.N)
				}
				if pages++; page.Next == "" {
					break
				}
				q.Cursor = page.Next
			}
			if !slices.Equal(got, want) || pages != max(1, (len(want)+limit-1)/limit) {
				t.Fatalf("%s by %d: %v on %d pages, want %v", name, limit, got, pages, want)
			}
		}
	}
}
