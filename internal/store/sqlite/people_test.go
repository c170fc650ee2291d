package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/assent-run/assent/internal/store/wire"
)

// TestOldPeople: whoever was known before names were somebody's for good keeps
// what is theirs.
func TestOldPeople(t *testing.T) {
	dir := t.TempDir()
	steps, err := wire.Migrations(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), db, steps[:storetest.OldPeopleSteps]); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(storetest.OldPeople(func(text string) string { return fmt.Sprintf("x'%x'", text) }))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	storetest.PeopleKeepTheirs(t, s)
}
