package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// skewedEngine is an engine on a machine whose clock is wrong.
func skewedEngine(
	t *testing.T, url string, wrong time.Duration, agent enginetest.AgentFunc,
) (*local.Engine, *postgres.Store) {
	t.Helper()
	store := openPostgres(t, url)
	clock, err := store.Clock(t.Context(), func() time.Time { return time.Now().Add(wrong) }, func(time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(local.Config{
		Store: store, Shared: true, Now: clock, Agent: func(string) (port.Agent, bool) { return agent, true },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			return nil, fmt.Errorf("no workflow %s", name)
		},
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	e.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = e.Stop(ctx) // its store may be gone
		_ = store.Close()
	})
	return e, store
}

// TestSkewedClocks: the clocks of two machines differ by two hours. A deadline that one of them set is kept by the
// other: once, and neither early nor late. When the leader dies, the other takes up its runs, whose ids are in the
// future of its clock.
func TestSkewedClocks(t *testing.T) {
	url := pgtest.Database(t)
	ran := make(chan string, 10)
	first, firstStore := skewedEngine(t, url, time.Hour, func(ctx context.Context, w port.Work) (run.Result, error) {
		ran <- "first"
		<-ctx.Done() // until it dies
		return run.Result{}, ctx.Err()
	})
	waitFor(t, time.Minute, first.Leads)
	second, store := skewedEngine(t, url, -time.Hour, func(ctx context.Context, w port.Work) (run.Result, error) {
		ran <- "second"
		return enginetest.Echo(ctx, w)
	})

	timed := enginetest.Define(t, `{"workflow":"w","steps":[
		{"id":"h","human":{"kind":"approval","timeout":{"after":"2s","then":"approve"}}}]}`)
	for name, e := range map[string]*local.Engine{"first": first, "second": second} {
		id, began := engine.NewRunID(time.Now()), time.Now()
		if _, err := e.Begin(t.Context(), id, timed, run.Command{Do: run.Start{Owner: "ann"}}, nil); err != nil {
			t.Fatal(err)
		}
		waitFor(t, time.Minute, func() bool {
			row, err := store.Run(t.Context(), id)
			return err == nil && row.Status == run.Completed
		})
		// Clocks may differ by a second.
		if took := time.Since(began); took < time.Second {
			t.Errorf("the deadline of a run that %s began was kept after %s", name, took)
		}
		events, err := store.Events(t.Context(), id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		settled := 0
		for _, e := range events {
			if e.At.Sub(began).Abs() > time.Minute {
				t.Errorf("%s is dated %s", e.Fact.Type(), e.At)
			}
			if _, ok := e.Fact.(*run.ApprovalTimedOut); ok {
				settled++
			}
		}
		if settled != 1 {
			t.Errorf("the deadline was kept %d times", settled)
		}
	}

	work := enginetest.Define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
	id := engine.NewRunID(time.Now().Add(time.Hour)) // as its machine would
	if _, err := first.Begin(t.Context(), id, work, run.Command{Do: run.Start{Owner: "ann"}}, nil); err != nil {
		t.Fatal(err)
	}
	if by := <-ran; by != "first" {
		t.Fatalf("%s works", by)
	}
	_ = firstStore.Close() // it dies
	waitFor(t, time.Minute, func() bool {
		row, err := store.Run(t.Context(), id)
		return err == nil && row.Status == run.Completed
	})
	if by := <-ran; by != "second" {
		t.Errorf("%s worked", by)
	}
}
