package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// filesIn lists the files next to the database.
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

// A rejected write leaves nothing behind, including files of large values.
func TestRefusedWritesLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	small, large := json.RawMessage(`"x"`), json.RawMessage(`"`+strings.Repeat("x", 2*storekit.InlineMax)+`"`)
	write := func(id string, snapshot, input json.RawMessage) port.Write {
		return port.Write{
			Run: id, Snapshot: snapshot,
			Row: port.RunRow{ID: id, Workflow: "w", Status: run.Running, Seq: 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: id, Seq: 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d", Input: input}}},
		}
	}
	for i, w := range []port.Write{
		write("run_1", large, large), write("run_2", large, small), write("run_3", small, large),
		write("run_4", small, small),
	} {
		if _, err := s.Append(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		before := filesIn(t, dir)
		if _, err := s.Append(t.Context(), w); !fault.Is(err, fault.Conflict) {
			t.Fatal(err)
		}
		if after := filesIn(t, dir); len(before) != []int{2, 3, 4, 4}[i] || !slices.Equal(before, after) {
			t.Errorf("%s: before %v\nafter %v", w.Run, before, after)
		}
	}
}

// A write that fails because of its snapshot alone says so: the engine repeats it without one.
func TestSnapshotsThatCannotBeStored(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	bodies := filepath.Join(dir, bodiesName)
	if err := errors.Join(os.RemoveAll(bodies), os.WriteFile(bodies, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	w := about(1, 0, "walnut")
	w.Snapshot = json.RawMessage(`"` + strings.Repeat("x", 2*storekit.InlineMax) + `"`)
	if _, err := s.Append(t.Context(), w); !errors.Is(err, port.ErrSnapshot) || !errors.Is(err, port.ErrUnavailable) {
		t.Fatal(err)
	}
	w.Snapshot = nil
	if _, err := s.Append(t.Context(), w); err != nil {
		t.Error(err)
	}
}

// So does one whose snapshot the table refuses, in a group with others, which are stored.
func TestSnapshotsThatTheTableRefuses(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err == nil {
		_, err = db.ExecContext(t.Context(), `CREATE TRIGGER refuse BEFORE INSERT ON snapshots
			BEGIN SELECT RAISE(ABORT, 'no room for it'); END`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := 1; n <= 20; n++ {
		group.Go(func() {
			w := about(n, 0, "walnut")
			if n%2 == 0 {
				w.Snapshot = json.RawMessage(`{}`)
			}
			_, err := s.Append(t.Context(), w)
			if refused := errors.Is(err, port.ErrSnapshot); refused != (n%2 == 0) || !refused && err != nil {
				t.Errorf("write %d: %v", n, err)
			}
			if w.Snapshot = nil; n%2 == 0 {
				if _, err = s.Append(t.Context(), w); err != nil {
					t.Errorf("write %d without its snapshot: %v", n, err)
				}
			}
		})
	}
	group.Wait()
}

// A value that fits into a row is only there; a larger one is only in a file.
func TestWhatFitsIntoARow(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	write := func(id string, snapshot, input json.RawMessage) port.Write {
		return port.Write{
			Run: id, Snapshot: snapshot,
			Row: port.RunRow{ID: id, Workflow: "w", Status: run.Running, Seq: 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: id, Seq: 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d", Input: input}}},
		}
	}
	body, err := storekit.EncodeBatch(write("run_1", nil, text(storekit.InlineMax/2)).Events)
	if err != nil {
		t.Fatal(err)
	}
	most := storekit.InlineMax - (len(body) - storekit.InlineMax/2) // bytes of input for a body that just fits
	for i, c := range []struct{ snapshot, input, blob, files int }{
		{storekit.InlineMax, most, storekit.InlineMax, 0}, {storekit.InlineMax + 1, most, 2, 1},
		{3, most + 1, 2, 1}, {3, 3, storekit.InlineMax + 1, 1},
	} {
		id, before := fmt.Sprint("run_", i), len(filesIn(t, dir))
		if _, err := s.Append(t.Context(), write(id, text(c.snapshot), text(c.input))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.PutBlob(t.Context(), bytes.NewReader(text(c.blob)), 1<<30); err != nil {
			t.Fatal(err)
		}
		if n := len(filesIn(t, dir)) - before; n != c.files {
			t.Errorf("%+v: %d files", c, n)
		}
		_, state, err := s.Snapshot(t.Context(), id, 1)
		if err != nil || !bytes.Equal(state, text(c.snapshot)) {
			t.Errorf("%+v: a snapshot of %d bytes, %v", c, len(state), err)
		}
	}
	for table, column := range map[string]string{"batches": "body", "snapshots": "state"} {
		var n int
		query := fmt.Sprintf(`SELECT count(*) FROM %s WHERE (%s IS NULL) <> (file IS NOT NULL)`, table, column)
		if err := s.read.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d %s are in a row and in a file, or in neither, %v", n, table, err)
		}
	}
}

// A missing snapshot file is ignored as long as there is an older snapshot; any other file error is reported.
func TestSnapshotsWithoutTheirFiles(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	large := json.RawMessage(`"` + strings.Repeat("x", storekit.InlineMax) + `"`)
	for seq, snapshot := range []json.RawMessage{json.RawMessage(`1`), large, large} {
		_, err := s.Append(t.Context(), port.Write{
			Run: "run_1", After: int64(seq), Snapshot: snapshot,
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: int64(seq) + 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: "run_1", Seq: int64(seq) + 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunWaiting{}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	file := func(seq int) (name string) {
		t.Helper()
		row := s.read.QueryRowContext(t.Context(), `SELECT file FROM snapshots WHERE seq = ?`, seq)
		if err := row.Scan(&name); err != nil {
			t.Fatal(err)
		}
		return s.bodies.of(name)
	}
	found := func() int64 {
		t.Helper()
		seq, _, err := s.Snapshot(t.Context(), "run_1", 3)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	for want := int64(3); want > 1; want-- {
		if seq := found(); seq != want {
			t.Errorf("snapshot %d, want %d", seq, want)
		}
		if err := os.Remove(file(int(want))); err != nil {
			t.Fatal(err)
		}
	}
	if seq := found(); seq != 1 {
		t.Errorf("snapshot %d, want 1", seq)
	}
	if err := os.Mkdir(file(3), 0o700); err != nil {
		t.Fatal(err)
	}
	if seq, _, err := s.Snapshot(t.Context(), "run_1", 3); err == nil {
		t.Errorf("snapshot %d was read instead of a folder", seq)
	}
}

// The wait for a long backup is limited.
func TestRemovalDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := &Store{}, time.Now()
		s.copying.Lock()
		if err := s.notCopying(t.Context()); !fault.Is(err, fault.Conflict) {
			t.Error(err)
		}
		if took := time.Since(began); took < copyingWait || took > copyingWait+copyingWait/100 {
			t.Errorf("it took %s", took)
		}
	})
}

// Deleted data leaves no file: snapshots other than the newest five, and unreferenced blobs.
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

// Deleting waits for a backup, and no longer than its caller.
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

// The writer caches some runs, but none that have ended or have long texts.
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

// A run's files are deleted with its payloads.
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
	// A file that cannot be deleted is reported, and the order stays open until it can.
	var name string
	if err := s.read.QueryRowContext(t.Context(), `SELECT file FROM snapshots`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(s.bodies.of(name), "x")
	if err := errors.Join(os.Remove(s.bodies.of(name)), os.MkdirAll(inTheWay, 0o700)); err != nil {
		t.Fatal(err)
	}
	open := func() int {
		t.Helper()
		left, err := s.OpenRemovals(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	if err := s.RemovePayloads(t.Context(), "run_1"); err == nil || open() != 1 {
		t.Errorf("%v, %d orders are open", err, open())
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := s.RemovePayloads(t.Context(), "run_1"); err != nil || len(filesIn(t, dir)) != 0 || open() != 0 {
		t.Errorf("%v, %v, %d orders are open", filesIn(t, dir), err, open())
	}
	if _, err := os.Stat(s.bodies.of(name)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// An interrupted read is not mistaken for a complete one.
func TestReadIsBrokenOff(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for seq := range int64(2) {
		_, err := s.Append(t.Context(), port.Write{
			Run: "run_1", After: seq,
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: seq + 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: "run_1", Seq: seq + 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunWaiting{}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	err = database{s}.Batches(ctx, aggregate.BatchQuery{Run: "run_1"}, func(*storekit.Batch) (bool, error) {
		read++
		cancel()
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || read != 1 {
		t.Errorf("%d batches were read, %v", read, err)
	}
}

// A blob whose file is missing or truncated is reported as damaged, not as missing; a reference to a blob
// that was never stored keeps nothing.
func TestDamagedBlobs(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	large := strings.Repeat("x", storekit.InlineMax+1)
	id, _, err := s.PutBlob(t.Context(), strings.NewReader(large), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := storekit.BlobHex(id)
	if err := os.Truncate(s.blobs.of(name), 7); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.OpenBlob(t.Context(), id); !fault.Is(err, fault.Invalid) {
		t.Errorf("cut short: %v", err)
	}
	if err := os.Remove(s.blobs.of(name)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.OpenBlob(t.Context(), id); err == nil || fault.Is(err, fault.NotFound) {
		t.Errorf("gone: %v", err)
	}
	const never = "sha256:559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd" // of A
	if _, err := s.Append(t.Context(), everyKind("run_1", never, 0)); err != nil {
		t.Fatal(err)
	}
	var refs int
	if err := s.read.QueryRowContext(t.Context(), `SELECT count(*) FROM blob_refs`).Scan(&refs); err != nil || refs != 0 {
		t.Errorf("%d references, %v", refs, err)
	}
}

// A blob that is gone, or whose file is, does not count as encrypted again.
func TestRewritesOfMissingBlobs(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	id, _, err := s.PutBlob(t.Context(), strings.NewReader(strings.Repeat("x", storekit.InlineMax+1)), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := storekit.BlobHex(id)
	if err := os.Remove(s.blobs.of(name)); err != nil {
		t.Fatal(err)
	}
	var n int64
	if err := s.read.QueryRowContext(t.Context(), `SELECT no FROM blobs`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	all := func([]byte) bool { return true }
	if done, err := (rewriter{s}).blob(t.Context(), n, all); done || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its file: %t, %v", done, err)
	}
	if done, err := (rewriter{s}).blob(t.Context(), n+1, all); done || err != nil {
		t.Errorf("without its row: %t, %v", done, err)
	}
}
