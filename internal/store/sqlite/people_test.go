package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// TestOldPeople: people known before names were permanent keep their identities.
func TestOldPeople(t *testing.T) {
	storetest.PeopleKeepTheirs(t, openOld(t, storetest.OldPeopleSteps, storetest.OldPeople(bytesOf)))
}

// TestOldInbox: approvals that were pending before the inbox was sorted by urgency are sorted.
func TestOldInbox(t *testing.T) {
	list.InboxIsSorted(t, openOld(t, list.OldInboxSteps, list.OldInbox(bytesOf)))
}

// bytesOf formats a text as bytes.
func bytesOf(text string) string { return fmt.Sprintf("x'%x'", text) }

// openOld opens a store that was filled at the given number of migrations.
func openOld(t *testing.T, old int, fill string) *Store {
	t.Helper()
	dir := t.TempDir()
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), db, steps[:old]); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(fill)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestOldWork: work from before agents' work was counted is missing, and the store says since when it counts.
func TestOldWork(t *testing.T) {
	list.WorkIsCountedFromNow(t, openOld(t, list.OldWordsSteps, list.OldWords(bytesOf)))
}

// TestOldWords: rows from before searches were indexed are found by their words.
func TestOldWords(t *testing.T) {
	list.WordsAreFound(t, openOld(t, list.OldWordsSteps, list.OldWords(bytesOf)))
}

// TestWorkIsKept: what agents did before their work was in one tree still counts.
func TestWorkIsKept(t *testing.T) {
	list.AgentWorkIsKept(t, openOld(t, 31, list.OldAgentWork))
}
