//go:build unix

package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/jackc/pgx/v5"
)

// TestOldPeople: whoever was known before names were somebody's for good keeps
// what is theirs.
func TestOldPeople(t *testing.T) {
	url := pgtest.Database(t)
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
	for _, step := range steps[:storetest.OldPeopleSteps] {
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		do(string(text))
	}
	do(fmt.Sprintf(`CREATE TABLE assent_schema (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
		INSERT INTO assent_schema VALUES (1, %d)`, storetest.OldPeopleSteps))
	do(storetest.OldPeople(func(text string) string { return fmt.Sprintf(`'\x%x'::bytea`, text) }))
	var u urls
	storetest.PeopleKeepTheirs(t, u.open(t, url))
}
