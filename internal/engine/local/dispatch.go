package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
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
	// Wake has a worker call TickDue for a deadline, also while no engine runs. The time is by the clock of the runs;
	// in is how far it is ahead, because the clock of this machine may be wrong. It must not block.
	Wake(at time.Time, in time.Duration)
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

// working is the context of work for a worker: it ends with the engine, which waits for it when it stops.
func (e *Engine) working(ctx context.Context) (_ context.Context, end func(), err error) {
	if !e.enter() {
		return nil, nil, ErrDraining
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
		e.work.Done()
	}, nil
}

// Perform does the work of a key in this process, if it is still owed, and stores the result. It is for workers:
// it needs no leadership, because a result is fenced by its key. An error means that nothing was stored.
func (e *Engine) Perform(ctx context.Context, key run.Key) error {
	ctx, end, err := e.working(ctx)
	if err != nil {
		return err
	}
	defer end()
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

// How workers tick runs: so much later than the server that leads, which then has usually done it, so many runs at
// once, and so many of a list.
const (
	tickBehind = time.Second
	tickAtOnce = 8
	tickBatch  = 1000
)

// TickDue ticks the runs whose deadlines come until a time, each after it has come. Any process may: what is due
// depends on the log and the time. It waits for from, because deadlines may be set until then, and returns when none is
// left; an error means that it has to be called again.
func (e *Engine) TickDue(ctx context.Context, from, until time.Time) error {
	ctx, end, err := e.working(ctx)
	if err != nil {
		return err
	}
	defer end()
	ticked := map[port.DueRun]bool{} // a run may stay due: one that cannot be read, for example
	var failed error
	for next := from; ; {
		if ahead := next.Add(tickBehind).Sub(e.Now()); ahead > 0 {
			select {
			case <-time.After(ahead):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		now := e.Now().Add(-tickBehind)
		due, err := e.Store.Due(ctx, until, tickBatch+len(ticked))
		if err != nil {
			return err
		}
		due = slices.DeleteFunc(due, func(d port.DueRun) bool { return ticked[d] })
		if len(due) == 0 {
			return failed
		}
		next = due[0].At
		due = slices.DeleteFunc(due, func(d port.DueRun) bool { return d.At.After(now) })
		failed = cmp.Or(e.tickAll(ctx, due), failed)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, d := range due {
			ticked[d] = true
		}
	}
}

// tickAll ticks runs whose deadlines have come. It returns one of the errors.
func (e *Engine) tickAll(ctx context.Context, due []port.DueRun) error {
	var ticks sync.WaitGroup
	turns, failed := make(chan struct{}, tickAtOnce), make([]error, len(due))
	for i, d := range due {
		turns <- struct{}{}
		ticks.Go(func() {
			defer func() { <-turns }()
			_, err := e.do(ctx, d.Run, run.Command{By: run.Actor{Kind: run.System}, Do: run.Tick{}}, nil, anyProcess)
			switch {
			case errors.Is(err, ErrUnsound): // it does not mend itself
				e.Log.Error("wake a run", "run", d.Run, "error", err)
			case !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Closed):
				failed[i] = err
			}
		})
	}
	ticks.Wait()
	return cmp.Or(failed...)
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
