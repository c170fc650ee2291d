package local_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// noChildren is a store that can be set to refuse new sub-runs.
type noChildren struct {
	*sqlite.Store
	is      atomic.Bool
	refused atomic.Int64
}

func (n *noChildren) Append(ctx context.Context, w port.Write) (int64, error) {
	if n.is.Load() && w.After == 0 && w.Row.Parent != "" {
		n.refused.Add(1)
		return 0, fmt.Errorf("%w: the disk is full", port.ErrUnavailable)
	}
	return n.Store.Append(ctx, w)
}

// parentAtWork starts a run whose sub-run cannot be stored.
func parentAtWork(t *testing.T) (*local.Engine, *noChildren, string) {
	t.Helper()
	inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() }) //nolint:errcheck // the test is over
	store := &noChildren{Store: inner}
	store.is.Store(true)
	e := on(t, store, false, enginetest.Surroundings{
		Agent: enginetest.Echo,
		Workflows: map[string]*plan.Definition{"child": enginetest.Define(t,
			`{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`)},
	}, nil)
	t.Cleanup(func() { e.Stop(context.Background()) }) //nolint:errcheck // the test is over
	id := engine.NewRunID(time.Now())
	def := enginetest.Define(t, `{"workflow":"parent","steps":[{"id":"a","workflow":"child"}]}`)
	if _, err := e.Begin(t.Context(), id, def, run.Command{Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, 2*time.Minute, func() bool { return store.refused.Load() >= 2 })
	return e, store, id
}

// A sub-run that cannot be stored now is stored later: the step has not failed.
func TestSubRunWaitsForTheStore(t *testing.T) {
	_, store, id := parentAtWork(t)
	store.is.Store(false)
	waitFor(t, 2*time.Minute, func() bool {
		row, err := store.Run(t.Context(), id)
		return err == nil && row.Status.Ended()
	})
	if row, err := store.Run(t.Context(), id); err != nil || row.Status != run.Completed {
		t.Errorf("%+v, %v", row, err)
	}
}

// A sub-run that was cancelled before it could begin has ended: its parent waits for nothing, and it does not
// begin later.
func TestSubRunThatNeverBegan(t *testing.T) {
	e, store, id := parentAtWork(t)
	if _, err := e.Do(t.Context(), id, run.Command{ID: "c", By: run.Actor{Kind: run.Person, Name: "ann"},
		Do: run.Abort{}}, nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, 2*time.Minute, func() bool {
		row, err := store.Run(t.Context(), id)
		return err == nil && row.Status.Ended() && !row.Busy
	})
	store.is.Store(false)
	if err := e.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if page, err := store.Runs(t.Context(), port.RunQuery{Parent: id, Limit: 10}); err != nil || len(page.Items) > 0 {
		t.Errorf("%+v, %v: it began", page.Items, err)
	}
}

// Stopping an engine does not wait for an unavailable store.
func TestStopWhileASubRunCannotBegin(t *testing.T) {
	e, _, _ := parentAtWork(t)
	if err := e.Stop(t.Context()); err != nil { // if it waited, it would report that
		t.Error(err)
	}
}
