package local

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/engine"
)

const asksFirst = `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"before a","title":"May it?"}]}`

func take(t *testing.T) run.Command {
	t.Helper()
	return run.Command{ID: engine.NewRunID(time.Now()), By: run.Actor{Kind: run.Person, Name: "ann"},
		Do: run.TakeSnapshot{}}
}

// Events that would break an invariant are not stored: the run stays as it was, and can continue.
func TestUnsoundEventsAreNotStored(t *testing.T) {
	log := &notes{}
	e, store := burden(t, Config{Log: log.logger()})
	id := startRun(t, e, asksFirst)
	before, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	commit := func(ev run.Event) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if err := e.load(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		_, err := e.commit(t.Context(), r, decided{events: []run.Event{ev}}, nil)
		return err
	}
	done := &run.RunCompleted{Output: json.RawMessage(`{}`)}
	for name, ev := range map[string]run.Event{
		"completed with an open step": {Run: id, Seq: before.Seq + 1, At: time.Now(), Fact: done},
		"a gap":                       {Run: id, Seq: before.Seq + 2, At: time.Now(), Fact: &run.SnapshotSaved{}},
		"of another run":              {Run: "run_2", Seq: before.Seq + 1, At: time.Now(), Fact: &run.SnapshotSaved{}},
	} {
		if err := commit(ev); !errors.Is(err, ErrUnsound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e.UnsoundRuns() != 1 || log.count("a run breaks an invariant") != 3 {
		t.Errorf("%d are counted, %d were logged", e.UnsoundRuns(), log.count("a run breaks an invariant"))
	}
	if after, err := store.Run(t.Context(), id); err != nil || after.Seq != before.Seq {
		t.Errorf("the log went from %d to %d: %v", before.Seq, after.Seq, err)
	}
	if _, err := e.Do(t.Context(), id, take(t), nil); err != nil {
		t.Error(err)
	}
}

// damaged is a store whose snapshots do not belong to their logs.
type damaged struct {
	*burdened
	on atomic.Bool
}

func (d *damaged) Snapshot(ctx context.Context, id string, atMost int64) (int64, json.RawMessage, error) {
	seq, state, err := d.burdened.Snapshot(ctx, id, atMost)
	if d.on.Load() && state != nil {
		state = value.Merge(state, json.RawMessage(`{"unsettled":7}`))
	}
	return seq, state, err
}

// A run whose stored state breaks an invariant is not continued, by people or by the engine; it can still be read.
func TestUnsoundRunsAreNotContinued(t *testing.T) {
	whole, store := burden(t, Config{})
	id := startRun(t, whole, asksFirst)
	if _, err := whole.Do(t.Context(), id, take(t), nil); err != nil {
		t.Fatal(err)
	}
	before, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	bad := &damaged{burdened: store}
	bad.on.Store(true)
	e := New(Config{Store: bad, Sweep: time.Hour})
	if _, err := e.Do(t.Context(), id, take(t), nil); !errors.Is(err, ErrUnsound) {
		t.Errorf("a command: %v", err)
	}
	if err := e.look(t.Context(), id); !errors.Is(err, ErrUnsound) {
		t.Errorf("its work: %v", err)
	}
	if e.UnsoundRuns() != 1 {
		t.Errorf("%d are counted", e.UnsoundRuns())
	}
	if err := e.View(t.Context(), id, func(s *machine.State) error { return nil }); err != nil {
		t.Errorf("it cannot be read: %v", err)
	}
	if after, err := store.Run(t.Context(), id); err != nil || after.Seq != before.Seq {
		t.Errorf("the log went from %d to %d: %v", before.Seq, after.Seq, err)
	}
	bad.on.Store(false)
	if _, err := e.Do(t.Context(), id, take(t), nil); err != nil {
		t.Errorf("once it is whole again: %v", err)
	}
}
