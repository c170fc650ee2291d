// Package enginetest is the conformance suite for engines. Every engine runs it:
//
//	enginetest.Run(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) { … })
//
// Home is a directory that outlives the engine; opening the same home again is a restart.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

// Surroundings are the dependencies of an engine under test.
type Surroundings struct {
	Agent     AgentFunc
	Workflows map[string]*plan.Definition
}

// Open starts an engine on a home. The suite stops it and closes the store.
type Open func(t testing.TB, home string, s Surroundings) (port.Engine, Store)

// Store is the part of a store that the suite reads results from.
type Store interface {
	port.Lists
	Answer(ctx context.Context, key string) (a port.Answer, ok bool, err error)
	OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error)
	Watch(ctx context.Context) <-chan struct{}
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	io.Closer
}

// AgentFunc is a function as an agent.
type AgentFunc func(ctx context.Context, w port.Work) (run.Result, error)

// Invoke implements port.Agent.
func (f AgentFunc) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	return f(ctx, w)
}

// Echo answers immediately.
func Echo(context.Context, port.Work) (run.Result, error) {
	return run.Result{Output: json.RawMessage(`{"ok":true}`)}, nil
}

// Run runs the suite.
func Run(t *testing.T, open Open) { runSuite(t, open, nil) }

func runSuite(t *testing.T, open Open, logged func(name, log string)) {
	for name, test := range map[string]func(*bench){
		"steps run in order":                 (*bench).threeSteps,
		"independent steps run at once":      (*bench).parallel,
		"a decision continues the run":       (*bench).decision,
		"one of many deciders wins":          (*bench).manyDeciders,
		"a command is taken once":            (*bench).taken,
		"a restart continues where it was":   (*bench).restart,
		"what is owed is taken up":           (*bench).takenUp,
		"timers ring":                        (*bench).timers,
		"timers ring after a restart":        (*bench).timersAfterRestart,
		"sub-runs":                           (*bench).subRuns,
		"a parent stands as its sub-run":     (*bench).parentStands,
		"aborting stops what is under way":   (*bench).abort,
		"a panic is a failure":               (*bench).panics,
		"a fork reuses what was recorded":    (*bench).fork,
		"large values pass":                  (*bench).large,
		"deliverables become blobs":          (*bench).deliverables,
		"an answer is stored with a command": (*bench).answers,
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{T: t, open: open, home: t.TempDir()}
			if b.logged = logged != nil; b.logged {
				t.Cleanup(func() { logged(name, b.log) }) // after the engine was stopped
			}
			test(b)
		})
	}
}

// bench is one test's engine.
type bench struct {
	*testing.T
	open  Open
	home  string
	e     port.Engine
	store Store

	logged   bool
	log      string // what the last engine left
	anyOrder bool   // which result is recorded first is up to the machine
}

func (b *bench) start(s Surroundings) {
	b.Helper()
	if s.Agent == nil {
		s.Agent = Echo
	}
	b.e, b.store = b.open(b, b.home, s)
	b.Cleanup(b.stop)
}

// patience is how long a busy machine may take; only a test that fails waits for it.
const patience = 5 * time.Minute

func (b *bench) stop() {
	b.Helper()
	if b.e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.e.Stop(ctx); err != nil {
		b.Error(err)
	}
	if b.logged {
		var err error
		if b.log, err = logOf(ctx, b.store, b.anyOrder); err != nil {
			b.Error(err)
		}
	}
	if err := b.store.Close(); err != nil {
		b.Error(err)
	}
	b.e = nil
}

// Define builds a definition from a workflow in JSON whose agents are all "x".
func Define(t testing.TB, workflow string) *plan.Definition {
	t.Helper()
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{"x": {Name: "x", Kind: plan.AgentGo}}}
	if err := plan.Decode(json.RawMessage(workflow), &def.Workflow); err != nil {
		t.Fatal(err)
	}
	return def
}

var ann = run.Actor{Kind: run.Person, Name: "ann"}

func (b *bench) begin(def *plan.Definition) string {
	b.Helper()
	id := engine.NewRunID(time.Now())
	if _, err := b.e.Begin(b.Context(), id, def,
		run.Command{ID: id, By: ann, Do: run.Start{Input: json.RawMessage(`{"n":1}`), Owner: "ann"}}, nil); err != nil {
		b.Fatal(err)
	}
	return id
}

// await waits for a state, checking whenever the feed grows.
func (b *bench) await(id string, ok func(*machine.State) bool) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	changed := b.store.Watch(ctx)
	for {
		reached, last := false, ""
		err := b.e.View(ctx, id, func(s *machine.State) error {
			reached, last = ok(s), fmt.Sprintf("%s is %s (%v), owed %v", id, s.Status, s.Error, s.Effects())
			return nil
		})
		switch {
		case reached:
			return
		case err != nil && !fault.Is(err, fault.NotFound):
			b.Fatal(err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			b.Fatal(last)
		}
	}
}

func (b *bench) ends(id string, want run.Status) {
	b.Helper()
	b.await(id, func(s *machine.State) bool { return s.Status == want })
}

// approval is the only pending approval.
func (b *bench) approval() port.ApprovalRow {
	b.Helper()
	page, err := b.store.Approvals(b.Context(), port.ApprovalQuery{Status: []string{"pending"}, Limit: 10})
	if err != nil || len(page.Items) != 1 {
		b.Fatalf("%+v, %v", page, err)
	}
	return page.Items[0]
}

func (b *bench) decide(who string, a port.ApprovalRow, act gate.Act) error {
	_, err := b.e.Do(b.Context(), a.Run, run.Command{
		ID: who + a.ID, By: run.Actor{Kind: run.Person, Name: who},
		Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: who}, Act: act,
			Comment: "because", Version: a.Version}},
	}, nil)
	return err
}

const three = `{"workflow":"three","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"},{"id":"c","agent":"x"}]}`

const gated = `{"workflow":"gated","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b","title":"May b run?"}]}`

func (b *bench) threeSteps() {
	var order []string
	var mu sync.Mutex
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, w.Step)
		return Echo(ctx, w)
	}})
	b.ends(b.begin(Define(b, three)), run.Completed)
	if got := fmt.Sprint(order); got != "[a b c]" {
		b.Error(got)
	}
}

func (b *bench) parallel() {
	var at atomic.Int32
	b.anyOrder = true
	all := make(chan struct{})
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		if at.Add(1) == 5 {
			close(all)
		}
		<-all // none ends before all have begun
		return Echo(ctx, w)
	}})
	b.ends(b.begin(Define(b, `{"workflow":"w","steps":[{"id":"a","agent":"x","needs":[]},{"id":"b","agent":"x","needs":[]},{"id":"c","agent":"x","needs":[]},{"id":"d","agent":"x","needs":[]},{"id":"e","agent":"x","needs":[]}]}`)), run.Completed)
}

func (b *bench) decision() {
	b.start(Surroundings{})
	id := b.begin(Define(b, gated))
	b.ends(id, run.Waiting)
	a := b.approval()
	if a.Title != "May b run?" || a.Run != id {
		b.Errorf("%+v", a)
	}
	if err := b.decide("bob", a, gate.Approve); err != nil {
		b.Fatal(err)
	}
	b.ends(id, run.Completed)
	if row, err := b.store.Approval(b.Context(), a.ID); err != nil || row.Status != "approved" {
		b.Errorf("%+v, %v", row, err)
	}
	if row, err := b.store.Run(b.Context(), id); err != nil || row.Status != run.Completed || row.Busy ||
		!row.DueAt.IsZero() || row.Pending != 0 {
		b.Errorf("%+v, %v", row, err)
	}
}

func (b *bench) manyDeciders() {
	b.start(Surroundings{})
	id := b.begin(Define(b, gated))
	b.ends(id, run.Waiting)
	a := b.approval()
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			switch err := b.decide(fmt.Sprint("p", n), a, gate.Approve); {
			case err == nil:
				won.Add(1)
			case fault.Is(err, fault.AlreadyDecided):
				lost.Add(1)
			default:
				b.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 49 {
		b.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
	b.ends(id, run.Completed)
}

func (b *bench) taken() {
	b.start(Surroundings{})
	id := b.begin(Define(b, gated))
	b.ends(id, run.Waiting)
	pause := run.Command{ID: "p", By: ann, Do: run.Pause{}}
	first, err := b.e.Do(b.Context(), id, pause, nil)
	if err != nil {
		b.Fatal(err)
	}
	_, err = b.e.Do(b.Context(), id, pause, nil)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Duplicate || f.Detail["seq"] != first.Seq {
		b.Errorf("%v, not seq %d", err, first.Seq)
	}
}
