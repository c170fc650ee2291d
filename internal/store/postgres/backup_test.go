//go:build unix

package postgres_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

// A backup has every table and every sequence that there is, and an empty one can be restored.
func TestBackupIsComplete(t *testing.T) {
	url := pgtest.Database(t)
	s, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	if err := s.Backup(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // all was said
	names := func(kind string) []string {
		rows, err := c.Query(t.Context(), `SELECT relname::text FROM pg_class
			WHERE relnamespace = current_schema()::regnamespace AND relkind::text = $1 AND relname <> 'assent_schema'
			ORDER BY relname::text COLLATE "C"`, kind)
		if err != nil {
			t.Fatal(err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.copy"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".copy")
	}
	slices.Sort(files)
	if got := names("r"); !slices.Equal(got, files) {
		t.Errorf("the tables are\n%v\nand the backup has\n%v", got, files)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sequence := range names("S") {
		if !strings.Contains(string(manifest), `"`+sequence+`"`) {
			t.Errorf("the backup has no sequence %s", sequence)
		}
	}
	if got := append(names("v"), names("m")...); len(got) > 0 {
		t.Errorf("a backup contains no views: %v", got)
	}
	tables := 0
	if err := postgres.Restore(t.Context(), pgtest.Empty(t), dir, func(string, int64) { tables++ }); err != nil ||
		tables != len(files) {
		t.Errorf("%v, %d tables", err, tables)
	}
}
