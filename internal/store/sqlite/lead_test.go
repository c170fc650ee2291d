package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// A lock can be lost: a deleted file, a file system without locks. The last to take it leads, and the
// previous leader is fenced off.
func TestTwoProcessesOnOneFile(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	open := func() *sqlite.Store {
		s, err := sqlite.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	zombie := open()
	defer zombie.Close() //nolint:errcheck // the test is over
	first, _, err := zombie.Lead(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "assent.lock")); err != nil {
		t.Fatal(err)
	}
	other := open()
	defer other.Close() //nolint:errcheck // the test is over
	second, _, err := other.Lead(ctx)
	if err != nil || second <= first {
		t.Fatalf("epoch %d follows %d, %v", second, first, err)
	}
	if now, err := zombie.Epoch(ctx); err != nil || now != second {
		t.Errorf("the one before takes %d for the epoch in force, %v; it is %d", now, err, second)
	}
	now := time.Now()
	w := port.Write{
		Run: "run_1", Epoch: first, Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: 1, CostUSD: "0",
			StartedAt: now, UpdatedAt: now},
		Events: []run.Event{{Run: "run_1", Seq: 1, At: now, Fact: &run.RunStarted{Workflow: "w"}}},
	}
	if _, err := zombie.Append(ctx, w); !port.Fenced(err) {
		t.Errorf("got %v, want the write to be refused because of its epoch", err)
	}
	w.Epoch = second
	if _, err := other.Append(ctx, w); err != nil {
		t.Error(err)
	}
}
