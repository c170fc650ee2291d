package local_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/engine/spool"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// slow is a store that does not answer from some moment on, until it is released: then it refuses.
type slow struct {
	*full
	release chan struct{}
}

func (s *slow) Append(ctx context.Context, w port.Write) (int64, error) {
	if s.is.Load() {
		<-s.release
	}
	return s.full.Append(ctx, w)
}

// A result that could not be stored before the process ended is recorded by the next one, and its agent is not called
// again: whether the store refuses, or does not answer.
func TestHeldResultsOutliveTheProcess(t *testing.T) {
	paid := run.Result{Output: []byte(`{"paid":true}`)}
	report := run.Result{Output: []byte(`1`),
		Deliverables: []run.Deliverable{{Name: "report.md", Type: "document", Content: []byte(`"# Paid"`)},
			{Name: "second.md", Type: "document", Content: []byte(`"# Also"`)}}}
	for name, c := range map[string]struct {
		result run.Result
		hangs  bool
	}{"an output": {paid, false}, "a deliverable": {report, false}, "a store that hangs": {paid, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
			if err != nil {
				t.Fatal(err)
			}
			defer inner.Close() //nolint:errcheck // the test is over
			dir := t.TempDir()
			var calls atomic.Int64
			ended := make(chan run.Status, 1)
			start := func(store local.Store, then func()) *local.Engine {
				kept, err := spool.Open(dir, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
				if err != nil {
					t.Fatal(err)
				}
				e := local.New(local.Config{Store: store, Spool: kept,
					Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
					Agent: func(string) (port.Agent, bool) {
						return enginetest.AgentFunc(func(context.Context, port.Work) (run.Result, error) {
							calls.Add(1)
							then()
							return c.result, nil
						}), true
					},
					Committed: func(s *machine.State, r port.Receipt) {
						if s.Status.Ended() {
							ended <- s.Status
						}
					}})
				e.Start()
				return e
			}
			disk := &full{Store: inner}
			var store local.Store = disk
			hung := make(chan struct{})
			if c.hangs {
				store = &slow{disk, hung}
			}
			e := start(store, func() { disk.is.Store(true) })
			def := enginetest.Define(t, `{"workflow":"pay","steps":[{"id":"a","agent":"x"}]}`)
			id := engine.NewRunID(time.Now())
			if _, err := e.Begin(t.Context(), id, def, run.Command{Do: run.Start{}}, nil); err != nil {
				t.Fatal(err)
			}
			files := func() []string {
				files, err := filepath.Glob(filepath.Join(dir, "*.result"))
				if err != nil {
					t.Fatal(err)
				}
				return files
			}
			for deadline := time.Now().Add(time.Minute); len(files()) == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("nothing was put on disk")
				}
			}
			if results, onDisk := e.Held(); results != 1 || onDisk != 1 {
				t.Errorf("%d results are held, %d on disk", results, onDisk)
			}
			close(hung)
			at, cancel := context.WithCancel(t.Context())
			cancel()
			_ = e.Stop(at) // it reports that the result was not stored
			if len(files()) != 1 {
				t.Fatalf("files after the end: %v", files())
			}
			disk.is.Store(false)
			e = start(inner, func() { t.Error("the agent was called again") })
			defer e.Stop(context.Background()) //nolint:errcheck // the test is over
			select {
			case status := <-ended:
				if status != run.Completed {
					t.Errorf("the run is %s", status)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("the result was lost")
			}
			if err := e.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if results, onDisk := e.Held(); results != 0 || onDisk != 0 || len(files()) != 0 {
				t.Errorf("%d results are held, %d on disk: %v", results, onDisk, files())
			}
			s, err := e.At(t.Context(), id, 0)
			if err != nil || len(s.Deliverables) != len(c.result.Deliverables) || calls.Load() != 1 {
				t.Errorf("%d deliverables after %d calls: %v", len(s.Deliverables), calls.Load(), err)
			}
		})
	}
}

// A result of a run that the store does not have is left: its database may be restored later.
func TestHeldResultsOfUnknownRuns(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	dir := t.TempDir()
	kept, err := spool.Open(dir, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	key := run.Key{Run: engine.NewRunID(time.Now()), Kind: run.KeyStep, Step: "a", Index: -1, Try: 1}
	if err := kept.Keep(run.Complete{Key: key, Result: run.Result{Output: []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e := local.New(local.Config{Store: store, Spool: kept, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	e.Start()
	if err := e.Stop(t.Context()); err != nil { // which waits for it
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
}
