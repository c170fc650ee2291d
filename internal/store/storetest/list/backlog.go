package list

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Backlog counts what is open by hand, and compares.
func Backlog(t *testing.T, s store.Store) {
	empty, err := s.Backlog(t.Context())
	fixture.Must(t, err)
	if !reflect.DeepEqual(empty, port.Backlog{}) {
		t.Errorf("an empty store has a backlog: %+v", empty)
	}
	for r, status := range []run.Status{run.Running, run.Waiting, run.Waiting, run.Paused, run.Completed, run.Failed,
		run.Cancelled} {
		a := fixture.New(fixture.RunID(r))
		a.Row.Status = status
		if a.Row.Workflow = "refund"; r == 2 {
			a.Row.Workflow = "claims"
		}
		w := a.Write(fixture.Started(`{}`))
		add := func(status, risk string, after time.Duration, asked ...string) {
			row := Approval(fmt.Sprintf("apr_%d_%d", r, len(w.Approvals)), a.ID)
			row.Workflow, row.Status, row.Risk, row.Asked = a.Row.Workflow, status, risk, asked
			if row.RequestedAt = fixture.Began.Add(after); status != "pending" {
				row.SettledAt = row.RequestedAt.Add(time.Minute)
			}
			w.Approvals = append(w.Approvals, row)
		}
		switch r {
		case 1:
			add("pending", "high", 3*time.Hour, "role:finance")
			add("pending", "high", 2*time.Hour, "role:finance", "role:legal", "bob")
			add("approved", "high", time.Hour, "role:finance")
			add("pending", "low", 4*time.Hour, "ann", "bob")
			add("pending", "low", 4*time.Hour)
		case 2:
			add("pending", "high", 5*time.Hour, "role:finance")
		}
		a.Store(t, s, w)
	}
	got, err := s.Backlog(t.Context())
	fixture.Must(t, err)
	runs := func(workflow, status string, n int64) port.OpenRuns {
		return port.OpenRuns{Workflow: workflow, Status: status, Count: n}
	}
	asks := func(workflow, role, risk string, n int64) port.OpenApprovals {
		return port.OpenApprovals{Workflow: workflow, Role: role, Risk: risk, Count: n}
	}
	want := port.Backlog{
		Runs: []port.OpenRuns{runs("claims", "waiting", 1), runs("refund", "paused", 1), runs("refund", "running", 1),
			runs("refund", "waiting", 1)},
		Approvals: []port.OpenApprovals{asks("claims", "finance", "high", 1), asks("refund", "", "low", 2),
			asks("refund", "finance", "high", 2), asks("refund", "legal", "high", 1)},
		Oldest: fixture.Began.Add(2 * time.Hour),
	}
	if !got.Oldest.Equal(want.Oldest) {
		t.Errorf("the oldest is from %s, not %s", got.Oldest, want.Oldest)
	}
	got.Oldest = want.Oldest
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
