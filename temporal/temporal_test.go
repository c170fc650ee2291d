package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/temporal"
)

// How long workers may be silent. Busy machines stop processes for seconds: it is short only where a test waits for it.
const (
	heartbeat      = 20 * time.Second
	shortHeartbeat = 5 * time.Second
)

// queues counts the queues of tests: each has its own.
var queues atomic.Int64

func newQueue() string { return fmt.Sprintf("test-%d", queues.Add(1)) }

func openStore(t testing.TB, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func engineOn(t testing.TB, store local.Store, s enginetest.Surroundings, more func(*local.Config)) *local.Engine {
	c := local.Config{
		Store: store, Shared: true, Log: logger(t),
		Agent: func(string) (port.Agent, bool) { return s.Agent, true },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			if d := s.Workflows[name]; d != nil {
				return d, nil
			}
			return nil, fmt.Errorf("no workflow %s", name)
		},
	}
	if more != nil {
		more(&c)
	}
	return local.New(c)
}

func dial(t testing.TB, queue string, heartbeat time.Duration) *temporal.Client {
	t.Helper()
	c, err := temporal.Dial(t.Context(), temporal.Config{Address: temporalServer(t), Heartbeat: heartbeat, Log: logger(t),
		TimersFrom: time.Second, Database: queue,
		Queue: func(plan.Agent) string { return queue }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pair is a server that leads and does no work itself, and a worker, each with its own connections.
type pair struct {
	*local.Engine
	works  *local.Engine
	worker *temporal.Worker
	client *temporal.Client
	stores []*postgres.Store
}

// Stop stops the worker first, as in a rolling upgrade.
func (p *pair) Stop(ctx context.Context) error {
	p.worker.StopPolling()
	err := p.works.Stop(ctx)
	p.worker.Wait(context.Background())
	err = errors.Join(err, p.Engine.Stop(context.WithoutCancel(ctx)))
	p.client.Close()
	return errors.Join(err, p.stores[1].Close())
}

func onTemporal(t testing.TB, url, queue string, s enginetest.Surroundings,
	committed func(*machine.State, port.Receipt)) *pair {
	t.Helper()
	return pairOn(t, dial(t, queue, heartbeat), url, queue, s, committed)
}

func pairOn(t testing.TB, client *temporal.Client, url, queue string, s enginetest.Surroundings,
	committed func(*machine.State, port.Receipt)) *pair {
	t.Helper()
	return pairConfigured(t, client, url, queue, s, func(c *local.Config) { c.Committed = committed })
}

// pairConfigured is a pair whose engines have more in their configurations.
func pairConfigured(t testing.TB, client *temporal.Client, url, queue string, s enginetest.Surroundings,
	configure func(*local.Config)) *pair {
	t.Helper()
	p := &pair{client: client, stores: []*postgres.Store{openStore(t, url), openStore(t, url)}}
	p.Engine = engineOn(t, p.stores[0], s, func(c *local.Config) {
		configure(c)
		c.Dispatch = p.client
		c.Agent = func(string) (port.Agent, bool) {
			return enginetest.AgentFunc(func(context.Context, port.Work) (run.Result, error) {
				t.Error("the server did work of a worker")
				return run.Result{}, errors.New("not here")
			}), true
		}
	})
	p.works = engineOn(t, p.stores[1], s, func(c *local.Config) {
		configure(c)
		c.Reported = func(w port.Work, r port.Progress) { p.worker.Reported(w, r) }
	})
	var err error
	if p.worker, err = p.client.Work(p.works, []string{queue}, 64); err != nil {
		t.Fatal(err)
	}
	p.Engine.Start()
	return p
}

// homes are databases that outlive an engine.
type homes struct {
	sync.Mutex
	urls map[string][2]string
}

func (h *homes) of(t testing.TB, home string) (url, queue string) {
	h.Lock()
	defer h.Unlock()
	if h.urls == nil {
		h.urls = map[string][2]string{}
	}
	if _, ok := h.urls[home]; !ok {
		h.urls[home] = [2]string{pgtest.Database(t), newQueue()}
	}
	return h.urls[home][0], h.urls[home][1]
}

// The suite leaves the same logs on both engines.
func TestOnTemporal(t *testing.T) {
	temporalServer(t)
	logs := map[string]string{}
	var was, is homes
	t.Run("local", func(t *testing.T) {
		enginetest.RunLogged(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) {
			url, _ := was.of(t, home)
			store := openStore(t, url)
			e := engineOn(t, store, s, nil)
			e.Start()
			return e, store
		}, func(name, log string) { logs[name] = log })
	})
	t.Run("temporal", func(t *testing.T) {
		enginetest.RunLogged(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) {
			url, queue := is.of(t, home)
			p := onTemporal(t, url, queue, s, nil)
			return p, p.stores[0]
		}, func(name, log string) {
			if want := logs[name]; log != want || log == "" {
				t.Errorf("%s: the logs differ\nlocal:\n%s\ntemporal:\n%s", name, want, log)
			}
		})
	})
}

var bob = run.Actor{Kind: run.Person, Name: "bob"}

// begin starts a run with an approval before its second step.
func begin(t testing.TB, e port.Engine, workflow string) string {
	t.Helper()
	id := engine.NewRunID(time.Now())
	if _, err := e.Begin(t.Context(), id, enginetest.Define(t, workflow),
		run.Command{ID: id, By: bob, Do: run.Start{Owner: "ann"}}, nil); err != nil {
		t.Fatal(err)
	}
	return id
}

const gated = `{"workflow":"gated","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"}]}`

func await(t testing.TB, e port.Engine, store *postgres.Store, id string, want run.Status) *machine.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	changed := store.Watch(ctx)
	for {
		row, err := store.Run(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if row.Status == want {
			s, err := e.At(ctx, id, row.Seq)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%s is %s, not %s", id, row.Status, want)
		}
	}
}

func approve(t testing.TB, e port.Engine, store *postgres.Store, id string) {
	t.Helper()
	page, err := store.Approvals(t.Context(), port.ApprovalQuery{Run: id, Status: []string{"pending"}, Limit: 2})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	a := page.Items[0]
	if _, err := e.Do(t.Context(), id, run.Command{ID: a.ID, By: bob,
		Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve,
			Version: a.Version}}}, nil); err != nil {
		t.Fatal(err)
	}
}

// Runs that wait continue on the other engine, both ways.
func TestMigration(t *testing.T) {
	temporalServer(t)
	url, queue := pgtest.Database(t), newQueue()
	var where sync.Map
	working := func(name string) enginetest.Surroundings {
		return enginetest.Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
			where.Store(w.Run+w.Step, name)
			return enginetest.Echo(ctx, w)
		}}
	}
	onLocal := func() (*local.Engine, *postgres.Store) {
		store := openStore(t, url)
		e := engineOn(t, store, working("local"), nil)
		e.Start()
		return e, store
	}
	stop := func(e port.Engine, store *postgres.Store) {
		if err := errors.Join(e.Stop(t.Context()), store.Close()); err != nil {
			t.Error(err)
		}
	}
	e, store := onLocal()
	there := begin(t, e, gated)
	await(t, e, store, there, run.Waiting)
	stop(e, store)

	p := onTemporal(t, url, queue, working("temporal"), nil)
	approve(t, p, p.stores[0], there)
	await(t, p, p.stores[0], there, run.Completed)
	back := begin(t, p, gated)
	await(t, p, p.stores[0], back, run.Waiting)
	stop(p, p.stores[0])

	e, store = onLocal()
	approve(t, e, store, back)
	await(t, e, store, back, run.Completed)
	stop(e, store)
	for key, want := range map[string]string{there + "a": "local", there + "b": "temporal", back + "a": "temporal",
		back + "b": "local"} {
		if got, _ := where.Load(key); got != want {
			t.Errorf("%s was done by %v, not by %s", key, got, want)
		}
	}
}

// What an agent reports reaches the server that leads.
// TestRefused shows that a worker works again after the SDK gave up.
func TestRefused(t *testing.T) {
	url, queue := pgtest.Database(t), newQueue()
	p := onTemporal(t, url, queue, enginetest.Surroundings{Agent: enginetest.Echo}, nil)
	p.worker.GiveUp()
	await(t, p, p.stores[0], begin(t, p, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`), run.Completed)
	if err := errors.Join(p.Stop(t.Context()), p.stores[0].Close()); err != nil {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	url, queue, end := pgtest.Database(t), newQueue(), make(chan struct{})
	agent := reporting(func(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error) {
		tell(port.Progress{Text: "half of it"})
		<-end
		return enginetest.Echo(ctx, w)
	})
	client := dial(t, queue, shortHeartbeat)
	defer client.Close()
	store, other := openStore(t, url), openStore(t, url)
	heard := make(chan port.Progress, 10)
	leads := engineOn(t, store, enginetest.Surroundings{}, func(c *local.Config) {
		c.Dispatch = client
		c.Reported = func(_ port.Work, p port.Progress) { heard <- p }
	})
	var worker *temporal.Worker
	works := engineOn(t, other, enginetest.Surroundings{}, func(c *local.Config) {
		c.Agent = func(string) (port.Agent, bool) { return agent, true }
		c.Reported = func(w port.Work, p port.Progress) { worker.Reported(w, p) }
	})
	worker, err := client.Work(works, []string{queue}, 4)
	if err != nil {
		t.Fatal(err)
	}
	leads.Start()
	id := begin(t, leads, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
	select {
	case p := <-heard:
		if p.Text != "half of it" {
			t.Errorf("%+v", p)
		}
	case <-time.After(2 * time.Minute):
		t.Error("nothing was reported")
	}
	close(end)
	await(t, leads, store, id, run.Completed)
	p := &pair{Engine: leads, works: works, worker: worker, client: client, stores: []*postgres.Store{store, other}}
	if err := errors.Join(p.Stop(t.Context()), store.Close()); err != nil {
		t.Error(err)
	}
}

type reporting func(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error)

func (f reporting) Invoke(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error) {
	return f(ctx, w, tell)
}

// Two databases with the same runs and the same queue share a namespace without noticing: a database and its copy,
// for example.
func TestSharedNamespace(t *testing.T) {
	queue := newQueue()
	var id string
	for _, name := range []string{"one", "two"} {
		var done atomic.Int64
		agent := func(ctx context.Context, w port.Work) (run.Result, error) {
			done.Add(1)
			return enginetest.Echo(ctx, w)
		}
		client, err := temporal.Dial(t.Context(), temporal.Config{Address: temporalServer(t), Heartbeat: heartbeat,
			Log: logger(t), Queue: func(plan.Agent) string { return queue }})
		if err != nil {
			t.Fatal(err)
		}
		client.Use(name)
		p := pairOn(t, client, pgtest.Database(t), queue, enginetest.Surroundings{Agent: agent}, nil)
		// The first stays while the second works.
		defer func() {
			if err := errors.Join(p.Stop(context.Background()), p.stores[0].Close()); err != nil {
				t.Error(err)
			}
		}()
		if id == "" {
			id = engine.NewRunID(time.Now())
		}
		if _, err := p.Begin(t.Context(), id, enginetest.Define(t, gated), run.Command{ID: id, By: bob,
			Do: run.Start{Owner: "ann"}}, nil); err != nil {
			t.Fatal(err)
		}
		ids := []string{id}
		for range 5 {
			ids = append(ids, begin(t, p, gated))
		}
		for _, id := range ids {
			await(t, p, p.stores[0], id, run.Waiting)
			approve(t, p, p.stores[0], id)
			await(t, p, p.stores[0], id, run.Completed)
		}
		if n := done.Load(); n != 12 {
			t.Errorf("%s did %d pieces of work, not its own 12", name, n)
		}
	}
}
