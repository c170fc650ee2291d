package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/temporal"
	"github.com/jackc/pgx/v5"
)

const queue = "bench"

// assentRuns are runs of Assent with the Temporal engine.
type assentRuns struct {
	url    string
	config temporal.Config
	store  *postgres.Store
	client *temporal.Client
	engine *local.Engine
	began  chan<- string

	three, gated, parked *plan.Definition

	mu    sync.Mutex
	waits map[string]chan run.Status // run → when it waits or has ended
}

func newOurs(ctx context.Context, url, address string, began chan<- string) (*assentRuns, error) {
	o := &assentRuns{url: url, began: began, waits: map[string]chan run.Status{}}
	var err error
	for into, text := range map[**plan.Definition]string{
		&o.three: `{"workflow":"three","steps":[{"id":"p","agent":"x"},{"id":"q","agent":"x"},{"id":"r","agent":"x"}]}`,
		&o.gated: `{"workflow":"gated","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],` +
			`"gates":[{"id":"g","at":"before b"}]}`,
		&o.parked: `{"workflow":"parked","steps":[{"id":"h","human":{"kind":"approval"}}]}`,
	} {
		d := &plan.Definition{Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo, Queue: queue}}}
		if err := json.Unmarshal([]byte(text), &d.Workflow); err != nil {
			return nil, err
		}
		*into = d
	}
	if o.store, err = postgres.Open(ctx, url); err != nil {
		return nil, err
	}
	id, err := o.store.Identity(ctx)
	if err != nil {
		return nil, err
	}
	o.config = temporal.Config{Address: address, Database: id, Log: warnings()}
	if o.client, err = temporal.Dial(ctx, o.config); err != nil {
		return nil, err
	}
	o.engine = local.New(local.Config{Store: o.store, Shared: true, Dispatch: o.client, Log: warnings(),
		Agent: func(string) (port.Agent, bool) { return nil, false }, Committed: o.committed})
	o.engine.Start()
	for !o.engine.Leads() {
		time.Sleep(time.Millisecond)
	}
	go o.follow(ctx)
	return o, nil
}

func warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// Name implements contender.
func (o *assentRuns) Name() string { return "runs of Assent" }

// committed notices what this process stores.
func (o *assentRuns) committed(s *machine.State, _ port.Receipt) { o.reached(s.ID, s.Status) }

// follow notices what workers store: that a run waits, or has ended.
func (o *assentRuns) follow(ctx context.Context) {
	for range o.store.Watch(ctx) {
		o.mu.Lock()
		ids := make([]string, 0, len(o.waits))
		for id := range o.waits {
			ids = append(ids, id)
		}
		o.mu.Unlock()
		for _, id := range ids {
			if row, err := o.store.Run(ctx, id); err == nil {
				o.reached(id, row.Status)
			}
		}
	}
}

func (o *assentRuns) reached(id string, status run.Status) {
	if status == run.Running {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if to := o.waits[id]; to != nil {
		to <- status
		delete(o.waits, id)
	}
}

// begin begins a run and waits until it waits or has ended.
func (o *assentRuns) begin(ctx context.Context, d *plan.Definition, want run.Status) (string, error) {
	id, to := engine.NewRunID(time.Now()), make(chan run.Status, 1)
	o.mu.Lock()
	o.waits[id] = to
	o.mu.Unlock()
	if _, err := o.engine.Begin(ctx, id, d, run.Command{ID: id, By: run.Actor{Kind: run.Person, Name: "ann"},
		Do: run.Start{Owner: "ann"}}, nil); err != nil {
		return "", err
	}
	if got := <-to; got != want {
		return "", fmt.Errorf("%s is %s, not %s", id, got, want)
	}
	return id, nil
}

// Work implements contender.
func (o *assentRuns) Work(ctx context.Context, n int) (func(), error) {
	var stops []func()
	stop := func() {
		for _, s := range stops {
			s()
		}
	}
	for range n {
		store, err := postgres.Open(ctx, o.url)
		if err != nil {
			return stop, err
		}
		client, err := temporal.Dial(ctx, o.config)
		if err != nil {
			return stop, errors.Join(err, store.Close())
		}
		e := local.New(local.Config{Store: store, Shared: true, Log: warnings(),
			Agent: func(string) (port.Agent, bool) { return agent{o.began}, true }})
		w, err := client.Work(e, []string{queue}, 64)
		if err != nil {
			return stop, err
		}
		stops = append(stops, func() {
			w.StopPolling()
			_ = e.Stop(context.Background())
			w.Wait(context.Background())
			client.Close()
			_ = store.Close()
		})
	}
	return stop, nil
}

// agent answers at once. It tells when the step after a decision begins.
type agent struct{ began chan<- string }

// Invoke implements port.Agent.
func (a agent) Invoke(_ context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	if w.Step == "b" {
		select {
		case a.began <- w.Run:
		default: // not being measured
		}
	}
	return run.Result{Output: json.RawMessage(`{"ok":true}`)}, nil
}

// Three implements contender.
func (o *assentRuns) Three(ctx context.Context) error {
	_, err := o.begin(ctx, o.three, run.Completed)
	return err
}

// Wait implements contender.
func (o *assentRuns) Wait(ctx context.Context) (string, error) {
	return o.begin(ctx, o.gated, run.Waiting)
}

// Decide implements contender.
func (o *assentRuns) Decide(ctx context.Context, id string) error {
	approval := "apr_" + id[len("run_"):] + "_1"
	_, err := o.engine.Do(ctx, id, run.Command{ID: approval, By: run.Actor{Kind: run.Person, Name: "ann"},
		Do: run.Decide{Approval: approval, Answer: gate.Answer{By: gate.Person{Name: "bob", Roles: []string{"approver"}},
			Act: gate.Approve, Version: 1}}}, nil)
	return err
}

// Park implements contender.
func (o *assentRuns) Park(ctx context.Context) error {
	_, err := o.begin(ctx, o.parked, run.Waiting)
	return err
}

// Close implements contender.
func (o *assentRuns) Close() {
	_ = o.engine.Stop(context.Background())
	o.client.Close()
	_ = o.store.Close()
}

func databaseSize(ctx context.Context, url string) (n int64, err error) {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer c.Close(ctx) //nolint:errcheck // it was only read
	err = c.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&n)
	return n, err
}
