package main

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// active keeps many runs at work concurrently: their agents answer once all of them have been called.
type active struct{}

func (active) name() string { return "active" }

func (active) measure(ctx context.Context, b *bench, h home) error {
	debug.FreeOSMemory() // left over from earlier topics
	empty := residentBytes()
	begun, ended, release := make(chan struct{}, b.active), make(chan struct{}, b.active), make(chan struct{})
	r, err := start(ctx, h, func(ctx context.Context, _ port.Work) (run.Result, error) {
		begun <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
			return run.Result{}, ctx.Err()
		}
		return result, nil
	}, func(r port.Receipt) {
		if _, ok := r.Events[len(r.Events)-1].Fact.(*run.RunCompleted); ok {
			ended <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	def := define(`{"workflow":"one","steps":[{"id":"a","agent":"x"}]}`)
	at := time.Now()
	err = work.Many(b.active, atOnce, func(int) error { _, err := r.begin(ctx, def); return err })
	if err == nil {
		err = awaitMany(ctx, "an agent", begun, b.active)
	}
	starting, resident := time.Since(at), residentBytes()-empty
	close(release)
	at = time.Now()
	if err == nil {
		err = awaitMany(ctx, "the end of a run", ended, b.active)
	}
	ending := time.Since(at)
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	n := float64(b.active)
	b.report(single("runs at work at once", "", n).atLeast(n))
	b.report(single("starting all of them", "runs/s", n/starting.Seconds()))
	b.report(single("memory while all are at work", "MB", megabytes(resident)))
	b.report(single("ending all of them", "runs/s", n/ending.Seconds()))
	return nil
}
