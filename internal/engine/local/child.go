package local

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// beginChild starts a sub-run, or finds the one that was started before a crash.
func (e *Engine) beginChild(
	ctx context.Context, key run.Key, do run.StartRun, start run.Start, epoch int64,
) run.Operation {
	if report := e.childEnd(ctx, key, do.Run); report != nil {
		return report
	}
	if _, err := e.Store.Run(ctx, do.Run); err == nil {
		return nil // already running; it reports its end
	}
	var changed []gate.Implementation
	begun := finished{what: "a sub-run", size: func() int64 { return int64(len(start.Input)) }}
	err := e.persist(begun, func() error {
		def, err := e.Workflow(ctx, do.Workflow)
		if err != nil {
			return err
		}
		if now := port.WorkflowImplementation(def); len(do.Approved) > 0 && !gate.Same(do.Approved, now) {
			changed = now
			return nil
		}
		_, err = e.beginRun(ctx, do.Run, def, run.Command{By: run.Actor{Kind: run.System}, Do: start}, nil, epoch)
		if err != nil && mutant.Is(mutant.OutageFails) {
			return errors.New(err.Error())
		}
		return err
	})
	switch {
	case changed != nil:
		return run.Rebind{Key: key, Implementation: changed}
	case err == nil || fault.Is(err, fault.Conflict):
		return nil
	case ctx.Err() != nil || errors.Is(err, port.ErrUnavailable):
		return nil // it stays owed
	}
	return run.Fail{Key: key, Failure: run.Failure{Code: string(fault.CodeOf(err)),
		Message: "start workflow " + do.Workflow + ": " + err.Error()}}
}

// cancelChild cancels a sub-run that is no longer needed. One that never began has thereby ended: a create in
// progress was stopped before, see create.
func (e *Engine) cancelChild(ctx context.Context, key run.Key, id string, epoch int64) run.Operation {
	abort := run.Command{By: run.Actor{Kind: run.System},
		Do: run.Abort{Reason: "its parent run no longer needs it"}}
	switch _, err := e.do(ctx, id, abort, nil, epoch); {
	case fault.Is(err, fault.NotFound) && !mutant.Is(mutant.ChildForgotten):
		key.Kind = run.KeyStep
		return run.EndChild{Key: key, Status: run.Cancelled}
	case err != nil && !fault.Is(err, fault.Closed):
		e.Log.Error("cancel a sub-run", "run", id, "error", err)
		return nil
	}
	return e.childEnd(ctx, key, id)
}

// childEnd is the report about a sub-run that has ended, or nil.
func (e *Engine) childEnd(ctx context.Context, key run.Key, id string) run.Operation {
	var report run.Operation
	err := e.View(ctx, id, func(s *machine.State) error {
		if s.Status.Ended() {
			key.Kind = run.KeyStep
			report = run.EndChild{Key: key, Status: s.Status, Output: s.Output, Error: s.Error, Usage: s.Usage}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return report
}

// tellParent reports a sub-run's status to its parent. It is repeated whenever the sub-run is loaded; a
// parent that already knows rejects it. Two reports may reach the parent in either order, so the sub-run is
// checked again after each: the last report is true. The caller holds r.mu.
func (e *Engine) tellParent(r *one) {
	parent, epoch := r.s.Started.Parent, e.leading.epoch.Load()
	if parent == nil || r.s.Forked != nil || epoch == 0 || !e.enter() {
		return // while the engine drains, the parent is left to the next leader, which asks for its sub-runs
	}
	e.runs.acquire(r.id) // it stays in memory until the parent knows
	e.pools.run("run", func(bool) {
		defer e.work.Done()
		defer e.runs.release(r)
		ctx := context.WithoutCancel(e.ctx)
		for said := ""; ; {
			now, report := e.standing(ctx, r, parent.Key)
			if report == nil || now == said {
				return
			}
			_, err := e.do(ctx, parent.Run, run.Command{By: run.Actor{Kind: run.System}, Do: report}, nil, epoch)
			switch {
			case err == nil:
				said = now
			case fault.Is(err, fault.Stale) || fault.Is(err, fault.Closed) || fault.Is(err, fault.NotFound) || port.Fenced(err):
				return
			default:
				e.Log.Error("tell a parent", "run", r.id, "parent", parent.Run, "error", err)
				return
			}
		}
	})
}

// standing is a sub-run's status, in a word and as reported to its parent.
func (e *Engine) standing(ctx context.Context, r *one, key run.Key) (word string, report run.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := e.load(ctx, r); err != nil {
		e.Log.Error("tell a parent", "run", r.id, "error", err)
		return "", nil
	}
	switch s := r.s; {
	case s.Status.Ended():
		return "ended", run.EndChild{Key: key, Status: s.Status, Output: s.Output, Error: s.Error, Usage: s.Usage}
	case s.Status == run.Waiting || s.Status == run.Paused:
		return "waits", run.ChildWaits{Key: key, Waiting: true}
	default:
		return "runs", run.ChildWaits{Key: key, Waiting: false}
	}
}
