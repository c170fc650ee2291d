package main

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

// waiting makes many LLM agents stop at an approval of a tool call, and measures their cost to the process in
// the meantime.
type waiting struct{}

func (waiting) name() string { return "waiting" }

// idle is how long the process is observed while all runs wait.
const idle = 3 * time.Second

func (waiting) measure(ctx context.Context, b *bench, h home) error {
	debug.FreeOSMemory() // left over from earlier topics
	empty, routines := residentBytes(), runtime.NumGoroutine()
	asked := make(chan struct{}, b.active)
	store, err := h.open(ctx)
	if err != nil {
		return err
	}
	r := engineOn(store, h, echo, func(r port.Receipt) {
		for _, e := range r.Events {
			if _, ok := e.Fact.(*run.RunWaiting); ok {
				asked <- struct{}{}
			}
		}
	})
	r.LLMAgent = func(string) (port.LLMAgent, error) {
		return port.LLMAgent{Model: buyer{}, Tools: []string{"buy_data"}}, nil
	}
	r.Tools = shop{}
	r.Start()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentLLM}}}
	if err := plan.Decode(json.RawMessage(`{"workflow":"study","steps":[{"id":"a","agent":"x"}]}`),
		&def.Workflow); err != nil {
		return err
	}
	at := time.Now()
	err = work.Many(b.active, atOnce, func(int) error {
		id := engine.NewRunID(time.Now())
		_, err := r.Begin(ctx, id, def, run.Command{ID: id, By: someone,
			Do: run.Start{Input: json.RawMessage(`{"n":1}`), Owner: someone.Name}}, nil)
		return err
	})
	if err == nil {
		err = awaitMany(ctx, "an approval", asked, b.active)
	}
	starting := time.Since(at)
	debug.FreeOSMemory()
	heap := inUse()
	resident, extra := residentBytes()-empty, runtime.NumGoroutine()-routines
	busy := processorTime()
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	busy = processorTime() - busy
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	debug.FreeOSMemory()
	n := float64(b.active)
	b.report(single("agents that wait for people", "", n).atLeast(n))
	b.report(single("until all of them wait", "runs/s", n/starting.Seconds()))
	b.report(single("memory of the process while all wait", "MB", megabytes(resident)))
	b.report(single("heap per waiting agent", "bytes", float64(heap-inUse())/n))
	b.report(single("goroutines more than before", "", float64(extra)))
	b.report(single("processor while all wait", "%", 100*busy.Seconds()/idle.Seconds()))
	return nil
}

// inUse is the size of the heap.
func inUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// buyer is a model that wants to buy something.
type buyer struct{}

func (buyer) Think(context.Context, port.TurnRequest, func(port.Progress)) (run.Turn, error) {
	return run.Turn{
		Text:  "I need figures.",
		Calls: []run.Call{{ID: "c1", Tool: "buy_data", Args: json.RawMessage(`{"set":"prices"}`)}},
		Usage: run.Usage{LLMCalls: 1, TokensIn: 1000, TokensOut: 100},
	}, nil
}

// shop is one tool that needs approval.
type shop struct{}

func (shop) List(context.Context, []string) ([]port.ToolInfo, error) {
	return []port.ToolInfo{{Name: "buy_data", Args: json.RawMessage(`{"type":"object"}`)}}, nil
}

func (shop) Spec(context.Context, run.Call) run.ToolSpec {
	return run.ToolSpec{Class: risk.ApprovalRequired, Description: "Buy the data set prices",
		ArgsSchema: json.RawMessage(`{"type":"object"}`)}
}

func (shop) Call(context.Context, port.ToolWork, func(port.Progress)) (run.CallResult, error) {
	return run.CallResult{}, errors.New("the call was not approved")
}
