package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// commands measures the latency of commands to a waiting run.
type commands struct{}

func (commands) name() string { return "command" }

func (commands) measure(ctx context.Context, b *bench, h home) error {
	g, err := startGated(ctx, h)
	if err != nil {
		return err
	}
	took := map[string][]time.Duration{}
	for i := range b.alone {
		if err = g.commandOne(ctx, i, took); err != nil {
			break
		}
	}
	if err := errors.Join(err, g.close()); err != nil {
		return err
	}
	for _, name := range []string{"pause", "resume", "message"} {
		b.report(latencies(name+" given → durable", took[name]).below(p99, 5).over(byFsync, p50, b.floor.FsyncP50))
	}
	return nil
}

func (g *gated) commandOne(ctx context.Context, i int, took map[string][]time.Duration) error {
	a, _, err := g.waiting(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		do   run.Operation
	}{{"pause", run.Pause{Reason: "lunch"}}, {"resume", run.Resume{}},
		{"message", run.SendMessage{Text: "LLMAgent the gap."}}} {
		at := time.Now()
		if _, err := g.Do(ctx, a.Run, run.Command{ID: fmt.Sprintf("%s-%d", c.name, i), By: someone, Do: c.do},
			nil); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		took[c.name] = append(took[c.name], time.Since(at))
	}
	return nil
}

// saves measures how quickly an approval and a snapshot are durable.
type saves struct{}

func (saves) name() string { return "saved" }

func (saves) measure(ctx context.Context, b *bench, h home) error {
	g, err := startGated(ctx, h)
	if err != nil {
		return err
	}
	var approvals, snapshots []time.Duration
	for i := range b.saves {
		a, took, e := g.waiting(ctx)
		if err = e; err != nil {
			break
		}
		approvals = append(approvals, took)
		at := time.Now()
		if _, err = g.Do(ctx, a.Run, run.Command{ID: fmt.Sprint("snapshot-", i), By: someone, Do: run.TakeSnapshot{}},
			nil); err != nil {
			break
		}
		snapshots = append(snapshots, time.Since(at))
	}
	if err := errors.Join(err, g.close()); err != nil {
		return err
	}
	b.report(latencies("agent answered → approval saved", approvals).below(p99, 5).over(byFsync, p50, b.floor.FsyncP50))
	b.report(latencies("snapshot asked for → saved", snapshots).below(p99, 5).over(byFsync, p50, b.floor.FsyncP50))
	return nil
}
