package retention_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/retention"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

const day = 24 * time.Hour

func newStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// add stores a run that ended some time ago, or has not for 0, with one deliverable.
func add(t *testing.T, s store.Store, id string, ago time.Duration) {
	t.Helper()
	blob, size, err := s.PutBlob(t.Context(), strings.NewReader("made by "+id), 1000)
	if err != nil {
		t.Fatal(err)
	}
	made := time.Now().Add(-100 * day).UTC()
	row := port.RunRow{ID: id, Workflow: "w", Status: run.Running, Seq: 1, CostUSD: "0", StartedAt: made, UpdatedAt: made}
	if ago > 0 {
		row.Status, row.EndedAt = run.Completed, time.Now().Add(-ago).UTC()
	}
	d := run.Deliverable{ID: "dlv_" + id[4:] + "_1", Name: "a", Content: json.RawMessage(`{"$blob":"` + blob + `"}`)}
	_, err = s.Append(t.Context(), port.Write{
		Run: id, Row: row, Events: []run.Event{{Run: id, Seq: 1, At: made,
			Fact: &run.DeliverableCreated{Step: "s", Deliverable: d}}},
		Deliverables: []port.DeliverableRow{{ID: d.ID, Run: id, Workflow: "w", Name: "a", Status: "draft", Blob: blob,
			Size: size, Version: 1, Newest: true, CreatedAt: made, UpdatedAt: made}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func always() bool { return true }

func TestSweep(t *testing.T) {
	s, dir := newStore(t), t.TempDir()
	outside := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for id, ago := range map[string]time.Duration{"run_open": 0, "run_old": 40 * day, "run_late": 2 * day} {
		add(t, s, id, ago)
	}
	for _, id := range []string{"run_open", "run_old", "run_late", "run_stranger", "lost+found"} {
		if err := os.MkdirAll(filepath.Join(dir, id, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, id, "link")); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(c retention.Config) {
		t.Helper()
		c.Store, c.Leads, c.Workspace = s, always, dir
		if err := retention.New(c).Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (out string) {
		page, err := s.Deliverables(t.Context(), port.DeliverableQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"run_late", "run_old", "run_open"} {
			for _, d := range page.Items {
				if d.Run == id {
					out += id + " "
				}
			}
		}
		out += "|"
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			out += " " + e.Name()
		}
		return out
	}
	everything := "run_late run_old run_open | lost+found run_late run_old run_open run_stranger"
	for _, c := range []struct {
		keep retention.Config
		want string
	}{
		{retention.Config{}, everything},
		{retention.Config{Runs: 50 * day, Workspaces: 50 * day}, everything},
		{retention.Config{Workspaces: 7 * day}, "run_late run_old run_open | lost+found run_late run_open run_stranger"},
		{retention.Config{Runs: 30 * day, Workspaces: 7 * day},
			"run_late run_open | lost+found run_late run_open run_stranger"},
		{retention.Config{Runs: day}, "run_open | lost+found run_open run_stranger"},
	} {
		if sweep(c.keep); left() != c.want {
			t.Errorf("%+v leaves\n%s, not\n%s", c.keep, left(), c.want)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	// Their bytes are too young to go with them; an hour later they are not.
	count := func() (n int) {
		for _, id := range []string{"run_old", "run_late", "run_open"} {
			events, err := s.Events(t.Context(), id, 0, 1)
			if err != nil || len(events) != 1 {
				t.Fatalf("the log of %s: %v", id, err)
			}
			d := events[0].Fact.(*run.DeliverableCreated).Deliverable
			var ref map[string]string
			if err := json.Unmarshal(d.Content, &ref); err != nil {
				t.Fatal(err)
			}
			if r, _, err := s.OpenBlob(t.Context(), ref["$blob"]); err == nil {
				n++
				_ = r.Close()
			}
		}
		return n
	}
	if n := count(); n != 3 {
		t.Errorf("%d of 3 blobs are left at once", n)
	}
	sweep(retention.Config{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	if n := count(); n != 1 {
		t.Errorf("%d blobs are left, want that of the open run", n)
	}
}

// fake counts, and fails if it is told to.
type fake struct {
	expired, collected atomic.Int64
	left               atomic.Int64
	err                error
}

func (f *fake) Expire(_ context.Context, x port.Expiry) (int, error) {
	f.expired.Add(1)
	return int(min(f.left.Swap(max(0, f.left.Load()-int64(x.Limit))), int64(x.Limit))), f.err
}

func (f *fake) CollectBlobs(context.Context, time.Time, int) (int, error) {
	f.collected.Add(1)
	return 0, nil
}

func (*fake) Run(context.Context, string) (port.RunRow, error) { return port.RunRow{}, nil }

// TestOnlyTheLeaderSweeps, and it does so every hour.
func TestOnlyTheLeaderSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, leads := &fake{}, atomic.Bool{}
		s := retention.New(retention.Config{Store: f, Leads: leads.Load, Runs: day})
		s.Start()
		time.Sleep(5 * time.Hour)
		synctest.Wait()
		if f.collected.Load() != 0 || f.expired.Load() != 0 {
			t.Error("somebody who does not lead swept")
		}
		leads.Store(true)
		time.Sleep(2*time.Hour + time.Minute)
		synctest.Wait()
		if n := f.collected.Load(); n != 3 { // at once, and after one and two hours
			t.Errorf("it swept %d times", n)
		}
		s.Stop()
	})
}

func TestBatches(t *testing.T) {
	f := &fake{}
	f.left.Store(250)
	s := retention.New(retention.Config{Store: f, Leads: always, Archived: day})
	if err := s.Sweep(t.Context()); err != nil || f.left.Load() != 0 || f.expired.Load() != 4 {
		t.Errorf("%v, %d left after %d batches", err, f.left.Load(), f.expired.Load())
	}
	f.err = errors.New("the disk is full")
	if err := s.Sweep(t.Context()); !errors.Is(err, f.err) || f.collected.Load() != 2 {
		t.Errorf("%v, %d", err, f.collected.Load()) // blobs are looked at all the same
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Sweep(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
