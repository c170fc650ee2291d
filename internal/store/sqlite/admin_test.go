package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
)

func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // tests that care close it themselves
	return s
}

// write returns a write of n events after after.
func write(id string, after int64, n int, text string) port.Write {
	at := time.Unix(1_800_000_000, 0).UTC()
	w := port.Write{Run: id, After: after, Row: port.RunRow{
		ID: id, Seq: after + int64(n), Workflow: "refund", Version: 3, Definition: "sha256:abc", Status: run.Running,
		Owner: "ann", StepsTotal: 3,
		CostUSD: "0.10", StartedAt: at, UpdatedAt: at,
	}}
	for i := range n {
		w.Events = append(w.Events, run.Event{
			Run: id, Seq: after + 1 + int64(i), At: at, Actor: run.Actor{Kind: run.System}, Cause: "cmd_00000000001",
			Fact: &run.StepCompleted{Step: "draft", Result: &run.Result{Output: []byte(`{"text":"` + text + `"}`)}},
		})
	}
	return w
}

func mustAppend(t testing.TB, s store.Store, w port.Write) {
	t.Helper()
	if _, err := s.Append(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func TestOneProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	_, err := sqlite.Open(t.Context(), dir)
	if !errors.Is(err, port.ErrUnavailable) ||
		!strings.Contains(err.Error(), fmt.Sprintf("process %d uses this directory", os.Getpid())) {
		t.Fatalf("a second store opened, or says %v", err)
	}
	mustAppend(t, s, write("run_1", 0, 1, "still fine"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

// raw opens the database behind the store's back.
func raw(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "assent.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	raw(t, dir, `PRAGMA user_version = 99`)
	_, err = sqlite.Open(t.Context(), dir)
	if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), "written by a newer release (schema 99") {
		t.Fatalf("got %v", err)
	}
	raw(t, dir, fmt.Sprintf(`PRAGMA user_version = %d`, len(steps)))
	open(t, dir)
}

func TestForeignDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	raw(t, dir, `CREATE TABLE songs (title TEXT)`)
	if _, err := sqlite.Open(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), "database of another program") {
		t.Fatalf("got %v", err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "assent.db"),
		[]byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "damaged or not a database") {
		t.Fatalf("got %v", err)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	for what, damage := range map[string]string{
		"the feed: a gap before 4":         `DELETE FROM batches WHERE last_feed = 2`,
		"a run: run run_1 says 9":          `UPDATE runs SET seq = 9`,
		"a log: run run_1 has a gap":       `UPDATE batches SET last_seq = 12 WHERE last_feed = 4`,
		"a reference: run_labels names a":  `INSERT INTO run_labels VALUES ('a', 'b', 1, 'run_9')`,
		"the inbox: approval apr_1 is not": `DELETE FROM inbox`,
		"a file: stat":                     `UPDATE batches SET file = 'abcdef', body = NULL WHERE last_feed = 4`,
	} {
		dir := t.TempDir()
		s := open(t, dir)
		mustAppend(t, s, write("run_1", 0, 2, "a"))
		w := write("run_1", 2, 2, "b")
		w.Approvals = []port.ApprovalRow{{ID: "apr_1", Run: "run_1", Status: "pending", RequestedAt: w.Row.StartedAt}}
		mustAppend(t, s, w)
		if err := s.Check(t.Context()); err != nil {
			t.Fatalf("a sound store: %v", err)
		}
		raw(t, dir, damage)
		if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", damage, err)
		}
	}
}

func TestBackup(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	s := open(t, dir)
	mustAppend(t, s, write("run_1", 0, 3, "small"))
	mustAppend(t, s, write("run_1", 3, 1, strings.Repeat("large", 1<<20)))
	blob, _, err := s.PutBlob(t.Context(), strings.NewReader(strings.Repeat("blob", 1<<20)), 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // the store is in use in the meantime
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if _, err := s.Append(t.Context(), write(fmt.Sprintf("run_b%d", i), 0, 1,
					strings.Repeat("x", i%3<<20))); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	err = s.Backup(t.Context(), to)
	close(stop)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), to); err == nil {
		t.Error("a backup was overwritten")
	}
	c := open(t, to)
	if err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
	events, err := c.Events(t.Context(), "run_1", 0, 10)
	if err != nil || len(events) != 4 {
		t.Errorf("the copy has %d events: %v", len(events), err)
	}
	r, _, err := c.OpenBlob(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close() // only read
}
