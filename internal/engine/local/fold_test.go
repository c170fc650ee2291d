package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
)

// At returns a run as of any of its events, with and without a snapshot after it.
func TestARunAsItWas(t *testing.T) {
	e, store := onSQLite(t, t.TempDir(), enginetest.Surroundings{Agent: enginetest.Echo})
	t.Cleanup(func() {
		e.Stop(context.Background()) //nolint:errcheck // the test is over
		store.Close()                //nolint:errcheck // the test is over
	})
	ctx, id := t.Context(), engine.NewRunID(time.Now())
	ann := run.Actor{Kind: run.Person, Name: "ann"}
	def := enginetest.Define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`)
	if _, err := e.Begin(ctx, id, def, run.Command{By: ann, Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Do(ctx, id, run.Command{ID: "s", By: ann, Do: run.TakeSnapshot{}}, nil); err != nil {
		t.Fatal(err)
	}
	kept, snapshot, err := store.Snapshot(ctx, id, 1<<62)
	if err != nil || kept == 0 || snapshot == nil {
		t.Fatalf("the snapshot is of event %d, %v", kept, err)
	}
	if _, err := e.Do(ctx, id, run.Command{ID: "m", By: ann, Do: run.SendMessage{Text: "hello"}}, nil); err != nil {
		t.Fatal(err)
	}
	for seq := int64(1); seq <= kept+1; seq++ {
		if s, err := e.At(ctx, id, seq); err != nil || s.Seq != seq {
			t.Errorf("at event %d: %v", seq, err)
		}
	}
	if s, err := e.At(ctx, id, 0); err != nil || s.Seq < kept+1 {
		t.Errorf("as it is: %v", err)
	}
	if s, err := e.At(ctx, "run_none", 1); s != nil || !fault.Is(err, fault.NotFound) {
		t.Errorf("a run that is not there: %v", err)
	}
}
