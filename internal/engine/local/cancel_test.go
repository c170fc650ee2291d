package local_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// stoppedOf aborts a run with many effects in progress, and returns how many of them were stopped in time.
func stoppedOf(t *testing.T, many int, within time.Duration) int {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	var begun, stopped atomic.Int64
	over := make(chan struct{})
	e := on(t, store, false, enginetest.Surroundings{Agent: func(ctx context.Context, _ port.Work) (run.Result, error) {
		begun.Add(1)
		select {
		case <-ctx.Done():
			stopped.Add(1)
		case <-over:
		}
		return run.Result{}, ctx.Err()
	}}, nil)
	defer e.Stop(context.Background()) //nolint:errcheck // the test is over
	defer close(over)
	id := engine.NewRunID(time.Now())
	def := enginetest.Define(t, fmt.Sprintf(`{"workflow":"w","steps":[{"id":"a","agent":"x","each":"input.items","width":%d}]}`, many))
	input := `{"items":[` + strings.Repeat("1,", many-1) + `1]}`
	if _, err := e.Begin(t.Context(), id, def, run.Command{Do: run.Start{Input: []byte(input)}}, nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, 2*time.Minute, func() bool { return begun.Load() == int64(many) })
	if _, err := e.Do(t.Context(), id, run.Command{ID: "c", By: run.Actor{Kind: run.Person, Name: "ann"},
		Do: run.Abort{}}, nil); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(within); stopped.Load() < int64(many) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return int(stopped.Load())
}

// Aborting a run stops all its work, whether it is one effect or many.
func TestWorkIsStopped(t *testing.T) {
	for _, many := range []int{1, 16, 17, 40} {
		if n := stoppedOf(t, many, 2*time.Minute); n != many {
			t.Errorf("of %d pieces of work %d were stopped", many, n)
		}
	}
}
