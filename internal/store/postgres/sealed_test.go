//go:build unix

package postgres_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
	"github.com/jackc/pgx/v5"
)

const rewriteEnv = "ASSENT_STORETEST_REWRITE"

// everything is the content of the tables, with bytes as they are.
func everything(t *testing.T, url string) []byte {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // only read
	rows, err := c.Query(t.Context(), `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatalf("%v, %v", tables, err)
	}
	var all bytes.Buffer
	for _, table := range tables {
		if _, err := c.PgConn().CopyTo(t.Context(), &all, `COPY `+table+` TO STDOUT (FORMAT binary)`); err != nil {
			t.Fatal(err)
		}
	}
	return all.Bytes()
}

func TestSealed(t *testing.T) {
	t.Parallel()
	sealed.Run(t, sealed.Hooks{
		Open: func(t *testing.T, where string, keys ...seal.Key) (store.Store, string, error) {
			if where == "" {
				where = pgtest.Database(t)
			}
			s, err := postgres.Open(t.Context(), where, keys...)
			if err != nil {
				return nil, where, err
			}
			t.Cleanup(func() { _ = s.Close() }) // tests that care close it themselves
			return s, where, nil
		},
		Raw: everything,
		Exec: func(t *testing.T, where, query string) {
			t.Helper()
			c, err := pgx.Connect(t.Context(), where)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(t.Context()) //nolint:errcheck // only a test
			if _, err := c.Exec(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		},
		Child: func(t *testing.T, where, key string) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childEnv+"="+where, keyEnv+"="+key, rewriteEnv+"=1")
			cmd.Stderr = os.Stderr
			return cmd
		},
	})
}

// TestSealedTogether: a process can read values encrypted with a key that it has not seen before, and adopts
// a new data key when notified.
func TestSealedTogether(t *testing.T) {
	url, key := pgtest.Database(t), sealed.ParseKey(t, sealed.TestKey)
	u := &urls{key: sealed.TestKey}
	a, b := u.open(t, url), u.open(t, url)
	for done := false; !done; {
		r, err := b.Rewrite(t.Context(), true) // creates a data key
		if err != nil {
			t.Fatal(err)
		}
		done = r.Done
	}
	id, _, err := b.PutBlob(t.Context(), strings.NewReader("from the other side"), 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := a.OpenBlob(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// A process without the key reads none of it, and names the missing key.
	if _, err := postgres.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), key.ID()) {
		t.Errorf("without the key: %v", err)
	}
}
