package retention_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/retention"
)

// TestPayloads: what was begun is gone on with, also if everything is kept.
func TestPayloads(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for keep, want := range map[time.Duration]time.Time{0: {}, 30 * day: now.Add(-30 * day)} {
		left, calls := 150, 0
		s := retention.New(retention.Config{
			Store: &fake{}, Leads: always, Payloads: keep, Now: func() time.Time { return now },
			Forget: func(_ context.Context, ended time.Time, limit int) (int, error) {
				calls++
				if !ended.Equal(want) {
					t.Errorf("with %s it removes what ended before %s", keep, ended)
				}
				n := min(left, limit)
				left -= n
				return n, nil
			},
		})
		if err := s.Sweep(t.Context()); err != nil || left != 0 || calls != 3 {
			t.Errorf("%v, %d left after %d calls", err, left, calls)
		}
	}
}

func TestRemoveWorkspace(t *testing.T) {
	all := t.TempDir()
	outside := filepath.Join(t.TempDir(), "precious")
	for _, dir := range []string{filepath.Join(all, "run_1", "deep"), filepath.Join(all, "run_2"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(all, "run_1", "link")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := retention.RemoveWorkspace(all, "run_1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := retention.RemoveWorkspace(all, "../precious"); err == nil {
		t.Error("it leaves its directory")
	}
	left, err := os.ReadDir(all)
	if err != nil || len(left) != 1 || left[0].Name() != "run_2" {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if retention.RemoveWorkspace("", "run_1") != nil ||
		retention.RemoveWorkspace(filepath.Join(all, "none"), "run_1") != nil {
		t.Error("where nothing is there is nothing to remove")
	}
}
