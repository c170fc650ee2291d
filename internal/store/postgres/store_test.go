//go:build unix

package postgres_test

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
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
	"github.com/jackc/pgx/v5"
)

const (
	childEnv = "ASSENT_STORETEST_URL"
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
	if url := os.Getenv(childEnv); url != "" {
		s, err := postgres.Open(context.Background(), url, keys(os.Getenv(keyEnv))...)
		switch {
		case err == nil && os.Getenv(rewriteEnv) != "":
			err = sealed.Child(s, os.Stdout)
		case err == nil:
			err = storetest.Child(s, os.Stdout)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(steady.Checked(pgtest.Main(m)))
}

// urls remembers the addresses of stores.
type urls struct {
	mu sync.Mutex
	of map[store.Store]string
	// encryption key; empty: not encrypted
	key string
}

func (u *urls) open(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, keys(u.key)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = map[store.Store]string{}
	}
	u.of[s] = url
	return s
}

func (u *urls) url(s store.Store) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of[s]
}

func TestStore(t *testing.T) { conform(t, "") }

// TestStoreSealed: encryption does not change behaviour.
func TestStoreSealed(t *testing.T) { conform(t, sealed.TestKey) }

func conform(t *testing.T, key string) {
	t.Parallel() // most of the time it waits for the server, and each test has its own database
	u := &urls{key: key}
	storetest.Run(t, func(t *testing.T) store.Store { return u.open(t, pgtest.Database(t)) }, storetest.Hooks{
		Sealed: key != "",
		Shared: true,
		Again:  func(t *testing.T, s store.Store) store.Store { return u.open(t, u.url(s)) },
		Child: func(t *testing.T, s store.Store) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childEnv+"="+u.url(s), keyEnv+"="+u.key)
			cmd.Stderr = os.Stderr
			return cmd
		},
	})
}

// A database is known by its identity: the same after a restart, another for a copy and for another schema.
func TestIdentity(t *testing.T) {
	identity := func(url string) string {
		t.Helper()
		s, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		id, err := s.Identity(t.Context())
		if err != nil || len(id) != 12 {
			t.Fatalf("%q, %v", id, err)
		}
		return id
	}
	one := pgtest.Empty(t)
	was := identity(one)
	if is := identity(one); is != was {
		t.Errorf("%s became %s", was, is)
	}
	if other := identity(pgtest.Database(t)); other == was {
		t.Errorf("two databases are %s", was)
	}
	c, err := pgx.Connect(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // the test is over
	if _, err := c.Exec(t.Context(), `CREATE SCHEMA beside`); err != nil {
		t.Fatal(err)
	}
	if other := identity(one + "&search_path=beside"); other == was {
		t.Errorf("two schemas are %s", was)
	}
}
