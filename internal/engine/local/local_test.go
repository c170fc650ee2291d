package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

type agentFunc func(ctx context.Context, w port.Work) (run.Result, error)

func (f agentFunc) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	return f(ctx, w)
}

func echo(context.Context, port.Work) (run.Result, error) {
	return run.Result{Output: json.RawMessage(`{"ok":true}`)}, nil
}

func define(t testing.TB, workflow string) *plan.Definition {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}}
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	return def
}

// open starts an engine on a store in dir.
func open(t testing.TB, dir string, agent agentFunc, defs ...*plan.Definition) (*local.Engine, *sqlite.Store) {
	t.Helper()
	store, err := sqlite.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(local.Config{
		Store: store,
		Agent: func(string) (port.Agent, bool) { return agent, true },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			for _, d := range defs {
				if d.Workflow.Name == name {
					return d, nil
				}
			}
			return nil, fmt.Errorf("no workflow %s", name)
		},
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	e.Start()
	return e, store
}

func shut(t testing.TB, e *local.Engine, store *sqlite.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func begin(t testing.TB, e *local.Engine, def *plan.Definition) string {
	t.Helper()
	id := engine.NewRunID(time.Now())
	_, err := e.Begin(context.Background(), id, def, run.Command{ID: id, By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Start{Input: json.RawMessage(`{"n":1}`), Owner: "ann"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// await waits for a state, by looking whenever the feed grows.
func await(t testing.TB, e *local.Engine, store port.Store, id string, ok func(*run.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	changed := store.Watch(ctx)
	for {
		reached := false
		if err := e.View(ctx, id, func(s *run.State) error { reached = ok(s); return nil }); err != nil {
			t.Fatal(err)
		}
		if reached {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			_ = e.View(context.Background(), id, func(s *run.State) error {
				t.Fatalf("%s is %s (%v), owed %v", id, s.Status, s.Error, s.Effects())
				return nil
			})
		}
	}
}

func status(want run.Status) func(*run.State) bool {
	return func(s *run.State) bool { return s.Status == want }
}

const three = `{"workflow":"three","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x"}]}`

func TestThreeSteps(t *testing.T) {
	e, store := open(t, t.TempDir(), echo)
	defer shut(t, e, store)
	id := begin(t, e, define(t, three))
	await(t, e, store, id, status(run.Completed))
}

func TestDecisionsAndRestart(t *testing.T) {
	dir := t.TempDir()
	def := define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b","title":"May b run?"}]}`)
	e, store := open(t, dir, echo)
	id := begin(t, e, def)
	await(t, e, store, id, status(run.Waiting))
	shut(t, e, store)

	e, store = open(t, dir, echo)
	defer shut(t, e, store)
	page, err := store.Approvals(context.Background(), port.ApprovalQuery{Status: []string{"pending"}, Limit: 10})
	if err != nil || len(page.Items) != 1 || page.Items[0].Title != "May b run?" {
		t.Fatalf("%+v, %v", page, err)
	}
	a := page.Items[0]
	_, err = e.Do(context.Background(), id, run.Command{ID: "d1", By: run.Actor{Kind: run.Person, Name: "bob"}, Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: a.Version}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	await(t, e, store, id, status(run.Completed))
	if row, err := store.Approval(context.Background(), a.ID); err != nil || row.Status != "approved" {
		t.Errorf("%+v, %v", row, err)
	}
}

// What an engine did not finish, the next one takes up; what is recorded is not repeated.
func TestTakesUpWhatIsOwed(t *testing.T) {
	dir := t.TempDir()
	def := define(t, three)
	var calls [3]atomic.Int32
	step := func(w port.Work) *atomic.Int32 { return &calls[w.Step[0]-'a'] }
	stuck := make(chan struct{})
	e, store := open(t, dir, func(ctx context.Context, w port.Work) (run.Result, error) {
		step(w).Add(1)
		if w.Step == "b" {
			close(stuck)
			<-ctx.Done()
			return run.Result{}, ctx.Err()
		}
		return echo(ctx, w)
	})
	id := begin(t, e, def)
	<-stuck
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Stop(ctx); err == nil {
		t.Error("Stop did not say that work was left")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	e, store = open(t, dir, func(ctx context.Context, w port.Work) (run.Result, error) {
		step(w).Add(1)
		return echo(ctx, w)
	})
	defer shut(t, e, store)
	await(t, e, store, id, status(run.Completed))
	if a, b, c := calls[0].Load(), calls[1].Load(), calls[2].Load(); a != 1 || b != 2 || c != 1 {
		t.Errorf("a ran %d times, b %d, c %d", a, b, c)
	}
}

func TestTimersRing(t *testing.T) {
	e, store := open(t, t.TempDir(), func(ctx context.Context, w port.Work) (run.Result, error) {
		if w.Try < 3 {
			return run.Result{}, fmt.Errorf("busy")
		}
		return echo(ctx, w)
	})
	defer shut(t, e, store)
	id := begin(t, e, define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","retry":{"max":3,"backoff":"20ms"}},{"id":"h","human":{"kind":"approval","timeout":{"after":"50ms","then":"approve"}}}]}`))
	await(t, e, store, id, status(run.Completed))
}

func TestSubRuns(t *testing.T) {
	child := define(t, `{"workflow":"child","steps":[{"id":"k","agent":"x"}],"gates":[{"id":"g","at":"end"}]}`)
	parent := define(t, `{"workflow":"parent","steps":[{"id":"s","workflow":"child"},{"id":"z","agent":"x"}]}`)
	parent.Workflows = map[string]plan.Workflow{"child": child.Workflow}
	e, store := open(t, t.TempDir(), echo, child, parent)
	defer shut(t, e, store)
	id := begin(t, e, parent)
	await(t, e, store, id, status(run.Waiting)) // for whoever decides in the sub-run
	page, err := store.Approvals(context.Background(), port.ApprovalQuery{Limit: 10})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	a := page.Items[0]
	if _, err := e.Do(context.Background(), a.Run, run.Command{ID: "d", By: run.Actor{Kind: run.Person, Name: "bob"}, Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: a.Version}}}, nil); err != nil {
		t.Fatal(err)
	}
	await(t, e, store, id, status(run.Completed))
}

// A panic in an agent fails its step, not the process.
func TestPanicsAreFailures(t *testing.T) {
	e, store := open(t, t.TempDir(), func(context.Context, port.Work) (run.Result, error) { panic("boom") })
	defer shut(t, e, store)
	id := begin(t, e, define(t, three))
	await(t, e, store, id, func(s *run.State) bool { return s.Status == run.Failed && s.Error.Code == "panic" })
}

func BenchmarkThreeStepRuns(b *testing.B) {
	e, store := open(b, b.TempDir(), echo)
	defer shut(b, e, store)
	def := define(b, three)
	done := make(chan struct{}, 64)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_ = ctx
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := begin(b, e, def)
			awaitPoll(b, e, id)
		}
	})
	_ = done
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

func awaitPoll(b *testing.B, e *local.Engine, id string) {
	for {
		ended := false
		if err := e.View(context.Background(), id, func(s *run.State) error { ended = s.Status.Ended(); return nil }); err != nil {
			b.Fatal(err)
		}
		if ended {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
