package main

import (
	"context"
	"errors"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// transitions measures the time from one step to the next, one run at a time.
type transitions struct{}

func (transitions) name() string { return "transition" }

func (transitions) measure(ctx context.Context, b *bench, h home) error {
	// One run at a time: each of these is written before the next is read.
	var returned, committed time.Time
	var whole, after []time.Duration
	ended := make(chan struct{}, 1)
	r, err := start(ctx, h, func(_ context.Context, w port.Work) (run.Result, error) {
		if w.Step != "a" {
			now := time.Now()
			whole, after = append(whole, now.Sub(returned)), append(after, now.Sub(committed))
		}
		returned = time.Now()
		return result, nil
	}, func(r port.Receipt) {
		committed = time.Now()
		if _, ok := r.Events[len(r.Events)-1].Fact.(*run.RunCompleted); ok {
			ended <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	def := define(threeStepWorkflow)
	for range b.alone {
		if _, err = r.begin(ctx, def); err != nil {
			break
		}
		if _, err = work.Await(ctx, "the end of a run", ended); err != nil {
			break
		}
	}
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	b.report(latencies("agent answered → result durable → next agent asked", whole).below(p50, 1).below(p99,
		5).over(byFsync, p50, b.floor.FsyncP50))
	b.report(latencies("result durable → next agent asked", after).below(p50, 1).below(p99, 5))
	return nil
}
