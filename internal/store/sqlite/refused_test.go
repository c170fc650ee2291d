package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// filesIn lists what lies beside the database.
func filesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "assent.") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A write that is refused leaves nothing behind, also of what is too large for a row.
func TestRefusedWritesLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	large := json.RawMessage(`"` + strings.Repeat("x", 2*storekit.InlineMax) + `"`)
	write := func(after int64) port.Write {
		return port.Write{
			Run: "run_1", After: after, Snapshot: large,
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: after + 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: "run_1", Seq: after + 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d", Input: large}}},
		}
	}
	if _, err := s.Append(t.Context(), write(0)); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	if _, err := s.Append(t.Context(), write(0)); !fault.Is(err, fault.Conflict) {
		t.Fatal(err)
	}
	if after := filesIn(t, dir); len(before) < 2 || !slices.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

// What is not kept any more leaves no file: snapshots but the newest five, and
// blobs that nothing refers to.
func TestWhatIsNotKeptLeavesNoFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	large := strings.Repeat("x", 2*storekit.InlineMax)
	for seq := int64(1); seq <= 7; seq++ {
		_, err := s.Append(t.Context(), port.Write{
			Run: "run_1", After: seq - 1, Snapshot: json.RawMessage(`"` + large + `"`),
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: seq, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: "run_1", Seq: seq, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d", Input: json.RawMessage(`{}`)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files := filesIn(t, dir); len(files) != 5 {
		t.Errorf("%d files: %v", len(files), files)
	}
	id, _, err := s.PutBlob(t.Context(), strings.NewReader(large), 1<<30)
	if err != nil || len(filesIn(t, dir)) != 6 {
		t.Fatalf("%v, %v", filesIn(t, dir), err)
	}
	if n, err := s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10); err != nil || n != 1 ||
		len(filesIn(t, dir)) != 5 {
		t.Errorf("%d removed, %v, %v", n, filesIn(t, dir), err)
	}
	if _, _, err := s.OpenBlob(t.Context(), id); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// Whoever removes something waits for a backup, and no longer than their caller.
func TestRemovalWaitsForBackups(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	s.copying.Lock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.notCopying(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a backup is being made: %v", err)
	}
	s.copying.Unlock()
	if err := s.notCopying(t.Context()); err != nil || s.copying.TryLock() {
		t.Errorf("it does not have its turn: %v", err)
	}
	s.copying.Unlock()
}

// The writer remembers some runs, and none that have ended or tell long stories.
func TestRunsTheWriterKnows(t *testing.T) {
	k := knownRuns{cells: map[string]cells{}}
	k.put("run", cells{cause: strings.Repeat("x", storekit.ValueMax)})
	if len(k.cells) != 1 {
		t.Error("a run that goes on is not remembered")
	}
	k.put("long", cells{cause: strings.Repeat("x", storekit.ValueMax+1)})
	k.put("run", cells{ended: 1})
	if len(k.cells) != 0 {
		t.Errorf("%d are remembered", len(k.cells))
	}
	for n := range runsKnown {
		k.put(fmt.Sprint(n), cells{})
	}
	if len(k.cells) != runsKnown {
		t.Errorf("%d are remembered", len(k.cells))
	}
	if k.put("one more", cells{}); len(k.cells) != 1 {
		t.Errorf("%d are remembered", len(k.cells))
	}
}

// What a run held in files is gone with its payloads.
func TestRemovedPayloadsLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	large := strings.Repeat("x", 2*storekit.InlineMax)
	blob, _, err := s.PutBlob(t.Context(), strings.NewReader(large), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	_, err = s.Append(t.Context(), port.Write{
		Run: "run_1", Snapshot: json.RawMessage(`"` + large + `"`),
		Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Completed, Seq: 1, StartedAt: now,
			UpdatedAt: now, EndedAt: now},
		Events: []run.Event{{Run: "run_1", Seq: 1, At: now, Actor: run.Actor{Kind: run.System},
			Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d",
				Input: json.RawMessage(`["` + large + `",{"$blob":"` + blob + `"}]`)}}},
	})
	if err != nil || len(filesIn(t, dir)) != 3 {
		t.Fatalf("%v, %v", filesIn(t, dir), err)
	}
	order := port.Removal{Run: "run_1", By: run.Actor{Kind: run.Person, Name: "ann"}, Reason: "asked for", At: now}
	if _, err := s.OrderRemoval(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if err := s.RemovePayloads(t.Context(), "run_1"); err != nil || len(filesIn(t, dir)) != 0 {
		t.Errorf("%v, %v", filesIn(t, dir), err)
	}
}
