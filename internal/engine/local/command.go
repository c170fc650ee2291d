package local

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

// ErrDraining is returned while the engine stops.
var ErrDraining = fmt.Errorf("the engine is stopping: %w", port.ErrUnavailable)

// conflictsMax is how often a command is retried because another process was faster.
const conflictsMax = 20

// Do executes a command. When it returns without an error, the outcome is durable.
func (e *Engine) Do(ctx context.Context, id string, c run.Command, answering port.Answering) (port.Receipt, error) {
	return e.do(ctx, id, c, answering, anyProcess)
}

// anyProcess is the epoch of writes that any process may make, leader or not: decisions by people, and results of work
// that was started.
const anyProcess = 0

// do executes a command. With an epoch it is one that only the leader of that epoch may send.
func (e *Engine) do(ctx context.Context, id string, c run.Command, answering port.Answering,
	epoch int64) (port.Receipt, error) {
	if e.draining.Load() && c.ID != "" {
		return port.Receipt{}, ErrDraining
	}
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	recounts, under := 0, e.under(epoch)
	for try := 0; ; try++ {
		if err := e.loadSound(ctx, r); err != nil {
			return port.Receipt{}, err
		}
		env, generation := e.env()
		sums, events, err := e.decide(ctx, env,
			func(env decide.Env) ([]run.Event, error) { return decide.Handle(r.s, env, c) })
		if err != nil && e.behind(ctx, r) && try < conflictsMax {
			r.s = nil // refused because of an outdated state
			continue
		}
		if err != nil || len(events) == 0 {
			return port.Receipt{Run: id, Seq: r.s.Seq}, err
		}
		receipt, err := e.commit(ctx, r, decided{events, generation, sums, under}, answering)
		if recounted(err, &recounts) || refusedLeader(err, epoch, &under) {
			try--
			continue
		}
		if port.Fenced(err) {
			return receipt, err // retrying does not make this process the leader
		}
		if fault.Is(err, fault.Conflict) && try < conflictsMax {
			continue // the state was dropped: load what the other process wrote
		}
		if !e.again(ctx, err, try) {
			return receipt, err
		}
	}
}

// under is the epoch under which a write is made. A leader makes those of any process under its own as well: if the
// store accepts that, it has confirmed the leadership, and what results can start at once.
func (e *Engine) under(epoch int64) int64 {
	if epoch == anyProcess {
		return e.leading.epoch.Load()
	}
	return epoch
}

// refusedLeader reports whether a write of any process was refused because this one no longer leads: it is repeated
// without an epoch.
func refusedLeader(err error, epoch int64, under *int64) bool {
	if epoch != anyProcess || *under == anyProcess || !port.Fenced(err) {
		return false
	}
	*under = anyProcess
	return true
}

// again reports whether a decision has to be made again because its policy is no longer in force, or a rule
// has used up its approvals.
func (e *Engine) again(ctx context.Context, err error, try int) bool {
	if !fault.Is(err, fault.Outdated) || try >= conflictsMax || e.Outdated == nil {
		return false
	}
	if err := e.Outdated(ctx); err != nil {
		e.Log.Error("read new definitions", "error", err)
		return false
	}
	return true
}

// behind reports whether another process has advanced a run.
func (e *Engine) behind(ctx context.Context, r *one) bool {
	if !e.Shared {
		return false
	}
	row, err := e.Store.Run(ctx, r.id)
	return err == nil && row.Seq != r.s.Seq
}

// stoppable is a policy that knows about the emergency stop.
type stoppable interface{ Stopped() bool }

// env is the environment of a run, with the generation of the policy.
func (e *Engine) env() (env decide.Env, generation int64) {
	env.Now, env.InForce, env.Workflow = e.Now().UTC(), e.InForce, e.workflow
	if e.Judge != nil {
		env.Judge, generation = e.Judge()
		if s, ok := env.Judge.(stoppable); ok {
			env.Stopped = s.Stopped()
		}
	}
	return env, generation
}

// decided is the result of a command, and what it was based on.
type decided struct {
	events     []run.Event
	generation int64 // of the policy
	sums       *tally
	epoch      int64 // of the leadership it requires
}

// commit stores events, applies them to the state and reconciles the effects. The state is ahead of the store
// during the commit; if that fails it is dropped, so nothing that was not stored becomes visible.
func (e *Engine) commit(ctx context.Context, r *one, d decided, answering port.Answering) (port.Receipt, error) {
	p, events, spent := engine.NewProjector(r.s), d.events, r.s.Usage
	broken := follows(r.s, events)
	for _, ev := range events {
		p.Apply(ev)
	}
	if broken == nil {
		broken = r.s.Sound()
	}
	if broken != nil {
		seq := r.s.Seq
		r.s = nil
		return port.Receipt{}, e.refuse(r.id, seq, broken)
	}
	w, err := p.Write(events)
	if w.Uses = approvedByRule(events); w.Uses != nil {
		w.Generation = d.generation
		w.Uses = slices.DeleteFunc(w.Uses, func(u port.Use) bool { return u.Max == 0 })
	}
	guard(&w, r.s, d)
	if w.Taught != nil && e.Redact != nil {
		w.Taught = e.Redact(ctx, r.s, w.Taught)
	}
	if mutant.Is(mutant.GenerationDropped) {
		w.Generation = 0
	}
	if mutant.Is(mutant.UsesDropped) {
		w.Uses = nil
	}
	if w.Epoch = d.epoch; mutant.Is(mutant.FencingOff) {
		w.Epoch = anyProcess
	}
	receipt := port.Receipt{Run: r.id, Seq: r.s.Seq, Events: events, Approvals: w.Approvals,
		Spent: r.s.Usage.Since(spent)}
	if err == nil && answering != nil {
		w.Answer, err = answering(r.s, receipt)
	}
	if err == nil && wantsSnapshot(events) {
		var failed error
		if w.Snapshot, failed = r.s.Snapshot(); failed != nil {
			e.unsaved(&w, failed)
		}
	}
	if err != nil {
		r.s = nil
		return port.Receipt{}, err
	}
	// A cancelled caller does not undo a write in progress.
	began := e.Now()
	receipt.Feed, err = e.append(context.WithoutCancel(ctx), w)
	receipt.Took = e.Now().Sub(began)
	if err != nil {
		if !mutant.Is(mutant.StateKept) {
			r.s = nil
		}
		if port.Fenced(err) {
			e.deposed(w.Epoch)
		}
		return port.Receipt{}, err
	}
	if e.Committed != nil {
		e.Committed(r.s, receipt)
	}
	e.reconcile(r, p.Owed(), w.Epoch)
	if removed(events) {
		r.s = nil // it contains what is being deleted
	}
	return receipt, nil
}

// append stores a write. A snapshot only saves time when the run is loaded, so a write that fails because of it is
// repeated without it.
func (e *Engine) append(ctx context.Context, w port.Write) (feed int64, err error) {
	if feed, err = e.Store.Append(ctx, w); !errors.Is(err, port.ErrSnapshot) {
		return feed, err
	}
	e.unsaved(&w, err)
	w.Snapshot = nil
	return e.Store.Append(ctx, w)
}

func (e *Engine) unsaved(w *port.Write, why error) {
	e.Log.Warn("could not save a snapshot; the run continues", "run", w.Run, "seq", w.Row.Seq, "error", why)
}

// removed reports whether events delete the run's payloads.
func removed(events []run.Event) bool {
	_, gone := events[len(events)-1].Fact.(*run.PayloadsRemoved)
	return gone
}

// approvedByRule lists what the policy in force must confirm: approvals by a rule or by timeout, and the
// start of work approved earlier. Only the former are uses of a rule.
func approvedByRule(events []run.Event) (uses []port.Use) {
	for _, u := range machine.Uses(events) {
		uses = append(uses, port.Use{Rule: u.Rule, Max: u.Max})
	}
	for _, ev := range events {
		switch f := ev.Fact.(type) {
		case *run.ApprovalTimedOut:
			if f.Then.Proceeds() && !mutant.Is(mutant.SilenceUnguarded) {
				uses = append(uses, port.Use{})
			}
		case *run.StepStarted:
			if f.Judged {
				uses = append(uses, port.Use{})
			}
		case *run.CallStarted:
			if f.Judged {
				uses = append(uses, port.Use{})
			}
		}
	}
	return uses
}

// snapshotEvery limits how many events have to be folded when a run is loaded.
const snapshotEvery = 200

func wantsSnapshot(events []run.Event) bool {
	if mutant.Is(mutant.NoSnapshots) {
		return false
	}
	first, last := events[0].Seq, events[len(events)-1].Seq
	if (first-1)/snapshotEvery != last/snapshotEvery {
		return true
	}
	for _, ev := range events {
		if _, ok := ev.Fact.(*run.SnapshotSaved); ok {
			return true
		}
	}
	return false
}

// Begin starts a run.
func (e *Engine) Begin(ctx context.Context, id string, def *plan.Definition, c run.Command,
	answering port.Answering) (port.Receipt, error) {
	return e.beginRun(ctx, id, def, c, answering, anyProcess)
}

func (e *Engine) beginRun(ctx context.Context, id string, def *plan.Definition, c run.Command,
	answering port.Answering, epoch int64) (port.Receipt, error) {
	if e.draining.Load() {
		return port.Receipt{}, ErrDraining
	}
	p, err := e.plans.keep(ctx, def)
	if err != nil {
		return port.Receipt{}, err
	}
	return e.create(ctx, id, p, answering, epoch,
		func(env decide.Env) ([]run.Event, error) { return decide.Handle(machine.New(id, p), env, c) })
}

// create stores the first events of a run.
func (e *Engine) create(ctx context.Context, id string, p *plan.Plan, answering port.Answering, epoch int64,
	decide func(decide.Env) ([]run.Event, error)) (port.Receipt, error) {
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	recounts, under := 0, e.under(epoch)
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return port.Receipt{}, err // no longer needed
		}
		env, generation := e.env()
		sums, events, err := e.decide(ctx, env, decide)
		if err != nil {
			return port.Receipt{}, err
		}
		r.s = machine.New(id, p)
		receipt, err := e.commit(ctx, r, decided{events, generation, sums, under}, answering)
		if recounted(err, &recounts) || refusedLeader(err, epoch, &under) {
			try--
			continue
		}
		if !e.again(ctx, err, try) {
			return receipt, err
		}
	}
}

// Fork starts a new run with the history of another.
func (e *Engine) Fork(ctx context.Context, id, from string, atSeq int64, edits run.Edits, c run.Command,
	answering port.Answering) (port.Receipt, error) {
	if e.draining.Load() {
		return port.Receipt{}, ErrDraining
	}
	row, err := e.Store.Run(ctx, from)
	if err != nil {
		return port.Receipt{}, err
	}
	p, err := e.plans.get(ctx, row.Definition)
	if err != nil {
		return port.Receipt{}, err
	}
	if atSeq < 1 || atSeq > row.Seq {
		return port.Receipt{}, fault.Newf(fault.Invalid, "run %s has no event %d; its last is %d", from, atSeq, row.Seq)
	}
	past, err := e.events(ctx, from, 0, atSeq)
	if err != nil {
		return port.Receipt{}, err
	}
	return e.create(ctx, id, p, answering, anyProcess,
		func(env decide.Env) ([]run.Event, error) { return decide.Fork(env, id, p, past, edits, c) })
}

// View calls f with a run's state; f must not retain it.
func (e *Engine) View(ctx context.Context, id string, f func(*machine.State) error) error {
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Dispatch != nil && r.s != nil && e.behind(ctx, r) {
		r.s = nil // a worker was faster than the feed
	}
	if err := e.load(ctx, r); err != nil {
		return err
	}
	return f(r.s)
}

// At folds a run up to a sequence number. It has no effects.
func (e *Engine) At(ctx context.Context, id string, seq int64) (*machine.State, error) {
	row, err := e.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	p, err := e.plans.get(ctx, row.Definition)
	if err != nil {
		return nil, err
	}
	return e.fold(ctx, row, p, seq, nil)
}

// load sets r.s to the stored run, unless it is loaded and no other process can have changed it. After a
// write with an unknown outcome, the loaded state may have fewer effects than are in progress.
func (e *Engine) load(ctx context.Context, r *one) error {
	if r.s != nil {
		return nil
	}
	row, past, err := e.past(ctx, r.id)
	if err != nil {
		return err
	}
	p, err := e.plans.get(ctx, row.Definition)
	if err != nil {
		return err
	}
	// Up to where the row ends: reading on to see that nothing follows would be another round trip. If something
	// does by now, the next append is refused, and the run is loaded again.
	if r.s, err = e.fold(ctx, row, p, row.Seq, past); err != nil {
		return err
	}
	if r.broken = r.s.Sound(); len(r.underway) > 0 && r.broken == nil {
		e.reconcile(r, r.s.Effects(), unconfirmed)
	}
	return nil
}

// past reads a run's row, and the events after its snapshot if that takes no longer.
func (e *Engine) past(ctx context.Context, id string) (port.RunRow, []port.Record, error) {
	if s, ok := e.Store.(Past); ok {
		return s.Past(ctx, id)
	}
	row, err := e.Store.Run(ctx, id)
	return row, nil, err
}

// loadSound is load for those who continue the run: one that breaks an invariant is refused.
func (e *Engine) loadSound(ctx context.Context, r *one) error {
	if err := e.load(ctx, r); err != nil || r.broken == nil {
		return err
	}
	return e.refuse(r.id, r.s.Seq, r.broken)
}

// fold rebuilds a state from the newest snapshot and the events after it, up to a sequence number (0: all). Those of
// known need not be read again.
func (e *Engine) fold(ctx context.Context, row port.RunRow, p *plan.Plan, upTo int64,
	known []port.Record) (*machine.State, error) {
	id := row.ID
	s := machine.New(id, p)
	if row.SnapshotSeq > 0 { // short runs have none
		atMost := upTo
		if atMost == 0 {
			atMost = 1<<63 - 1
		}
		_, snapshot, err := e.Store.Snapshot(ctx, id, atMost)
		if err != nil {
			return nil, err
		}
		if snapshot != nil {
			if s, err = machine.Restore(snapshot, p); err != nil {
				// A snapshot is only an optimisation; the log is the truth.
				e.Log.Warn("a snapshot was ignored", "run", id, "error", err)
				s = machine.New(id, p)
			}
		}
	}
	for _, rec := range known {
		if rec.Seq == s.Seq+1 && (upTo == 0 || rec.Seq <= upTo) {
			s.Apply(rec.Event)
		}
	}
	events, err := e.events(ctx, id, s.Seq, upTo)
	if err != nil {
		return nil, err
	}
	for _, ev := range events {
		s.Apply(ev)
	}
	if s.Seq == 0 {
		return nil, fault.Newf(fault.NotFound, "run %q not found", id)
	}
	return s, nil
}

// events reads a run's log after one sequence number and up to another (0: all).
func (e *Engine) events(ctx context.Context, id string, after, upTo int64) ([]run.Event, error) {
	var out []run.Event
	for upTo == 0 || after < upTo {
		records, err := e.Store.Events(ctx, id, after, 1000)
		if err != nil || len(records) == 0 {
			return out, err
		}
		for _, rec := range records {
			if upTo > 0 && rec.Seq > upTo {
				return out, nil
			}
			out = append(out, rec.Event)
		}
		after = records[len(records)-1].Seq
	}
	return out, nil
}
