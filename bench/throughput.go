package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const threeStepWorkflow = `{"workflow":"three","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x"}]}`

// threeSteps counts durable runs of three steps, 64 at a time, with agents that answer immediately.
type threeSteps struct{}

func (threeSteps) name() string { return "three-steps" }

func (threeSteps) measure(ctx context.Context, b *bench, h home) error {
	ended := make(chan struct{}, b.runs)
	r, err := start(ctx, h, echo, func(r port.Receipt) {
		if completed(r) {
			ended <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	def := define(threeStepWorkflow)
	began, spent := time.Now(), spending()
	err = work.Many(b.runs, atOnce, func(int) error {
		if _, err := r.begin(ctx, def); err != nil {
			return err
		}
		_, err := work.Await(ctx, "the end of a run", ended)
		return err
	})
	took := time.Since(began)
	each := spent(b.runs)
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	budget := 5000.0
	if h.shared() {
		budget = 2000
	}
	b.report(single(fmt.Sprintf("runs of three steps, %d at once", atOnce), "runs/s",
		float64(b.runs)/took.Seconds()).atLeast(budget).
		over(byCommits, amount, b.floor.Commits[b.store]))
	b.report(each.of("a run")...)
	return nil
}

// completed reports whether a write ended its run.
func completed(r port.Receipt) bool {
	_, ok := r.Events[len(r.Events)-1].Fact.(*run.RunCompleted)
	return ok
}
