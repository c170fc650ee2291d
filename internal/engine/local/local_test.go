package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// on starts an engine on a store.
func on(t testing.TB, store local.Store, shared bool, s enginetest.Surroundings,
	committed func(*machine.State, port.Receipt)) *local.Engine {
	e := local.New(local.Config{
		Store: store, Shared: shared, Committed: committed,
		Agent: func(string) (port.Agent, bool) { return s.Agent, true },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			if d := s.Workflows[name]; d != nil {
				return d, nil
			}
			return nil, fmt.Errorf("no workflow %s", name)
		},
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	e.Start()
	return e
}

func onSQLite(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, *sqlite.Store) {
	sqlitetest.Fill(t, home)
	store, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return on(t, store, false, s, nil), store
}

func BenchmarkThreeStepRuns(b *testing.B) {
	store, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	threeStepRuns(b, store, false)
}

// threeStepRuns counts durable runs of three steps, 64 at a time.
func threeStepRuns(b *testing.B, store store.Store, shared bool) {
	defer store.Close() //nolint:errcheck // only measured
	slots := make(chan struct{}, 64)
	var all sync.WaitGroup
	e := on(b, store, shared, enginetest.Surroundings{Agent: enginetest.Echo}, func(_ *machine.State, r port.Receipt) {
		if _, ok := r.Events[len(r.Events)-1].Fact.(*run.RunCompleted); ok {
			<-slots
			all.Done()
		}
	})
	defer e.Stop(context.Background()) //nolint:errcheck // only measured
	def := enginetest.Define(b, `{"workflow":"three","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x"}]}`)
	b.ResetTimer()
	for range b.N {
		slots <- struct{}{}
		all.Add(1)
		go func() {
			if _, err := e.Begin(context.Background(), engine.NewRunID(time.Now()), def,
				run.Command{Do: run.Start{}}, nil); err != nil {
				b.Error(err)
			}
		}()
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
