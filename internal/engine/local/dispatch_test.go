package local_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// nearby is a dispatcher whose workers are goroutines with an engine of their own, which never leads.
type nearby struct {
	works *local.Engine
	mu    sync.Mutex
	begun map[run.Key]bool
	wake  time.Time
	in    time.Duration // how far ahead that was
	stops []context.CancelFunc
	jobs  sync.WaitGroup
	idle  bool // nothing is done unless the test does it
}

func (n *nearby) Queue(plan.Agent) string { return "q" }

func (n *nearby) Carry(ctx context.Context, _ string, key run.Key, _ func(port.Progress), withdrawn func() bool) {
	work, cancel := context.WithCancel(context.Background())
	n.mu.Lock()
	if !n.begun[key] && !n.idle {
		n.jobs.Go(func() { _ = n.works.Perform(work, key) })
	}
	n.begun[key] = true
	n.mu.Unlock()
	<-ctx.Done()
	if withdrawn() {
		cancel()
	}
	n.mu.Lock()
	n.stops = append(n.stops, cancel)
	n.mu.Unlock()
}

func (n *nearby) Wake(at time.Time, in time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake, n.in = at, in
}

// dispatching is an engine that leads and leaves all work to workers.
type dispatching struct {
	*local.Engine
	to *nearby
}

func (d *dispatching) Stop(ctx context.Context) error {
	err := d.to.works.Stop(ctx)
	d.to.jobs.Wait()
	return errors.Join(err, d.Engine.Stop(context.WithoutCancel(ctx)))
}

func dispatchOn(t testing.TB, store local.Store, s enginetest.Surroundings) *dispatching {
	configured := func(d local.Dispatcher, agent enginetest.AgentFunc) *local.Engine {
		return local.New(local.Config{Store: store, Shared: true, Dispatch: d,
			Agent: func(string) (port.Agent, bool) { return agent, true },
			Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
				if d := s.Workflows[name]; d != nil {
					return d, nil
				}
				return nil, fmt.Errorf("no workflow %s", name)
			}})
	}
	to := &nearby{begun: map[run.Key]bool{}}
	to.works = configured(to, s.Agent)
	d := &dispatching{to: to, Engine: configured(to, func(context.Context, port.Work) (run.Result, error) {
		t.Error("the engine that leads did work of a worker")
		return run.Result{}, errors.New("not here")
	})}
	d.Start()
	return d
}

// The suite passes on SQLite, and workers in other processes leave the same logs.
func TestOnSQLite(t *testing.T) {
	logs := map[string]string{}
	enginetest.RunLogged(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) {
		return onSQLite(t, home, s)
	}, func(name, log string) { logs[name] = log })
	t.Run("dispatched", func(t *testing.T) {
		enginetest.RunLogged(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) {
			sqlitetest.Fill(t, home)
			store, err := sqlite.Open(t.Context(), home)
			if err != nil {
				t.Fatal(err)
			}
			return dispatchOn(t, store, s), store
		}, func(name, log string) {
			if log != logs[name] || log == "" {
				t.Errorf("%s: the logs differ\nhere:\n%s\ndispatched:\n%s", name, logs[name], log)
			}
		})
	})
}

const lone = `{"workflow":"w","steps":[{"id":"a","agent":"x","retry":{"max":3,"backoff":"1ms"}}]}`

// idleOn is an engine whose workers do only what the test makes them do, with a run that owes one effect.
func idleOn(t *testing.T, agent enginetest.AgentFunc) (d *dispatching, id string, owed func() run.Key) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	d = dispatchOn(t, store, enginetest.Surroundings{Agent: agent})
	d.to.mu.Lock()
	d.to.idle = true
	d.to.mu.Unlock()
	t.Cleanup(func() {
		if err := errors.Join(d.Stop(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, time.Minute, d.Leads)
	id = engine.NewRunID(time.Now())
	if _, err := d.Begin(t.Context(), id, enginetest.Define(t, lone), run.Command{Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	return d, id, func() (key run.Key) {
		waitFor(t, time.Minute, func() bool {
			found := false
			if err := d.View(t.Context(), id, func(s *machine.State) error {
				for _, ef := range s.Effects() {
					if _, ok := ef.Do.(run.Invoke); ok {
						key, found = ef.Key, true
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return found
		})
		return key
	}
}

func statusOf(t *testing.T, e *dispatching, id string) (status run.Status, failed *run.Failure) {
	t.Helper()
	if err := e.View(t.Context(), id, func(s *machine.State) error {
		status, failed = s.Status, s.Steps[0].Tasks[0].Error
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return status, failed
}

// A lost worker is a failed try. What it reports after that is refused, and a key is worked on while it is owed.
func TestLostWorker(t *testing.T) {
	var calls atomic.Int32
	lose := make(chan func(), 1)
	d, id, owed := idleOn(t, func(ctx context.Context, w port.Work) (run.Result, error) {
		if calls.Add(1) == 1 {
			(<-lose)()
		}
		return enginetest.Echo(ctx, w)
	})
	first := owed()
	lose <- func() {
		if err := d.to.works.Lost(t.Context(), first); err != nil {
			t.Error(err)
		}
	}
	if err := d.to.works.Perform(t.Context(), first); err != nil {
		t.Errorf("a result that comes too late is an error: %v", err)
	}
	var second run.Key
	waitFor(t, time.Minute, func() bool { second = owed(); return second != first })
	if status, failed := statusOf(t, d, id); status != run.Running || failed == nil ||
		failed.Code != local.CodeWorkerLost || second.Try != 2 || second.Work() != first.Work() {
		t.Fatalf("%s, %+v, %s", status, failed, second)
	}
	for range 2 { // the second time it is not owed
		if err := d.to.works.Perform(t.Context(), second); err != nil {
			t.Error(err)
		}
	}
	if err := d.to.works.Lost(t.Context(), second); err != nil {
		t.Error(err)
	}
	waitFor(t, time.Minute, func() bool { status, _ := statusOf(t, d, id); return status == run.Completed })
	if n := calls.Load(); n != 2 {
		t.Errorf("the agent was called %d times", n)
	}
}

// While no engine leads, workers keep every deadline of a run, also those that they set themselves.
func TestWorkersTick(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d := dispatchOn(t, store, enginetest.Surroundings{Agent: enginetest.Echo})
	waitFor(t, time.Minute, d.Leads)
	id := engine.NewRunID(time.Now())
	if _, err := d.Begin(t.Context(), id, enginetest.Define(t, `{"workflow":"w","steps":[{"id":"h","human":{"kind":"approval",
		"remind":"1h","timeout":{"after":"3h","then":"approve"}}}]}`),
		run.Command{Do: run.Start{Owner: "ann"}}, nil); err != nil {
		t.Fatal(err)
	}
	next := func() (at time.Time, in time.Duration) {
		waitFor(t, time.Minute, func() bool {
			d.to.mu.Lock()
			defer d.to.mu.Unlock()
			at, in, d.to.wake = d.to.wake, d.to.in, time.Time{}
			return !at.IsZero()
		})
		return at, in
	}
	at, in := next()
	if in <= 0 || in > time.Hour {
		t.Errorf("the deadline is %s ahead", in)
	}
	if err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []run.Status{run.Waiting, run.Waiting, run.Completed} { // it reminds twice
		// A timer rings early by the clock of this worker: it waits, because no other will ring.
		began := time.Now()
		late := local.New(local.Config{Store: store, Shared: true, Dispatch: d.to,
			Now: func() time.Time { return at.Add(time.Since(began) - 100*time.Millisecond) }})
		for range 2 {
			if err := late.TickDue(t.Context(), at.Add(-time.Minute), at); err != nil {
				t.Error(err)
			}
		}
		row, err := store.Run(t.Context(), id)
		if err != nil || row.Status != want || row.DueAt.Equal(at) {
			t.Fatalf("%s, due at %s, %v", row.Status, row.DueAt, err)
		}
		if took := time.Since(began); took < 100*time.Millisecond {
			t.Errorf("the deadline was kept after %s", took)
		}
		if want == run.Waiting {
			if at, _ = next(); !at.Equal(row.DueAt) {
				t.Errorf("workers are to wake at %s, and not at %s", at, row.DueAt)
			}
		}
		if err := late.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A worker knows what another process has just published.
func TestWorkersCatchUp(t *testing.T) {
	d, id, owed := idleOn(t, enginetest.Echo)
	var caughtUp atomic.Bool
	works := local.New(local.Config{Store: d.Store, Shared: true,
		Agent:   func(string) (port.Agent, bool) { return enginetest.AgentFunc(enginetest.Echo), caughtUp.Load() },
		CatchUp: func(context.Context) error { caughtUp.Store(true); return nil }})
	defer works.Stop(context.Background())
	if err := works.Perform(t.Context(), owed()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, time.Minute, func() bool {
		status, failed := statusOf(t, d, id)
		if failed != nil {
			t.Fatalf("%+v", failed)
		}
		return status == run.Completed
	})
}

// overdue is a store in which some runs are always due, and one that does not exist.
type overdue struct {
	local.Store
	runs []string
}

func (o *overdue) Due(_ context.Context, _ time.Time, limit int) ([]port.DueRun, error) {
	due := []port.DueRun{{Run: "run_none", At: time.Unix(1, 0)}}
	for i, id := range o.runs {
		due = append(due, port.DueRun{Run: id, At: time.Unix(int64(i+2), 0)})
	}
	return due[:min(limit, len(due))], nil
}

// Runs that stay due although nothing is to be done do not keep a worker busy.
func TestTicksEnd(t *testing.T) {
	store := &overdue{Store: open(t)}
	e := local.New(local.Config{Store: store, Shared: true})
	for range 3 {
		store.runs = append(store.runs, begin(t, e, oneStep))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.TickDue(ctx, time.Now(), time.Now()); err != nil {
		t.Error(err)
	}
}
