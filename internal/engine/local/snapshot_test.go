package local_test

import (
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
)

const savedPerStep = `{"workflow":"saved","snapshots":"per_step","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`

// TestSnapshotsAsTheWorkflowSays: the store has a snapshot for every place that the
// log names.
func TestSnapshotsAsTheWorkflowSays(t *testing.T) {
	store := open(t)
	e := on(t, store, false, enginetest.Surroundings{Agent: enginetest.AgentFunc(enginetest.Echo)}, nil)
	stopAfter(t, e)
	id := begin(t, e, savedPerStep)
	endsAs(t, store, id, run.Completed)
	records, err := store.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, r := range records {
		if saved, ok := r.Fact.(*run.SnapshotSaved); ok {
			seq, state, err := store.Snapshot(t.Context(), id, r.Seq+10)
			if err != nil || state == nil || seq < r.Seq {
				t.Errorf("after %s: a snapshot of event %d, want %d or later: %v", saved.Step, seq, r.Seq, err)
			}
			places = append(places, saved.Step)
		}
	}
	if fmt.Sprint(places) != "[a b]" {
		t.Errorf("snapshots after %v", places)
	}
}

// TestSnapshotThatCannotBeStored: the run goes on without it, and nothing else is
// written twice.
func TestSnapshotThatCannotBeStored(t *testing.T) {
	store := open(t)
	refused := 0
	store.do(func() {
		store.append = func(w port.Write, write func() (int64, error)) (int64, error) {
			if w.Snapshot != nil {
				store.do(func() { refused++ })
				return 0, fmt.Errorf("%w: no room for it", port.ErrSnapshot)
			}
			return write()
		}
	})
	e := on(t, store, false, enginetest.Surroundings{Agent: enginetest.AgentFunc(enginetest.Echo)}, nil)
	stopAfter(t, e)
	id := begin(t, e, savedPerStep)
	endsAs(t, store, id, run.Completed)
	store.do(func() {
		if refused != 2 {
			t.Errorf("%d snapshots were refused, want 2", refused)
		}
	})
	if _, state, err := store.Snapshot(t.Context(), id, 1000); err != nil || state != nil {
		t.Errorf("there is a snapshot: %s, %v", state, err)
	}
}
