package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/steady"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
)

const (
	childEnv = "ASSENT_STORETEST_DIR"
	keyEnv   = "ASSENT_STORETEST_KEY"
)

// keys parses the keys of an encrypted store.
func keys(text string) (out []seal.Key) {
	if k, err := seal.ParseKey(text); err == nil {
		out = append(out, k)
	}
	return out
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		s, err := sqlite.Open(context.Background(), dir, keys(os.Getenv(keyEnv))...)
		switch {
		case err == nil && os.Getenv(rewriteEnv) != "":
			err = sealed.Child(s, os.Stdout)
		case err == nil:
			err = storetest.Child(s, os.Stdout)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	steady.Main(m)
}

// dirs remembers the directories of stores.
type dirs struct {
	mu sync.Mutex
	of map[store.Store]string
	// encryption key; empty: not encrypted
	key string
}

func (d *dirs) open(t *testing.T, dir string) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, keys(d.key)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[s] = dir
	return s
}

func (d *dirs) dir(s store.Store) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of[s]
}

func TestStore(t *testing.T) { conform(t, "") }

// TestStoreSealed: encryption does not change behaviour.
func TestStoreSealed(t *testing.T) { conform(t, sealed.TestKey) }

func conform(t *testing.T, key string) {
	t.Parallel() // a store waits for the disk most of the time
	d := &dirs{of: map[store.Store]string{}, key: key}
	storetest.Run(t, func(t *testing.T) store.Store {
		s := d.open(t, sqlitetest.Dir(t))
		t.Cleanup(func() { // runs before the store is closed: every test leaves a healthy store behind
			if _, err := s.Head(context.Background()); err != nil {
				return // closed by the test
			}
			if err := s.(*sqlite.Store).Check(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return s
	}, storetest.Hooks{
		Sealed: key != "",
		Again:  func(t *testing.T, s store.Store) store.Store { return d.open(t, d.dir(s)) },
		Child: func(t *testing.T, s store.Store) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childEnv+"="+d.dir(s), keyEnv+"="+d.key)
			cmd.Stderr = os.Stderr
			return cmd
		},
	})
}
