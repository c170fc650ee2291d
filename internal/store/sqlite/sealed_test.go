package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
)

const rewriteEnv = "ASSENT_STORETEST_REWRITE"

// everything is the content of a directory, file after file.
func everything(t *testing.T, dir string) []byte {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.Bytes()
}

func sealHooks() sealed.Hooks {
	return sealed.Hooks{
		Open: func(t *testing.T, where string, keys ...seal.Key) (store.Store, string, error) {
			if where == "" {
				where = t.TempDir()
			}
			s, err := sqlite.Open(t.Context(), where, keys...)
			if err != nil {
				return nil, where, err
			}
			t.Cleanup(func() {
				if _, err := s.Head(context.Background()); err == nil {
					if err := s.Check(context.Background()); err != nil {
						t.Error(err)
					}
				}
				_ = s.Close() // tests that care close it themselves
			})
			return s, where, nil
		},
		Raw: everything,
		Exec: func(t *testing.T, where, query string) {
			t.Helper()
			db, err := sql.Open("sqlite", filepath.Join(where, "assent.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close() //nolint:errcheck // only a test
			if _, err := db.ExecContext(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		},
		Child: func(t *testing.T, where, key string) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childEnv+"="+where, keyEnv+"="+key, rewriteEnv+"=1")
			cmd.Stderr = os.Stderr
			return cmd
		},
	}
}

func TestSealed(t *testing.T) {
	t.Parallel()
	sealed.Run(t, sealHooks())
}

// TestSealedBackup: a backup contains encrypted bytes, and opens only with the same keys.
func TestSealedBackup(t *testing.T) {
	key := sealed.ParseKey(t, sealed.TestKey)
	s, err := sqlite.Open(t.Context(), t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only a test
	const word = "planted-in-a-backup"
	if _, err := s.Append(t.Context(), write("run_1", 0, 2, word)); err != nil {
		t.Fatal(err)
	}
	id, _, err := s.PutBlob(t.Context(), bytes.NewReader(bytes.Repeat([]byte(word), 1<<17)), 10<<20)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := s.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(everything(t, copied), []byte(word)) {
		t.Error("anybody can read the copy")
	}
	if _, err := sqlite.Open(t.Context(), copied); err == nil {
		t.Error("the copy opens without a key")
	}
	restored, err := sqlite.Open(t.Context(), copied, key)
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close() //nolint:errcheck // only a test
	events, err := restored.Events(t.Context(), "run_1", 0, 10)
	if err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
	if f, size, err := restored.OpenBlob(t.Context(), id); err != nil || size != int64(len(word))<<17 {
		t.Errorf("%d bytes, %v", size, err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
}
