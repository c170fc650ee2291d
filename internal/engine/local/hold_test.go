package local_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// full is a store whose disk can be set to full.
type full struct {
	local.Store
	is      atomic.Bool
	refused atomic.Int64
}

func (f *full) away() error {
	if !f.is.Load() {
		return nil
	}
	f.refused.Add(1)
	return fmt.Errorf("%w: the disk is full", port.ErrUnavailable)
}

func (f *full) Append(ctx context.Context, w port.Write) (int64, error) {
	if err := f.away(); err != nil {
		return 0, err
	}
	return f.Store.Append(ctx, w)
}

func (f *full) PutBlob(ctx context.Context, r io.Reader, most int64) (string, int64, error) {
	if err := f.away(); err != nil {
		return "", 0, err
	}
	return f.Store.PutBlob(ctx, r, most)
}

// An agent is not called again because the disk was full when it answered.
func TestResultsAreHeldUntilTheyCanBeStored(t *testing.T) {
	for name, result := range map[string]run.Result{
		"an output": {Output: []byte(`{"paid":true}`)},
		"a deliverable": {Output: []byte(`1`),
			Deliverables: []run.Deliverable{{Name: "report.md", Type: "document", Content: []byte(`"# Paid"`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
			if err != nil {
				t.Fatal(err)
			}
			defer inner.Close() //nolint:errcheck // the test is over
			store := &full{Store: inner}
			var calls atomic.Int64
			ended := make(chan run.Status, 1)
			e := on(t, store, false, enginetest.Surroundings{Agent: func(context.Context, port.Work) (run.Result, error) {
				calls.Add(1)
				store.is.Store(true)
				return result, nil
			}}, func(_ *machine.State, r port.Receipt) {
				switch r.Events[len(r.Events)-1].Fact.(type) {
				case *run.RunCompleted:
					ended <- run.Completed
				case *run.RunFailed:
					ended <- run.Failed
				}
			})
			defer e.Stop(context.Background()) //nolint:errcheck // the test is over
			def := enginetest.Define(t, `{"workflow":"pay","steps":[{"id":"a","agent":"x"}]}`)
			if _, err := e.Begin(t.Context(), engine.NewRunID(time.Now()), def, run.Command{Do: run.Start{}}, nil); err != nil {
				t.Fatal(err)
			}
			for store.refused.Load() < 3 { // it is retried repeatedly
				select {
				case status := <-ended:
					t.Fatalf("the run is %s, and nothing could be stored", status)
				case <-time.After(time.Millisecond):
				}
			}
			store.is.Store(false)
			select {
			case status := <-ended:
				if status != run.Completed {
					t.Errorf("the run is %s", status)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("the result was lost")
			}
			if n := calls.Load(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
		})
	}
}
