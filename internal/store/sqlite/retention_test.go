package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// TestOldBlobsAreKept: in a store from before references were recorded, no blob counts as unreferenced, and
// the newest version of each name is known.
func TestOldBlobsAreKept(t *testing.T) {
	dir := t.TempDir()
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), db, steps[:2]); err != nil {
		t.Fatal(err)
	}
	blob := "sha256:559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd" // of A
	_, err = db.Exec(`INSERT INTO runs VALUES (1, 'run_1', 'w', 1, '', 'completed', '', '{}', 1, 0, 0, 0, '', '0', '', '', '', 1, 1, 2, 0, 0, 0);
		INSERT INTO batches VALUES (1, 'run_1', 1, 1, x'00', NULL);
		INSERT INTO blobs (id, size, data) VALUES ('` + blob + `', 1, x'41');
		INSERT INTO deliverables VALUES ('dlv_1_1', 'run_1', 'w', '', '', 'a', '', 'draft', '', '', '', '', 0, 1, 10),
			('dlv_1_2', 'run_1', 'w', '', '', 'a', '', 'draft', '', '', '', '', 0, 2, 11), ('dlv_1_3', 'run_1', 'w', '', '', 'b', '', 'draft', '', '', '', '', 0, 1, 12)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	page, err := s.Deliverables(t.Context(), port.DeliverableQuery{})
	if err != nil || len(page.Items) != 2 || page.Items[0].ID != "dlv_1_3" || page.Items[1].ID != "dlv_1_2" ||
		page.Items[1].UpdatedAt.UnixNano() != 11 {
		t.Errorf("%+v, %v", page.Items, err)
	}
	// Stored again, its references are still unknown.
	if _, _, err := s.PutBlob(t.Context(), strings.NewReader("A"), 10); err != nil {
		t.Fatal(err)
	}
	n, err := s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10)
	if err != nil || n != 0 {
		t.Errorf("%d were removed, %v", n, err)
	}
	if _, _, err := s.OpenBlob(t.Context(), blob); err != nil {
		t.Error(err)
	}
}

// TestOldApprovalsAreInOrder: approvals settled before that order existed are in it.
func TestOldApprovalsAreInOrder(t *testing.T) {
	dir := t.TempDir()
	reopen := func() *Store {
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := reopen()
	at := func(n int64) time.Time { return time.Unix(0, n) }
	w := port.Write{
		Run: "run_1", Events: []run.Event{{Run: "run_1", Seq: 1, At: at(1), Fact: &run.RunWaiting{}}},
		Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Waiting, Seq: 1},
	}
	for i, settled := range []int64{30, 50, 40} {
		w.Approvals = append(w.Approvals, port.ApprovalRow{
			ID: []string{"apr_0", "apr_1", "apr_2"}[i], Run: "run_1", Workflow: "w", Status: "approved",
			RequestedAt: at(int64(i) + 1), SettledAt: at(settled),
		})
	}
	_, err := s.Append(t.Context(), w)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`ALTER TABLE inbox RENAME COLUMN due TO deadline; UPDATE inbox SET deadline = 7;
		ALTER TABLE runs DROP COLUMN subject; ALTER TABLE subjects DROP COLUMN label; ALTER TABLE subjects DROP COLUMN released; ALTER TABLE subjects DROP COLUMN roles; ALTER TABLE subjects DROP COLUMN roles_at; DROP TABLE event_salts; DROP TABLE counted; DROP TABLE second_looks; DROP INDEX runs_in_test; ALTER TABLE runs DROP COLUMN test_mode;
		DROP TRIGGER runs_words_appended; DROP TRIGGER runs_words_changed; DROP TRIGGER runs_words_removed; DROP TABLE runs_by_words; ALTER TABLE runs DROP COLUMN words;
		DROP TRIGGER approvals_words_appended; DROP TRIGGER approvals_words_changed; DROP TRIGGER approvals_words_removed; DROP TABLE approvals_by_words;
		DROP TABLE indexed; ALTER TABLE approvals DROP COLUMN words; DROP TABLE experience; DROP TABLE unlearned; DROP TABLE learned; DROP TABLE firings; DROP TABLE pushes; DROP TABLE push_keys; DROP TABLE links;
		DROP TABLE deliveries; DROP TABLE hook_deliveries; DROP TABLE working_copies;
		ALTER TABLE versions DROP COLUMN source; DROP TABLE agent_work; DROP TABLE agent_work_from; DROP TABLE outbox; DROP TABLE preferences; DROP TABLE disabled_channels; PRAGMA user_version = 10`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	page, err := reopen().Approvals(t.Context(), port.ApprovalQuery{Status: []string{"approved"}, Sort: port.BySettled})
	if err != nil || len(page.Items) != 3 || page.Items[0].ID != "apr_1" || page.Items[1].ID != "apr_2" ||
		page.Items[2].ID != "apr_0" {
		t.Errorf("%+v, %v", page.Items, err)
	}
}

// TestCollectingRemovesFiles: a large blob is a file, and is deleted with its row, but not during a backup.
func TestCollectingRemovesFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	id, _, err := s.PutBlob(t.Context(), strings.NewReader(strings.Repeat("x", storekit.InlineMax+1)), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := storekit.BlobHex(id)
	if _, err := os.Stat(s.blobs.of(name)); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	s.copying.Lock()
	if n, err := s.CollectBlobs(t.Context(), later, 10); n != 0 || err != nil {
		t.Errorf("%d were removed during a backup, %v", n, err)
	}
	s.copying.Unlock()
	if n, err := s.CollectBlobs(t.Context(), later, 10); n != 1 || err != nil {
		t.Errorf("%d were removed, %v", n, err)
	}
	if _, err := os.Stat(s.blobs.of(name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
