package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/storetest"
	"go.uber.org/goleak"
)

const childEnv = "ASSENT_STORETEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		s, err := sqlite.Open(context.Background(), dir)
		if err == nil {
			err = storetest.Child(s, os.Stdout)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// dirs remembers where stores live.
type dirs struct {
	mu sync.Mutex
	of map[port.Store]string
}

func (d *dirs) open(t *testing.T, dir string) port.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
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

func (d *dirs) dir(s port.Store) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of[s]
}

func TestStore(t *testing.T) {
	d := &dirs{of: map[port.Store]string{}}
	storetest.Run(t, func(t *testing.T) port.Store {
		s := d.open(t, t.TempDir())
		t.Cleanup(func() { // runs before the store is closed: every test leaves a sound store behind
			if _, err := s.Head(context.Background()); err != nil {
				return // closed by the test
			}
			if err := s.(*sqlite.Store).Check(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return s
	}, storetest.Hooks{
		Again: func(t *testing.T, s port.Store) port.Store { return d.open(t, d.dir(s)) },
		Child: func(t *testing.T, s port.Store) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childEnv+"="+d.dir(s))
			cmd.Stderr = os.Stderr
			return cmd
		},
	})
}
