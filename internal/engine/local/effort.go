package local

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trace"
)

// reconcile starts what is owed to a run and not under way, stops what is under
// way and not owed, sets the alarm, and tells a parent. Owed is what the run's
// state says now. A process that does not lead only passes the deadline on: a
// worker may set it while no process leads. Confirmed is the epoch that the store
// has just accepted a write under. The caller holds r.mu.
func (e *Engine) reconcile(r *one, owed []run.Effect, confirmed int64) {
	var wake run.Wake
	for _, ef := range owed {
		if w, ok := ef.Do.(run.Wake); ok {
			wake = w
		}
	}
	if e.Dispatch != nil && !wake.At.IsZero() {
		e.Dispatch.Wake(wake.At, wake.At.Sub(e.Now()))
	}
	if !e.Leads() {
		return
	}
	r.cancelExcept(owed)
	for _, ef := range owed {
		if _, clock := ef.Do.(run.Wake); clock {
			continue
		}
		if _, started := r.underway[ef.Key]; !started {
			if queue := e.queueOf(r.s, ef); queue != "" {
				e.dispatch(r, ef, queue)
			} else {
				e.begin(r, ef, confirmed)
			}
		}
	}
	e.clock.set(r.id, wake.At)
	e.tellParent(r)
}

// begin starts one effort, unless the engine drains. Its input is taken now, while the state is at hand.
func (e *Engine) begin(r *one, ef run.Effect, confirmed int64) {
	if !e.enter() {
		return
	}
	epoch := e.leading.epoch.Load()
	ctx, cancel := context.WithCancel(e.ctx)
	r.underway[ef.Key] = cancel
	kind, job := e.job(r, ef, epoch)
	id := r.id
	e.pools.run(kind, func(waited bool) {
		defer e.work.Done()
		var report run.Operation
		// What follows from a write starts at once, as the store has just compared the
		// epoch. Otherwise the process may have been suspended, and after a wait in line
		// much may have happened: the store is asked at the last moment.
		started := !waited && confirmed == epoch && e.stillLeads(ctx, epoch) || e.confirmed(ctx, epoch)
		if started {
			report = e.attempt(ctx, ef.Key, job)
		}
		broken := report == nil && (!started || ctx.Err() != nil)
		cancel()
		e.done(id, ef.Key, report)
		if broken {
			e.lookAgain(id)
		}
	})
}

// lookAgain takes up what was cancelled or not started, if it is still owed and
// this process leads: it may be owed again, or the lead regained.
func (e *Engine) lookAgain(id string) {
	if !e.Leads() || e.draining.Load() || e.ctx.Err() != nil {
		return
	}
	if err := e.look(e.ctx, id); err != nil && e.ctx.Err() == nil {
		e.Log.Warn("resume a run; retrying later", "run", id, "error", err)
	}
}

// attempt does a job; a panic in an agent is that agent's failure, not ours.
func (e *Engine) attempt(
	ctx context.Context, key run.Key, job func(context.Context) run.Operation,
) (report run.Operation) {
	defer func() {
		if p := recover(); p != nil {
			e.Log.Error("an agent panicked", "key", key.String(), "panic", mask.Credentials(fmt.Sprint(p)))
			report = run.Fail{Key: key, Failure: run.Failure{Code: "panic", Message: fmt.Sprintf("the agent panicked: %v", p)}}
		}
	}()
	return job(ctx)
}

// done reports what came of an effort, and forgets it.
func (e *Engine) done(id string, key run.Key, report run.Operation) {
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	if report != nil {
		growStack()
		_ = e.record(id, key, report) // it is owed again if it was not stored
	}
	r.mu.Lock()
	delete(r.underway, key)
	r.mu.Unlock()
}

// growStack makes room for recording a result, which needs more than the stack that a goroutine starts with. Here
// it is still almost empty; growing it in the depth of the calls would move all their frames.
//
//go:noinline
func growStack() {
	var room [12 << 10]byte
	stackGrown(&room)
}

//go:noinline
func stackGrown(*[12 << 10]byte) {}

// job is what an effect means here: which pool it runs in, and what it does. The
// epoch is that of the leadership under which it is owed.
func (e *Engine) job(r *one, ef run.Effect, epoch int64) (kind string, job func(context.Context) run.Operation) {
	key, span := ef.Key, trace.Context{}
	if e.Trace != nil {
		span = e.Trace(r.s, key)
	}
	switch do := ef.Do.(type) {
	case run.Invoke:
		w := port.Work{Run: r.id, Step: do.Step, Try: do.Try, Key: key.Work(), Input: r.s.InputFor(do.Step, do.Index),
			Guidance: do.Guidance, Approved: do.Approved,
			Messages: port.MessagesFrom(do.Messages), Ahead: do.Ahead}
		if do.Index >= 0 {
			w.Index = &do.Index
		}
		operation := r.s.Operation(do.Step)
		return "agent:" + do.Agent, func(ctx context.Context) run.Operation {
			ctx, cancel := e.until(ctx, do.Deadline)
			defer cancel()
			if e.Teach != nil {
				w.Lessons = e.Teach(ctx, do.Agent, operation, w.Input)
			}
			return e.invoke(trace.With(ctx, span), key, do.Agent, w)
		}
	case run.Think:
		return "agent:" + do.Agent, e.thinking(r, key, do)
	case run.CallTool:
		w := port.ToolWork{
			Run: r.id, Step: do.Step, Agent: do.Agent, Call: do.Call.ID, Key: key.Work(), Tool: do.Call.Tool,
			Args: do.Call.Args, Try: do.Try,
			Answer: do.Answer, State: do.State, Approved: do.Call.Spec.Implementation, Whole: do.Whole,
		}
		return "tool:" + do.Call.Tool, func(ctx context.Context) run.Operation {
			return e.callTool(trace.With(ctx, span), key, do, w)
		}
	case run.StartRun:
		in := r.s.InputFor(do.Step, do.Index)
		start := run.Start{
			Input: in, Owner: r.s.Started.Owner, Labels: r.s.Started.Labels, TestMode: r.s.Started.TestMode,
			Parent: &run.Parent{Run: r.id, Key: key}, Depth: r.s.Started.Depth + 1, Family: r.s.Family(), Trace: span.String(),
		}
		return "run", func(ctx context.Context) run.Operation { return e.beginChild(ctx, key, do, start, epoch) }
	case run.CancelRun:
		return "run", func(ctx context.Context) run.Operation { return e.cancelChild(ctx, key, do.Run, epoch) }
	case run.Advise:
		return "agent:" + do.Agent, e.advising(r, key, do)
	case run.FindSteps:
		need := needOf(r.s, do)
		return "find", func(ctx context.Context) run.Operation { return e.find(ctx, key, do, need) }
	}
	return "unsupported", func(context.Context) run.Operation {
		return run.Fail{Key: key, Failure: run.Failure{Code: "unsupported",
			Message: fmt.Sprintf("this engine does not support %T", ef.Do)}}
	}
}

// invoke asks an agent.
func (e *Engine) invoke(ctx context.Context, key run.Key, name string, w port.Work) run.Operation {
	agent, ok := e.Agent(name)
	if !ok && e.CatchUp != nil && e.CatchUp(ctx) == nil { // another process may have just published it
		agent, ok = e.Agent(name)
	}
	if !ok {
		return run.Fail{Key: key, Failure: run.Failure{Code: "unknown_agent",
			Message: fmt.Sprintf("agent %q is not registered here", name)}}
	}
	// What is compared here is what is then used.
	if now := implementationOf(agent); len(w.Approved) > 0 && !gate.Same(w.Approved, now) {
		return run.Rebind{Key: key, Implementation: now}
	}
	result, err := agent.Invoke(ctx, w, e.telling(w))
	var changed *port.Changed
	switch {
	case errors.As(err, &changed) && e.InForce != nil:
		return run.Rebind{Key: key, Implementation: e.InForce("agent", name)}
	case err != nil && ours(ctx, err):
		return nil // if it is still owed it is begun again
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	complete := func() run.Operation { return run.Complete{Key: key, Result: result} }
	switch err := e.keepContents(ctx, result.Deliverables, complete); {
	case err != nil && ours(ctx, err) && !mutant.Is(mutant.BlobInterrupted):
		return nil // likewise: the agent did its part
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	return complete()
}

// implementationOf is what an agent comes from, as far as it knows.
func implementationOf(a port.Agent) []gate.Implementation {
	if b, ok := a.(port.Bound); ok {
		return b.Implementation()
	}
	return nil
}

// deliverableMax bounds one deliverable.
const deliverableMax = 64 << 20

// keepContents looks at the deliverables of a result and turns their contents into blobs. Until then the whole result
// has to be held.
func (e *Engine) keepContents(ctx context.Context, ds []run.Deliverable, whole func() run.Operation) error {
	for i := range ds {
		content, ok := bytesOf(ds[i].Content)
		if !ok {
			content = nil
		}
		if err := engine.Receive(&ds[i], content); err != nil {
			return err
		}
		if !ok {
			continue
		}
		id, size, err := e.putBlob(ctx, content, deliverableMax, whole)
		if err != nil {
			return fmt.Errorf("keep the deliverable %q: %w", ds[i].Name, err)
		}
		ds[i].Content = engine.NewBlobRef(id, size)
	}
	return nil
}

// bytesOf are the bytes of a deliverable's content: a text, {"$base64": …} for
// what is no text, or any other JSON as it stands. What is a blob already has none.
func bytesOf(content json.RawMessage) ([]byte, bool) {
	if text, ok := value.Text(content); ok {
		return []byte(text), true
	}
	if raw, ok := value.Get(content, "$base64"); ok {
		text, _ := value.Text(raw)
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			return b, true
		}
	}
	id, _ := engine.BlobRef(content)
	return content, len(content) > 0 && id == ""
}
