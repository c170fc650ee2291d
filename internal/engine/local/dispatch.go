package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Dispatcher carries out effects in other processes. The log stays the only truth: a worker loads the run,
// does the work if it is still owed, and stores the result itself with Perform.
type Dispatcher interface {
	// Queue names the workers that do an agent's work; "" is this process.
	Queue(plan.Agent) string
	// Carry makes sure that a worker of the queue does the work of a key, until ctx ends. It passes on what the
	// worker reports. When ctx has ended and withdrawn returns true, the worker is asked to stop.
	Carry(ctx context.Context, queue string, key run.Key, tell func(port.Progress), withdrawn func() bool)
	// Wake has a worker tick a run at a time, also while no engine runs. The time is by the clock of the runs; in is how
	// far it is ahead, because the clock of this machine may be wrong. It must not block.
	Wake(id string, at time.Time, in time.Duration)
}

// dispatchAhead is how far ahead a dispatcher learns of deadlines that were set while another engine led.
const dispatchAhead = 10 * time.Minute

// queueOf names the workers that carry out an effect; "" is this process.
func (e *Engine) queueOf(s *machine.State, ef run.Effect) string {
	if e.Dispatch == nil {
		return ""
	}
	var name string
	switch do := ef.Do.(type) {
	case run.Invoke:
		name = do.Agent
	case run.Think:
		name = do.Agent
	case run.CallTool:
		name = do.Agent
	case run.Advise:
		name = do.Agent
	}
	agent, ok := s.Plan().Definition.Agents[name]
	if !ok {
		return ""
	}
	return e.Dispatch.Queue(agent)
}

// dispatch hands an effect to a worker elsewhere. Stopping the engine or losing leadership leaves it at work.
func (e *Engine) dispatch(r *one, ef run.Effect, queue string) {
	if !e.enter() {
		return
	}
	defer e.work.Done() // Stop does not wait for work elsewhere, only until it is handed over
	epoch, id, key := e.leading.epoch.Load(), r.id, ef.Key
	ctx, cancel := context.WithCancel(e.ctx)
	r.underway[key] = cancel
	w := port.Work{Run: id, Step: key.Step, Try: key.Try, Key: key.Work()}
	if key.Index >= 0 {
		w.Index = &key.Index
	}
	if do, ok := ef.Do.(run.Invoke); ok {
		w.Ahead = do.Ahead
	}
	e.loops.Go(func() {
		defer cancel()
		if e.confirmed(ctx, epoch) {
			e.Dispatch.Carry(ctx, queue, key, e.telling(w), func() bool {
				return e.ctx.Err() == nil && e.leading.epoch.Load() == epoch && !e.answered(key)
			})
		}
		held := e.runs.acquire(id) // so that it is not loaded again
		defer e.runs.release(held)
		e.done(id, key, nil)
		e.lookAgain(id)
	})
}

// checkDispatched refreshes runs whose work elsewhere has been recorded without this process noticing: before it
// followed the feed, for example.
func (e *Engine) checkDispatched(ctx context.Context) error {
	if e.Dispatch == nil {
		return nil
	}
	for _, id := range e.runs.working() {
		row, err := e.Store.Run(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if !e.runs.knows(id, row.Seq) {
			if err := e.refresh(ctx, id, row.Seq); err != nil && !errors.Is(err, ErrUnsound) {
				return err
			}
		}
	}
	return nil
}

// answered reports whether a step's work has its result, as far as this process knows: then nothing has to be
// stopped. It is the most frequent reason for work to be no longer owed, and is not complete.
func (e *Engine) answered(key run.Key) bool {
	r := e.runs.acquire(key.Run)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.s == nil || key.Kind != run.KeyStep {
		return false
	}
	i, ok := r.s.Plan().Step(key.Step)
	if !ok {
		return false
	}
	st, k := r.s.Steps[i], max(key.Index, 0)
	return st.Status == run.DoneStep || k < len(st.Tasks) && st.Tasks[k].Status == machine.TaskDone
}

// Perform does the work of a key in this process, if it is still owed, and stores the result. It is for workers:
// it needs no leadership, because a result is fenced by its key. An error means that nothing was stored.
func (e *Engine) Perform(ctx context.Context, key run.Key) error {
	if !e.enter() {
		return ErrDraining
	}
	defer e.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	var job func(context.Context) run.Operation
	if err := e.untilAvailable(ctx, func() (err error) {
		if e.CatchUp != nil {
			if err := e.CatchUp(ctx); err != nil {
				return err
			}
		}
		job, err = e.owedJob(ctx, key)
		return err
	}); err != nil || job == nil {
		return err
	}
	report := e.attempt(ctx, key, job)
	if report == nil {
		// Cancelled, or a sub-run that reports its own end.
		return ctx.Err()
	}
	return e.record(key.Run, key, report)
}

// owedJob is the work of a key, as the store has the run now; nil: it is not owed.
func (e *Engine) owedJob(ctx context.Context, key run.Key) (func(context.Context) run.Operation, error) {
	r := e.runs.acquire(key.Run)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.s != nil {
		row, err := e.Store.Run(ctx, r.id)
		if err != nil {
			return nil, err
		}
		if row.Seq != r.s.Seq {
			r.s = nil
		}
	}
	if err := e.loadSound(ctx, r); err != nil {
		return nil, err
	}
	for _, ef := range r.s.Effects() {
		if ef.Key == key {
			_, job := e.job(r, ef, anyProcess)
			return job, nil
		}
	}
	return nil, nil
}

// CodeWorkerLost is the code of failures of work whose worker stopped responding.
const CodeWorkerLost = "worker_lost"

// Lost stores that the worker of a key stopped responding. The step's retry policy applies. If the worker is
// alive after all, its result comes too late, or this does.
func (e *Engine) Lost(ctx context.Context, key run.Key) error {
	var job func(context.Context) run.Operation
	err := e.untilAvailable(ctx, func() (err error) {
		job, err = e.owedJob(ctx, key)
		return err
	})
	if err != nil || job == nil {
		return err
	}
	return e.record(key.Run, key, run.Fail{Key: key, Failure: run.Failure{Code: CodeWorkerLost, Transient: true,
		Message: "the worker stopped responding; it may have finished without being able to report it"}})
}

// earlyMost is how far the clocks of processes may differ. A timer that another process set may ring so much early.
const earlyMost = 5 * time.Second

// Tick wakes a run whose deadline may have passed. Any process may: what is due depends on the log and the time. If
// the deadline is just ahead by the clock of this process, it waits: no other tick may follow.
func (e *Engine) Tick(ctx context.Context, id string) error {
	for passed := false; ; {
		done, err := e.do(ctx, id, run.Command{By: run.Actor{Kind: run.System}, Do: run.Tick{}}, nil, anyProcess)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Closed) {
			return nil
		}
		if err != nil || len(done.Events) > 0 {
			return err
		}
		row, err := e.Store.Run(ctx, id)
		if err != nil {
			return err
		}
		wait := row.DueAt.Sub(e.Now())
		if row.DueAt.IsZero() || wait > earlyMost || passed {
			return nil
		}
		passed = wait <= 0 // since the command, or nothing is due although it is: try once more
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// untilAvailable repeats a read while the store is unavailable.
func (e *Engine) untilAvailable(ctx context.Context, read func() error) error {
	for wait := holdFirst; ; wait = min(2*wait, holdMost) {
		err := read()
		if !errors.Is(err, port.ErrUnavailable) || errors.Is(err, ErrDraining) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, ctx.Err())
		}
	}
}
