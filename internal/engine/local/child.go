package local

import (
	"context"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// beginChild starts a sub-run, or finds the one that was started before a crash.
func (e *Engine) beginChild(ctx context.Context, key run.Key, do run.StartRun, start run.Start) run.Doing {
	if report := e.childEnd(ctx, key, do.Run); report != nil {
		return report
	}
	if _, err := e.Store.Run(ctx, do.Run); err == nil {
		return nil // at work already; it tells us when it ends
	}
	def, err := e.Workflow(ctx, do.Workflow)
	if err == nil && len(do.Approved) > 0 && !gate.Same(do.Approved, port.WorkflowImplementation(def)) {
		return run.Rebind{Key: key, Implementation: port.WorkflowImplementation(def)}
	}
	if err == nil {
		_, err = e.Begin(ctx, do.Run, def, run.Command{By: run.Actor{Kind: run.System}, Do: start}, nil)
	}
	switch {
	case err == nil || fault.Is(err, fault.Conflict):
		return nil
	case ctx.Err() != nil:
		return nil
	}
	return run.Fail{Key: key, Failure: run.Failure{Code: string(fault.CodeOf(err)), Message: "start workflow " + do.Workflow + ": " + err.Error()}}
}

// childEnd is the report about a sub-run that has ended, or nil.
func (e *Engine) childEnd(ctx context.Context, key run.Key, id string) run.Doing {
	var report run.Doing
	err := e.View(ctx, id, func(s *run.State) error {
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

// tellParent tells the run that a sub-run works for how it stands. It is said
// again whenever the sub-run is looked at; a parent that knows refuses it.
func (e *Engine) tellParent(s *run.State) {
	parent := s.Started.Parent
	if parent == nil || s.Forked != nil {
		return
	}
	var report run.Doing
	switch {
	case s.Status.Ended():
		report = run.EndChild{Key: parent.Key, Status: s.Status, Output: s.Output, Error: s.Error, Usage: s.Usage}
	case s.Status == run.Waiting || s.Status == run.Paused:
		report = run.ChildWaits{Key: parent.Key, Waiting: true}
	default:
		report = run.ChildWaits{Key: parent.Key, Waiting: false}
	}
	e.work.Add(1)
	e.pools.run("run", func() {
		defer e.work.Done()
		_, err := e.Do(context.WithoutCancel(e.ctx), parent.Run, run.Command{By: run.Actor{Kind: run.System}, Do: report}, nil)
		if err != nil && !fault.Is(err, fault.Stale) && !fault.Is(err, fault.Closed) && !fault.Is(err, fault.NotFound) {
			e.Log.Error("tell a parent", "run", s.ID, "parent", parent.Run, "error", err)
		}
	})
}
