package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/catalogue"
	"github.com/assent-run/assent/internal/tool/planner"
)

const (
	adaptiveWorkflow = `{"workflow":"adaptive","steps":[{"id":"list","agent":"x"},{"id":"report","agent":"x"}]}`
	requirement      = "parse the XML configuration"
	parser           = "xml_parser"
)

// replans measures how quickly a run finds a step for a new requirement among many tools, adds it to its plan and
// calls its agent. No model takes part.
type replans struct{}

func (replans) name() string { return "replan" }

func (replans) measure(ctx context.Context, b *bench, h home) error {
	for _, n := range []int{b.tools, 10 * b.tools} {
		if err := searches(ctx, b, n, map[bool]float64{true: 10, false: 50}[n == b.tools]); err != nil {
			return err
		}
	}
	tools := catalogue.New(catalogue.Options{Own: func() []port.Callable { return manyTools(b.tools) },
		Log: slog.New(slog.DiscardHandler)})
	defer tools.Close()
	find := planner.New(planner.Options{Catalogue: tools, Agent: func(name string) (plan.Agent, bool) {
		return plan.Agent{Name: name, Kind: plan.AgentGo, Effects: plan.EffectsNone}, name == parser
	}}).Find
	if err := indexed(ctx, tools); err != nil {
		return err
	}
	called, listed, ended := make(chan time.Time, 1), make(chan struct{}), make(chan struct{}, 1)
	r, err := startWith(ctx, h, find, func(ctx context.Context, w port.Work) (run.Result, error) {
		switch w.Step {
		case "list": // waits, so that the requirement comes in the middle of the run
			select {
			case <-listed:
			case <-ctx.Done():
				return run.Result{}, ctx.Err()
			}
		case "report":
		default:
			called <- time.Now()
		}
		return result, nil
	}, func(r port.Receipt) {
		for _, e := range r.Events {
			if _, ok := e.Fact.(*run.RunCompleted); ok {
				ended <- struct{}{}
			}
		}
	})
	if err != nil {
		return err
	}
	def := define(adaptiveWorkflow)
	var took []time.Duration
	for range b.alone {
		var d time.Duration
		if d, err = replanOne(ctx, r, def, called, listed, ended); err != nil {
			break
		}
		took = append(took, d)
	}
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	b.report(latencies(fmt.Sprintf("requirement given → found among %d tools → its agent called", b.tools), took).
		below(p99, 20).over(byFsync, p50, b.floor.FsyncP50))
	return nil
}

// searches measures searches among n tools, and what 99 of 100 may take at most, in milliseconds.
func searches(ctx context.Context, b *bench, n int, most float64) error {
	tools := catalogue.New(catalogue.Options{Own: func() []port.Callable { return manyTools(n) },
		Log: slog.New(slog.DiscardHandler)})
	defer tools.Close()
	if err := indexed(ctx, tools); err != nil {
		return err
	}
	took := make([]time.Duration, b.alone)
	for i := range took {
		began := time.Now()
		tools.Search(ctx, fmt.Sprintf("%s. Then list the files of customer %d", requirement, i), 10)
		took[i] = time.Since(began)
	}
	b.report(latencies(fmt.Sprintf("a search among %d tools", n), took).below(p99, most))
	return nil
}

func replanOne(ctx context.Context, r *rig, def *plan.Definition, called chan time.Time, listed,
	ended chan struct{}) (time.Duration, error) {
	id, err := r.begin(ctx, def)
	if err != nil {
		return 0, err
	}
	sent := time.Now()
	if _, err := r.Do(ctx, id, run.Command{ID: id + "-replan", By: someone, Do: run.Replan{Requirement: requirement}},
		nil); err != nil {
		return 0, err
	}
	at, err := work.Await(ctx, "the new step", called)
	if err != nil {
		return 0, err
	}
	listed <- struct{}{}
	_, err = work.Await(ctx, "the end of a run", ended)
	return at.Sub(sent), err
}

// manyTools are n tools about other things, and an agent that fits the requirement.
func manyTools(n int) []port.Callable {
	args := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	out := []port.Callable{{Name: port.AgentPrefix + parser, Source: port.SourceAgent, Harmless: true,
		Description: "Parses an XML configuration"}}
	for i := range n {
		out = append(out, port.Callable{Name: fmt.Sprintf("tool_%d", i), Source: port.SourceHTTP, Args: args,
			Description: fmt.Sprintf("Can parse, send and list the files of customer number %d", i)})
	}
	return out
}

// indexed waits until the catalogue can be searched.
func indexed(ctx context.Context, tools *catalogue.Catalogue) error {
	for {
		if found, _ := tools.Search(ctx, requirement, 1); len(found) > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
