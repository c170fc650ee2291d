package scenariotest

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/scenario"
)

// patience is how long a busy machine may take; only a test that fails waits for it.
const patience = 2 * time.Minute

// host is an engine that plays a script.
type host struct {
	t     testing.TB
	open  Open
	tools []string
	home  string
	e     port.Engine
	store Store
	seen  map[string]int64 // how much of each run was compared

	mu       sync.Mutex
	now      time.Time
	judge    decide.Judge
	stopped  bool
	versions map[string]int
	workflow func(name string) *plan.Definition
	owed     []run.Effect
	calls    map[string]chan run.Operation // work in progress, which waits for its result
	specs    map[string]run.ToolSpec       // of calls, by their id
	over     chan struct{}                 // closed when the engine is stopped
}

func newHost(t testing.TB, open Open, tools []string) *host {
	return &host{t: t, open: open, tools: tools, specs: map[string]run.ToolSpec{}}
}

func (h *host) start() {
	h.mu.Lock()
	h.calls, h.over = map[string]chan run.Operation{}, make(chan struct{})
	h.mu.Unlock()
	h.e, h.store = h.open(h.t, h.home, h.configure)
}

// close stops the engine without waiting for what is in progress.
func (h *host) close() {
	if h.e == nil {
		return
	}
	close(h.over)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = h.e.Stop(ctx) // what was in progress did not finish
	if err := h.store.Close(); err != nil {
		h.t.Error(err)
	}
	h.e = nil
}

// sync learns how the world is now.
func (h *host) sync(w *scenario.World) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = w.Now()
	h.judge, h.stopped = w.Judge()
	h.versions, h.workflow = w.Versions(), w.Workflow
	h.owed = w.State().Effects()
}

// Define implements scenario.Host: every definition has its own store.
func (h *host) Define(w *scenario.World) error {
	h.close()
	h.home, h.seen = h.t.TempDir(), map[string]int64{}
	h.sync(w)
	h.start()
	return nil
}

// Crash implements scenario.Host.
func (h *host) Crash(w *scenario.World) error {
	h.close()
	h.sync(w)
	h.start()
	return h.settle(w)
}

// Do implements scenario.Host.
func (h *host) Do(w *scenario.World, c run.Command, refused error) error {
	h.sync(w)
	ctx, id := h.t.Context(), w.State().ID
	var err error
	switch do := c.Do.(type) {
	case run.Start:
		_, err = h.e.Begin(ctx, id, w.Plan().Definition, c, nil)
	case run.Tick:
		_, err = h.e.Do(ctx, id, run.Command{By: run.Actor{Kind: run.System}, Do: do}, nil)
	default:
		if key, ok := keyOf(do); ok {
			return h.report(w, key, do, refused)
		}
		_, err = h.e.Do(ctx, id, c, nil)
	}
	return h.agree(w, err, refused)
}

// Fork implements scenario.Host.
func (h *host) Fork(w *scenario.World, id, from string, at int64, edits run.Edits, c run.Command, refused error) error {
	h.sync(w)
	_, err := h.e.Fork(h.t.Context(), id, from, at, edits, c, nil)
	return h.agree(w, err, refused)
}

// agree checks that an engine answered as the state machine did, and did the same.
func (h *host) agree(w *scenario.World, err, refused error) error {
	if fmt.Sprint(err) != fmt.Sprint(refused) {
		return fmt.Errorf("the engine answers %v, the state machine %v", err, refused)
	}
	return h.settle(w)
}

// report lets work in progress return.
func (h *host) report(w *scenario.World, key run.Key, do run.Operation, refused error) error {
	name := nameOf(key)
	h.mu.Lock()
	waits, ok := h.calls[name]
	if ok {
		delete(h.calls, name)
		if turn, is := do.(run.CompleteTurn); is {
			for _, c := range turn.Turn.Calls {
				h.specs[c.ID] = c.Spec
			}
		}
		waits <- do
	}
	h.mu.Unlock()
	if !ok && refused == nil {
		return fmt.Errorf("the engine never began %s", name)
	}
	return h.settle(w)
}

// settle waits until the engine has written as much as the state machine did, and works on what is owed. It compares.
func (h *host) settle(w *scenario.World) error {
	s := w.State()
	if s.Seq == 0 {
		return nil
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if err := h.compare(w); err != nil {
			return err
		}
		missing := h.missing(s.Effects())
		switch {
		case h.seen[s.ID] == s.Seq && missing == "":
			return nil
		case time.Now().Before(end):
		case missing != "":
			return fmt.Errorf("the engine does not begin %s", missing)
		default:
			return fmt.Errorf("the engine wrote %d events, the state machine %d, the next is\n%s", h.seen[s.ID], s.Seq,
				w.Log()[h.seen[s.ID]])
		}
	}
}

// compare compares what was written since the last time.
func (h *host) compare(w *scenario.World) error {
	id, log := w.State().ID, w.Log()
	records, err := h.store.Events(h.t.Context(), id, h.seen[id], 1000)
	if err != nil {
		return err
	}
	for _, rec := range records {
		got, err := value.Marshal(rec.Event)
		if err != nil {
			return err
		}
		if rec.Seq > int64(len(log)) {
			return fmt.Errorf("the engine wrote more than the state machine:\n%s", got)
		}
		if want := log[rec.Seq-1]; !bytes.Equal(got, want) {
			return fmt.Errorf("the engine wrote\n%s\nthe state machine\n%s", got, want)
		}
		h.seen[id] = rec.Seq
	}
	return nil
}

// missing names work that is owed and has not begun.
func (h *host) missing(owed []run.Effect) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ef := range owed {
		if _, clock := ef.Do.(run.Wake); clock {
			continue
		}
		if name := nameOf(ef.Key); h.calls[name] == nil {
			return name
		}
	}
	return ""
}

// nameOf names a piece of work, as those who do it know it.
func nameOf(key run.Key) string {
	if key.Kind == run.KeyReplan {
		return "a search for " + key.Run
	}
	return key.Work() + " try " + strconv.Itoa(key.Try)
}

// keyOf is the effect whose result an operation is.
func keyOf(do run.Operation) (run.Key, bool) {
	switch do := do.(type) {
	case run.Complete:
		return do.Key, true
	case run.Fail:
		return do.Key, true
	case run.CompleteTurn:
		return do.Key, true
	case run.CompleteCall:
		return do.Key, true
	case run.Rebind:
		return do.Key, true
	case run.AnswerReplan:
		return do.Key, true
	case run.AnswerConsult:
		return do.Key, true
	case run.ReadForConsult:
		return do.Key, true
	}
	return run.Key{}, false
}
