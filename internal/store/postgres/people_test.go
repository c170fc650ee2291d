//go:build unix

package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/assent-run/assent/internal/store/storetest/list"
	"github.com/jackc/pgx/v5"
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
func bytesOf(text string) string { return fmt.Sprintf(`'\x%x'::bytea`, text) }

// openOld opens a store that was filled at the given number of migrations.
func openOld(t *testing.T, old int, fill string) store.Store {
	t.Helper()
	url := pgtest.Empty(t)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context()) //nolint:errcheck // it was only read and written
	do := func(sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps[:old] {
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		do(string(text))
	}
	do(fmt.Sprintf(`CREATE TABLE assent_schema (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
		INSERT INTO assent_schema VALUES (1, %d)`, old))
	do(fill)
	var u urls
	return u.open(t, url)
}

// TestOldWork: work from before agents' work was counted is missing, and the store says since when it counts.
func TestOldWork(t *testing.T) {
	list.WorkIsCountedFromNow(t, openOld(t, list.OldWordsSteps, list.OldWords(bytesOf)))
}

// TestOldWords: rows from before searches were indexed are found by their words.
func TestOldWords(t *testing.T) {
	list.WordsAreFound(t, openOld(t, list.OldWordsSteps, list.OldWords(bytesOf)))
}

// TestWorkIsKept: what agents did before their work had one index still counts.
func TestWorkIsKept(t *testing.T) {
	list.AgentWorkIsKept(t, openOld(t, 30, list.OldAgentWork))
}
