// Package local is the engine that runs in one process, or in one of several that share a database. It
// reconciles running work with the effects that runs derive from their state:
//
//	load → Handle → append → Apply → reconcile effects
//
// Any process may execute commands. One of them leads: only the leader starts agents and runs timers. A run
// that only waits takes no memory; it is in the store alone.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trace"
)

// Runs is the part of a store that lists runs to work on.
type Runs interface {
	port.Agenda
	Run(ctx context.Context, id string) (port.RunRow, error)
}

// Changes is the part of a store that reports writes of other processes.
type Changes interface {
	Head(ctx context.Context) (int64, error)
	Moves(ctx context.Context, after int64, limit int) (moves []port.Move, next int64, err error)
	Watch(ctx context.Context) <-chan struct{}
}

// Store is the part of a store that an engine uses.
type Store interface {
	port.Log
	port.Bundles
	port.Leader
	Runs
	Changes
	Tally(ctx context.Context, q run.Elsewhere) (port.Tallied, error)
	PutBlob(ctx context.Context, r io.Reader, max int64) (id string, size int64, err error)
}

// Past is a Store that reads in one round trip what a run is loaded from: its row, and the events after its newest
// snapshot. There may be more events than these, and events that are newer than the row.
type Past interface {
	Past(ctx context.Context, id string) (row port.RunRow, events []port.Record, err error)
}

// Config holds the dependencies and settings of an engine.
type Config struct {
	Store Store
	// Shared means that other processes use the store as well.
	Shared bool
	// Agent resolves an agent by name.
	Agent func(name string) (port.Agent, bool)
	// LLMAgent resolves the model of an LLM agent; nil: there are none.
	LLMAgent func(name string) (port.LLMAgent, error)
	// Tools are the tools that LLM agents may call; nil: none.
	Tools port.Tools
	// Workflow returns the definition of a sub-workflow in force.
	Workflow func(ctx context.Context, name string) (*plan.Definition, error)
	// Judge returns the policy in force (nil: none) with the generation of the definitions it belongs to; a
	// nil function means there is never one.
	Judge func() (decide.Judge, int64)
	// InForce lists what an agent or sub-workflow would use now, by kind and name; nil: approvals are not
	// bound to versions.
	InForce func(kind, name string) []gate.Implementation
	// Outdated is called when the store has newer definitions than Judge: reload them.
	Outdated func(context.Context) error
	// CatchUp reloads the definitions if the store has newer ones. Workers call it before they start something,
	// because the run may use what another process has just published; nil: there are no other processes.
	CatchUp func(context.Context) error
	// Teach finds people's feedback on similar work; nil finds none.
	Teach func(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson
	// Find searches for steps that meet a requirement; nil finds none.
	Find func(ctx context.Context, n port.Need) (port.NewSteps, error)
	// Search finds tools and agents for the agent in the loop; nil: it cannot search.
	Search func(ctx context.Context, request string, most int) ([]port.Match, []string)

	// Redact removes sensitive values from what a run teaches; nil: there are none.
	Redact func(ctx context.Context, s *machine.State, e *run.Experience) *run.Experience

	// Committed is called with every commit of this process and the state after it, in order for each run. It must not
	// block, nor keep the state.
	Committed func(*machine.State, port.Receipt)
	// Reported is called with what agents report while they work; nil: not called. It must not block.
	Reported func(port.Work, port.Progress)

	// Trace names the span of an effect; nil: there are none.
	Trace func(*machine.State, run.Key) trace.Context

	// Dispatch carries out effects in other processes; nil: this one does everything.
	Dispatch Dispatcher

	// Spool keeps results on disk that the store does not accept; nil: they are lost with the process.
	Spool Spool

	// Workers limits how many agents of a kind work at the same time; "" is the default.
	Workers map[string]int
	// Sweep is the interval at which all effects are reconciled; 0: every 20 s.
	Sweep time.Duration
	Now   func() time.Time
	Log   *slog.Logger
}

// workersDefault is the default number of agents of one kind that work at the same time.
const workersDefault = 256

// Running counts the work in progress in this process, by kind.
func (e *Engine) Running() map[string]int { return e.pools.running() }

// Engine drives runs.
type Engine struct {
	Config
	runs  table
	plans plans
	pools pools
	clock alarm

	workflow func(name string) *plan.Definition // in force; nil: none is known
	leading  leading
	draining atomic.Bool
	unsound  unsound
	held     atomic.Int64       // bytes of results that could not be stored yet
	holding  atomic.Int64       // how many those are
	work     sync.WaitGroup     // effects in progress
	entry    sync.RWMutex       // held while draining is decided; see enter
	stop     context.CancelFunc // of everything the engine started
	ctx      context.Context
	loops    sync.WaitGroup
}

var _ port.Engine = (*Engine)(nil)

// New creates an engine; call Start to start it.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sweep == 0 {
		c.Sweep = sweepDefault
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{Config: c}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.plans.store = c.Store
	e.pools.limit = c.Workers
	e.clock.ring = e.tick
	e.clock.now = c.Now
	e.clock.near = nearSweeps * c.Sweep
	e.leading.fallen = make(chan struct{}, 1)
	if c.Workflow != nil {
		e.workflow = func(name string) *plan.Definition {
			def, err := c.Workflow(e.ctx, name)
			if err != nil {
				return nil // it could not be started
			}
			return def
		}
	}
	return e
}

// Start begins to accept commands and competes for leadership in the background.
func (e *Engine) Start() {
	e.offer()
	e.loops.Go(e.lead)
}

// drainDefault is how long Stop lets agents finish if the caller sets no deadline.
const drainDefault = 30 * time.Second

// Stop drains: no new work starts, and work in progress may finish until ctx ends. Unfinished work is owed
// again when an engine starts next.
func (e *Engine) Stop(ctx context.Context) error {
	e.entry.Lock()
	e.draining.Store(true)
	e.entry.Unlock()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, drainDefault)
		defer cancel()
	}
	done := make(chan struct{})
	go func() { e.work.Wait(); close(done) }()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("some agents did not finish in time; their work resumes at the next start: %w", ctx.Err())
	}
	e.stop()
	e.loops.Wait()
	e.clock.stop()
	if e.Leads() {
		err = errors.Join(err, e.Store.Resign(context.WithoutCancel(ctx)))
	}
	return err
}

// enter counts work that Stop waits for, unless the engine drains: then nothing new begins.
func (e *Engine) enter() bool {
	e.entry.RLock()
	defer e.entry.RUnlock()
	if e.draining.Load() {
		return false
	}
	e.work.Add(1)
	return true
}

func (e *Engine) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-e.ctx.Done():
	}
}

// A sweep reconciles all effects again. It catches what a lost signal or a failed append left behind.
const (
	sweepDefault = 20 * time.Second
	sweepBatch   = 500
	aheadMost    = 20 * sweepBatch // runs that a sweep takes up although their ids are in the future
)

// recover reconciles runs, initially and at every interval: startup is just the first sweep.
func (e *Engine) recover(ctx context.Context) {
	for {
		if err := e.sweep(ctx); err != nil && ctx.Err() == nil {
			e.Log.Error("find runs to resume", "error", err)
		}
		select {
		case <-time.After(e.Sweep):
		case <-ctx.Done():
			return
		}
	}
}

func (e *Engine) sweep(ctx context.Context) error {
	if mutant.Is(mutant.NoSweep) {
		return nil
	}
	if err := e.loadAlarms(ctx); err != nil {
		return err
	}
	if err := e.checkDispatched(ctx); err != nil {
		return err
	}
	// Ids sort by time: runs that begin from now on are handled as they begin. Those of a process whose clock is ahead
	// look as if they did, so some more are looked at.
	after, newest, more := "", engine.NewRunID(e.Now()), aheadMost
	for {
		ids, err := e.Store.Busy(ctx, after, sweepBatch)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if id > newest {
				if more--; more < 0 {
					return nil
				}
			}
			if e.runs.atWork(id) {
				continue
			}
			if err := e.look(ctx, id); err != nil && !fault.Is(err, fault.NotFound) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				e.Log.Error("take up a run", "run", id, "error", err)
			}
		}
		if len(ids) < sweepBatch {
			return nil // what is busy by now began or went on since
		}
		after = ids[len(ids)-1]
	}
}

// look reconciles one run.
func (e *Engine) look(ctx context.Context, id string) error {
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := e.loadSound(ctx, r); err != nil {
		return err
	}
	e.reconcile(r, r.s.Effects(), unconfirmed)
	return nil
}

// followAgain is the initial delay before the feed is read again after an error.
const followAgain = time.Second

// follow tracks changes by other processes since feed number at.
func (e *Engine) follow(ctx context.Context, at int64) {
	grown := e.Store.Watch(ctx)
	f := feed{at: at, missed: map[string]int64{}}
	wait := followAgain
	for {
		var again <-chan time.Time
		if e.catchUp(ctx, &f) {
			wait = followAgain
		} else {
			again = time.After(wait)
			wait = min(2*wait, e.Sweep)
		}
		select {
		case _, open := <-grown:
			if !open {
				return
			}
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// feed is the position in the feed, with the runs that could not be refreshed on the way. A sweep does not
// cover those: it does not see a run that has ended while an agent is still working for it here.
type feed struct {
	at     int64
	missed map[string]int64 // sequence numbers by run
}

// catchUp refreshes every run that another process changed, and reports whether it succeeded for all of them.
func (e *Engine) catchUp(ctx context.Context, f *feed) bool {
	e.refreshAll(ctx, f.missed)
	for {
		moves, next, err := e.Store.Moves(ctx, f.at, 1000)
		if err != nil {
			if ctx.Err() == nil {
				e.Log.Error("read the feed; retrying", "error", err)
			}
			return false
		}
		if next == f.at {
			return len(f.missed) == 0
		}
		f.at = next
		newest := map[string]int64{}
		for _, m := range moves {
			newest[m.Run] = m.Seq
		}
		e.refreshAll(ctx, newest)
		maps.Copy(f.missed, newest)
	}
}

// refreshAll reconciles runs that have moved, and keeps those that could not be read.
func (e *Engine) refreshAll(ctx context.Context, moved map[string]int64) {
	for _, id := range slices.Sorted(maps.Keys(moved)) {
		if seq := moved[id]; !e.runs.knows(id, seq) {
			if err := e.refresh(ctx, id, seq); err != nil && !fault.Is(err, fault.NotFound) {
				if ctx.Err() != nil {
					return
				}
				e.Log.Error("follow a run; retrying", "run", id, "error", err)
				continue
			}
		}
		delete(moved, id)
	}
}

// refresh reconciles a run that another process advanced to seq.
func (e *Engine) refresh(ctx context.Context, id string, seq int64) error {
	r := e.runs.acquire(id)
	defer e.runs.release(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.s != nil && r.s.Seq < seq {
		r.s = nil
	}
	if err := e.loadSound(ctx, r); err != nil {
		return err
	}
	e.reconcile(r, r.s.Effects(), unconfirmed)
	return nil
}
