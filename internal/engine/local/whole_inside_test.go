package local

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// burdened is a store that refuses some writes, and records the epochs of the attempts.
type burdened struct {
	store.Store
	refuses atomic.Pointer[func(port.Write) bool]
	epochs  chan int64
}

func (b *burdened) Append(ctx context.Context, w port.Write) (int64, error) {
	if refuses := b.refuses.Load(); refuses != nil && (*refuses)(w) {
		select {
		case b.epochs <- w.Epoch:
		default:
		}
		return 0, fmt.Errorf("%w: the disk is full", port.ErrUnavailable)
	}
	return b.Store.Append(ctx, w)
}

// tried is the epoch of the next refused write.
func (b *burdened) tried(t *testing.T) int64 {
	t.Helper()
	select {
	case epoch := <-b.epochs:
		return epoch
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing was written")
		return 0
	}
}

func (b *burdened) refuse(which func(port.Write) bool) { b.refuses.Store(&which) }

func burden(t *testing.T, c Config) (*Engine, *burdened) {
	t.Helper()
	inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	b := &burdened{Store: inner, epochs: make(chan int64, 100)}
	c.Store = b
	c.Agent = func(string) (port.Agent, bool) { return enginetest.AgentFunc(enginetest.Echo), true }
	e := New(c)
	e.Start()
	t.Cleanup(func() {
		e.Stop(context.Background()) //nolint:errcheck // the test is over
		inner.Close()                //nolint:errcheck // the test is over
	})
	return e, b
}

func (b *burdened) ends(t *testing.T, id string, want run.Status) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if row, err := b.Run(t.Context(), id); err == nil && row.Status.Ended() {
			if row.Status != want {
				t.Errorf("%s: %s", row.Status, row.Error)
			}
			return
		}
	}
	t.Fatal("it did not end")
}

func startRun(t *testing.T, e *Engine, workflow string) string {
	t.Helper()
	id := engine.NewRunID(time.Now())
	if _, err := e.Begin(t.Context(), id, enginetest.Define(t, workflow), run.Command{Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	return id
}

// A sub-run that can neither be stored nor held stays owed: its step has not failed.
func TestSubRunIsOwedWhileTooMuchIsHeld(t *testing.T) {
	e, store := burden(t, Config{Sweep: 100 * time.Millisecond,
		Workflow: func(context.Context, string) (*plan.Definition, error) {
			return enginetest.Define(t, `{"workflow":"child","steps":[{"id":"b","agent":"x"}]}`), nil
		}})
	e.held.Store(holdBytes)
	store.refuse(func(w port.Write) bool { return w.Row.Parent != "" })
	id := startRun(t, e, `{"workflow":"parent","steps":[{"id":"s","workflow":"child"}]}`)
	store.tried(t)
	store.tried(t) // it was owed again
	store.refuse(func(port.Write) bool { return false })
	store.ends(t, id, run.Completed)
	if held := e.held.Load(); held != holdBytes {
		t.Errorf("%d bytes more are held", held-holdBytes)
	}
}

// A leader stores agents' results under its epoch, however often it has to retry.
func TestResultsAreHandedInAsLeader(t *testing.T) {
	log := &notes{}
	e, store := burden(t, Config{Log: log.logger()})
	store.refuse(func(w port.Write) bool { return w.After > 0 })
	id := startRun(t, e, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
	for range 3 {
		if epoch := store.tried(t); epoch == anyProcess || epoch != e.leading.epoch.Load() {
			t.Errorf("it was handed in under epoch %d", epoch)
		}
	}
	store.refuse(func(port.Write) bool { return false })
	store.ends(t, id, run.Completed)
	if e.work.Wait(); log.count("record a result") != 0 {
		t.Error("what was recorded is told as if it were lost")
	}
}

// Once payloads are to be deleted, none of them stay in memory.
func TestRemovedFromMemory(t *testing.T) {
	e, store := burden(t, Config{})
	id := startRun(t, e, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
	store.ends(t, id, run.Completed)
	r := e.runs.acquire(id) // the run is loaded
	defer e.runs.release(r)
	if err := e.View(t.Context(), id, func(*machine.State) error { return nil }); err != nil || r.s == nil {
		t.Fatalf("%v, %v", r.s, err)
	}
	say := run.Command{ID: "s", By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.TakeSnapshot{}}
	if _, err := e.Do(t.Context(), id, say, nil); err == nil && r.s == nil {
		t.Error("nothing was removed yet")
	}
	forget := run.Command{ID: "f", By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Forget{Reason: "asked"}}
	if _, err := e.Do(t.Context(), id, forget, nil); err != nil || r.s != nil {
		t.Errorf("%v: it is still in memory: %t", err, r.s != nil)
	}
}
