package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

var errTrouble = errors.New("trouble")

// flawed is a store with faults that a test injects.
type flawed struct {
	store.Store
	mu     sync.Mutex
	append func(w port.Write, store func() (int64, error)) (int64, error)
	fails  string // the failing method
	blank  bool   // snapshots cannot be read, and there are no events
	read   map[string]int
	deaf   bool // it is not notified of other processes' writes
}

func open(t *testing.T) *flawed {
	t.Helper()
	inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() }) //nolint:errcheck // the test is over
	return &flawed{Store: inner, read: map[string]int{}}
}

// do sets the fault.
func (f *flawed) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *flawed) on(method string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[method]++
	if f.fails == method {
		return errTrouble
	}
	return nil
}

func (f *flawed) reads(method string) (n int) {
	f.do(func() { n = f.read[method] })
	return n
}

func (f *flawed) Append(ctx context.Context, w port.Write) (int64, error) {
	f.mu.Lock()
	through := f.append
	f.mu.Unlock()
	store := func() (int64, error) { return f.Store.Append(ctx, w) }
	if through == nil {
		return store()
	}
	return through(w, store)
}

func (f *flawed) Run(ctx context.Context, id string) (port.RunRow, error) {
	if err := f.on("Run"); err != nil {
		return port.RunRow{}, err
	}
	return f.Store.Run(ctx, id)
}

func (f *flawed) Bundle(ctx context.Context, digest string) (json.RawMessage, error) {
	if err := f.on("Bundle"); err != nil {
		return nil, err
	}
	return f.Store.Bundle(ctx, digest)
}

func (f *flawed) Snapshot(ctx context.Context, id string, atMost int64) (int64, json.RawMessage, error) {
	if err := f.on("Snapshot"); err != nil {
		return 0, nil, err
	}
	if f.blank {
		return 1, json.RawMessage(`{`), nil
	}
	return f.Store.Snapshot(ctx, id, atMost)
}

func (f *flawed) Events(ctx context.Context, id string, after int64, limit int) ([]port.Record, error) {
	if err := f.on("Events"); err != nil {
		return nil, err
	}
	return f.Store.Events(ctx, id, after, limit)
}

func (f *flawed) Watch(ctx context.Context) <-chan struct{} {
	if f.deaf {
		return make(chan struct{})
	}
	return f.Store.Watch(ctx)
}

// held is an agent that works until it is released, or stopped.
type held struct {
	begun, stopped chan port.Work
	answer         chan struct{}
}

func newHeld() *held {
	return &held{begun: make(chan port.Work, 100), stopped: make(chan port.Work, 100), answer: make(chan struct{})}
}

func (h *held) agent(ctx context.Context, w port.Work) (run.Result, error) {
	h.begun <- w
	select {
	case <-h.answer:
		return enginetest.Echo(ctx, w)
	case <-ctx.Done():
		h.stopped <- w
		return run.Result{}, ctx.Err()
	}
}

func await[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(2 * time.Minute):
		t.Fatal("it never came")
	}
	return v
}

func begin(t *testing.T, e port.Engine, workflow string) string {
	t.Helper()
	id := engine.NewRunID(time.Now())
	if _, err := e.Begin(t.Context(), id, enginetest.Define(t, workflow),
		run.Command{By: ann, Do: run.Start{Owner: "ann"}}, nil); err != nil {
		t.Fatal(err)
	}
	return id
}

func endsAs(t *testing.T, store store.Store, id string, want run.Status) {
	t.Helper()
	waitFor(t, time.Minute, func() bool {
		row, err := store.Run(t.Context(), id)
		return err == nil && row.Status.Ended()
	})
	if row, err := store.Run(t.Context(), id); err != nil || row.Status != want {
		t.Errorf("%s is %s (%s), not %s: %v", id, row.Status, row.Error, want, err)
	}
}

func stopAfter(t *testing.T, e port.Engine) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		e.Stop(ctx) //nolint:errcheck // the test is over
	})
}

var ann = run.Actor{Kind: run.Person, Name: "ann"}

const oneStep = `{"workflow":"one","steps":[{"id":"a","agent":"x"}]}`

const twoSteps = `{"workflow":"two","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`

// A decision is repeated when another process was faster, or when sums have changed, which is counted
// separately.
func TestDecidedAgain(t *testing.T) {
	const many = 45 // more than how often another process may be faster
	for name, begins := range map[string]bool{"a run begins": true, "a command": false} {
		t.Run(name, func(t *testing.T) {
			store, agent := open(t), newHeld()
			read := 0
			e := local.New(local.Config{
				Store: store, Agent: func(string) (port.Agent, bool) { return enginetest.AgentFunc(agent.agent), true },
				Outdated: func(context.Context) error { read++; return nil },
			})
			id := engine.NewRunID(time.Now())
			do := func() error {
				if begins {
					_, err := e.Begin(t.Context(), id, enginetest.Define(t, oneStep), run.Command{By: ann, Do: run.Start{}}, nil)
					return err
				}
				_, err := e.Do(t.Context(), id, run.Command{ID: "m", By: ann, Do: run.SendMessage{Text: "hello"}}, nil)
				return err
			}
			if !begins {
				id = begin(t, e, oneStep)
			}
			tries := 0
			store.append = func(_ port.Write, store func() (int64, error)) (int64, error) {
				switch tries++; {
				case tries <= many:
					return 0, fault.New(fault.Outdated, "a sum is another by now", "").With("sum", "x")
				case tries == many+1 && !begins:
					return 0, fault.New(fault.Conflict, "another process was faster", "")
				case tries <= many+2:
					return 0, fault.New(fault.Outdated, "the policy is another by now", "")
				}
				return store()
			}
			if err := do(); err != nil {
				t.Fatalf("after %d tries: %v", tries, err)
			}
			if want := 1; begins && read != 2 || !begins && read != want {
				t.Errorf("the definitions were read %d times", read)
			}
			row, err := store.Run(t.Context(), id)
			if events, e := store.Events(t.Context(), id, 0, 100); err != nil || e != nil || int64(len(events)) != row.Seq {
				t.Errorf("%d events, and the run is at %d: %v, %v", len(events), row.Seq, err, e)
			}
		})
	}
}

// Nothing becomes visible that was not stored, and nothing is stored that cannot be answered.
func TestWhatIsNotStoredIsNotSeen(t *testing.T) {
	store, agent := open(t), newHeld()
	e := on(t, store, false, enginetest.Surroundings{Agent: agent.agent}, nil)
	stopAfter(t, e)
	id := begin(t, e, oneStep)
	await(t, agent.begun) // so the run stays in memory
	was, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	look := func(name string) {
		t.Helper()
		row, err := store.Run(t.Context(), id)
		if err != nil || row.Seq != was.Seq {
			t.Errorf("%s: the store is at %d, %v", name, row.Seq, err)
		}
		if err := e.View(t.Context(), id, func(s *machine.State) error {
			if s.Seq != was.Seq {
				t.Errorf("%s: the engine is at %d, the store at %d", name, s.Seq, was.Seq)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	say := run.Command{ID: "m", By: ann, Do: run.SendMessage{Text: "hello"}}
	if _, err := e.Do(t.Context(), id, say,
		func(*machine.State, port.Receipt) (*port.Answer, error) { return nil, errTrouble }); !errors.Is(err, errTrouble) {
		t.Error(err)
	}
	look("no answer could be made")
	store.do(func() { store.append = func(port.Write, func() (int64, error)) (int64, error) { return 0, errTrouble } })
	if _, err := e.Do(t.Context(), id, say, nil); !errors.Is(err, errTrouble) {
		t.Error(err)
	}
	look("it could not be stored")
	store.do(func() { store.append = nil })
	close(agent.answer)
	endsAs(t, store, id, run.Completed)
}

// A write with an unknown outcome may have succeeded: work for a run that has ended is stopped as soon as the
// run is loaded.
func TestAnswerOfTheStoreIsLost(t *testing.T) {
	store, agent := open(t), newHeld()
	e := on(t, store, false, enginetest.Surroundings{Agent: agent.agent}, nil)
	stopAfter(t, e)
	id := begin(t, e, oneStep)
	await(t, agent.begun)
	store.do(func() {
		store.append = func(_ port.Write, store func() (int64, error)) (int64, error) {
			if _, err := store(); err != nil {
				t.Error(err)
			}
			return 0, errTrouble
		}
	})
	if _, err := e.Do(t.Context(), id, run.Command{ID: "c", By: ann, Do: run.Abort{}}, nil); !errors.Is(err, errTrouble) {
		t.Error(err)
	}
	store.do(func() { store.append = nil })
	if err := e.View(t.Context(), id, func(s *machine.State) error {
		if s.Status != run.Cancelled {
			t.Errorf("it is %s", s.Status)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	await(t, agent.stopped)
}

// A process that is behind checks the store before it rejects a command, and only then.
func TestBehindAnotherProcess(t *testing.T) {
	store, agent := open(t), newHeld()
	store.deaf = true
	e := on(t, store, true, enginetest.Surroundings{Agent: agent.agent}, nil)
	stopAfter(t, e)
	id := begin(t, e, oneStep)
	await(t, agent.begun)
	other := local.New(local.Config{Store: store.Store}) // it does not lead
	if _, err := other.Do(t.Context(), id, run.Command{ID: "p", By: ann, Do: run.Pause{}}, nil); err != nil {
		t.Fatal(err)
	}
	resume := func(n int) error {
		_, err := e.Do(t.Context(), id, run.Command{ID: fmt.Sprint("r", n), By: ann, Do: run.Resume{}}, nil)
		return err
	}
	if err := resume(1); err != nil {
		t.Errorf("it refuses what holds: %v", err)
	}
	folded := store.reads("Snapshot")
	if err := resume(2); !fault.Is(err, fault.Conflict) {
		t.Errorf("it is not paused: %v", err)
	}
	if n := store.reads("Snapshot") - folded; n != 0 {
		t.Errorf("what it knew was read again %d times", n)
	}
	close(agent.answer)
	endsAs(t, store, id, run.Completed)
}

// A stopping engine accepts no commands from people and starts nothing, but accepts results of agents.
func TestDraining(t *testing.T) {
	store, agent := open(t), newHeld()
	e := on(t, store, false, enginetest.Surroundings{Agent: agent.agent}, nil)
	id := begin(t, e, twoSteps)
	await(t, agent.begun)
	over := make(chan error, 1)
	go func() { over <- e.Stop(t.Context()) }()
	say := func() error {
		_, err := e.Do(t.Context(), id, run.Command{ID: "m", By: ann, Do: run.SendMessage{Text: "hello"}}, nil)
		return err
	}
	waitFor(t, time.Minute, func() bool {
		_, err := e.Begin(t.Context(), engine.NewRunID(time.Now()),
			enginetest.Define(t, `{"workflow":"h","steps":[{"id":"h","human":{"kind":"approval"}}]}`),
			run.Command{Do: run.Start{}}, nil)
		return errors.Is(err, local.ErrDraining)
	})
	if err := say(); !errors.Is(err, local.ErrDraining) {
		t.Error(err)
	}
	if _, err := e.Fork(t.Context(), engine.NewRunID(time.Now()), id, 1, run.Edits{}, run.Command{ID: "f", By: ann},
		nil); !errors.Is(err, local.ErrDraining) {
		t.Error(err)
	}
	close(agent.answer)
	if err := await(t, over); err != nil {
		t.Error(err)
	}
	if row, err := store.Run(t.Context(), id); err != nil || row.StepsDone != 1 || !row.Busy {
		t.Errorf("%d steps are done, busy %t, %v: what the agent did was lost", row.StepsDone, row.Busy, err)
	}
	if len(agent.begun) != 0 {
		t.Error("more was begun")
	}
}

// Read errors are returned to the caller.
func TestWhatCannotBeRead(t *testing.T) {
	store := open(t)
	fresh := func() *local.Engine { return local.New(local.Config{Store: store}) }
	id := begin(t, fresh(), oneStep)
	for _, do := range []run.Operation{run.TakeSnapshot{}, run.Pause{}} { // a snapshot, and an event after it
		if _, err := fresh().Do(t.Context(), id, run.Command{By: ann, Do: do}, nil); err != nil {
			t.Fatal(err)
		}
	}
	asks := map[string]func(e *local.Engine) error{
		"At": func(e *local.Engine) error { _, err := e.At(t.Context(), id, 1); return err },
		"View": func(e *local.Engine) error {
			return e.View(t.Context(), id, func(*machine.State) error { return nil })
		},
		"Do": func(e *local.Engine) error {
			_, err := e.Do(t.Context(), id, run.Command{By: ann, Do: run.Tick{}}, nil)
			return err
		},
		"Fork": func(e *local.Engine) error {
			_, err := e.Fork(t.Context(), engine.NewRunID(time.Now()), id, 1, run.Edits{},
				run.Command{ID: "f" + engine.NewRunID(time.Now()), By: ann}, nil)
			return err
		},
	}
	for name, ask := range asks {
		if err := ask(fresh()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, method := range []string{"Run", "Bundle", "Snapshot", "Events"} {
			store.do(func() { store.fails = method })
			if err := ask(fresh()); !errors.Is(err, errTrouble) && !(name == "Fork" && method == "Snapshot") {
				t.Errorf("%s without %s: %v", name, method, err)
			}
		}
		store.do(func() { store.fails = "" })
	}
	// An unreadable snapshot is ignored.
	store.blank = true
	row, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := fresh().At(t.Context(), id, row.Seq); err != nil || s.Seq != row.Seq {
		t.Errorf("%v", err)
	}
}

// A fork requires an existing event, and a run that is no longer needed does not begin.
func TestWhatDoesNotBegin(t *testing.T) {
	store := open(t)
	e := local.New(local.Config{Store: store})
	id := begin(t, e, oneStep)
	row, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for seq, ok := range map[int64]bool{-1: false, 0: false, 1: true, row.Seq: true, row.Seq + 1: false} {
		_, err := e.Fork(t.Context(), engine.NewRunID(time.Now()), id, seq, run.Edits{},
			run.Command{ID: fmt.Sprint("f", seq), By: ann}, nil)
		if (err == nil) != ok || !ok && !fault.Is(err, fault.Invalid) {
			t.Errorf("at event %d of %d: %v", seq, row.Seq, err)
		}
	}
	if _, err := e.Fork(t.Context(), engine.NewRunID(time.Now()), "run_none", 1, run.Edits{},
		run.Command{ID: "n", By: ann}, nil); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := engine.NewRunID(time.Now())
	if _, err := e.Begin(ctx, late, enginetest.Define(t, oneStep), run.Command{Do: run.Start{}},
		nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := store.Run(t.Context(), late); !fault.Is(err, fault.NotFound) {
		t.Errorf("it began: %v", err)
	}
	if err := e.View(t.Context(), late, func(*machine.State) error { return nil }); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// elected is a store that grants and revokes leadership as a test requires.
type elected struct {
	*flawed
	given chan chan struct{} // closed when leadership is lost
	swept atomic.Int64
}

func (l *elected) Lead(ctx context.Context) (int64, <-chan struct{}, error) {
	epoch, _, err := l.Store.Lead(ctx)
	if err != nil {
		return 0, nil, err
	}
	select {
	case lost := <-l.given:
		return epoch, lost, nil
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

func (l *elected) Busy(ctx context.Context, after string, limit int) ([]string, error) {
	defer l.swept.Add(1)
	return l.Store.Busy(ctx, after, limit)
}

// Work stopped by a loss of leadership is resumed when it is regained, under the same key; a result that
// arrives anyway counts.
func TestTheLeadIsLostAndRegained(t *testing.T) {
	for name, answers := range map[string]bool{"the agent is stopped": false, "the agent answers all the same": true} {
		t.Run(name, func(t *testing.T) {
			store := &elected{flawed: open(t), given: make(chan chan struct{})}
			begun, stopped, end := make(chan port.Work, 10), make(chan struct{}), make(chan struct{})
			e := local.New(local.Config{
				Store: store, Sweep: time.Hour,
				Agent: func(string) (port.Agent, bool) {
					return enginetest.AgentFunc(func(ctx context.Context, w port.Work) (run.Result, error) {
						if begun <- w; len(begun) > 1 {
							return enginetest.Echo(ctx, w)
						}
						<-ctx.Done()
						close(stopped)
						<-end
						if answers {
							return enginetest.Echo(ctx, w)
						}
						return run.Result{}, ctx.Err()
					}), true
				},
			})
			e.Start()
			stopAfter(t, e)
			lost := make(chan struct{})
			store.given <- lost
			waitFor(t, time.Minute, func() bool { return e.Leads() && store.swept.Load() == 1 })
			id := begin(t, e, oneStep)
			waitFor(t, time.Minute, func() bool { return len(begun) == 1 })
			close(lost)
			await(t, stopped)
			waitFor(t, time.Minute, func() bool { return !e.Leads() })
			store.given <- make(chan struct{})
			waitFor(t, time.Minute, func() bool { return e.Leads() && store.swept.Load() == 2 })
			close(end)
			endsAs(t, store, id, run.Completed)
			var works []port.Work
			for range len(begun) {
				works = append(works, <-begun)
			}
			want := 2
			if answers {
				want = 1
			}
			if len(works) != want || slices.ContainsFunc(works,
				func(w port.Work) bool { return w.Key != works[0].Key || w.Try != 1 }) {
				t.Errorf("%+v", works)
			}
		})
	}
}
