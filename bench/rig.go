package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// rig is an engine on a store, with one function as every agent.
type rig struct {
	*local.Engine
	store store.Store
}

// agent is a function as an agent.
type agent func(ctx context.Context, w port.Work) (run.Result, error)

// Invoke implements port.Agent.
func (a agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	return a(ctx, w)
}

// result is the default result of agents.
var result = run.Result{Output: json.RawMessage(`{"ok":true}`)}

// echo is an agent that answers immediately.
func echo(context.Context, port.Work) (run.Result, error) { return result, nil }

// engineOn creates an engine that has not started.
func engineOn(store store.Store, h home, a agent, committed func(port.Receipt)) *rig {
	var told func(*machine.State, port.Receipt)
	if committed != nil {
		told = func(_ *machine.State, r port.Receipt) { committed(r) }
	}
	return &rig{store: store, Engine: local.New(local.Config{
		Store: store, Shared: h.shared(), Committed: told,
		Agent:   func(string) (port.Agent, bool) { return a, true },
		Workers: map[string]int{"": 1 << 20}, // queueing of agents is not measured
		Log:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})}
}

// start opens the home and starts an engine, which leads when start returns.
func start(ctx context.Context, h home, a agent, committed func(port.Receipt)) (*rig, error) {
	return startWith(ctx, h, nil, a, committed)
}

// startWith starts an engine that can search for steps.
func startWith(ctx context.Context, h home, find func(context.Context, port.Need) (port.NewSteps, error), a agent,
	committed func(port.Receipt)) (*rig, error) {
	store, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	r := engineOn(store, h, a, committed)
	r.Find = find
	r.Start()
	for !r.Leads() {
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), r.close())
		case <-time.After(time.Millisecond):
		}
	}
	return r, nil
}

func (r *rig) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return errors.Join(r.Stop(ctx), r.store.Close())
}

// define parses a workflow in JSON whose agents are all "x".
func define(workflow string) *plan.Definition {
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}}
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		panic(fmt.Sprintf("a workflow of this program is wrong: %v", err))
	}
	return def
}

var someone = run.Actor{Kind: run.Person, Name: "ann"}

// begin starts a run as a person would.
func (r *rig) begin(ctx context.Context, def *plan.Definition) (id string, err error) {
	id = engine.NewRunID(time.Now())
	c := run.Command{ID: id, By: someone, Do: run.Start{Input: json.RawMessage(`{"n":1}`), Owner: someone.Name}}
	_, err = r.Begin(ctx, id, def, c, nil)
	return id, err
}
