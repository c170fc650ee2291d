package local

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
)

// leading is what this process knows about its leadership. The store is authoritative: a process that was
// suspended, or cut off, may have been replaced without noticing. So every write of a leader carries its epoch,
// and nothing starts before the store has confirmed it: by accepting the write that it follows from, or when asked.
type leading struct {
	epoch  atomic.Int64  // 0 while another process leads
	fallen chan struct{} // the store reported that the epoch is over

	mu   sync.Mutex
	busy bool      // a query is in progress
	next *question // those who asked after it began
}

// question is one read of the epoch, for all who asked before it was sent.
type question struct {
	done  chan struct{}
	epoch int64
	err   error
}

// Leads reports whether this process is the leader, as far as it knows.
func (e *Engine) Leads() bool { return e.leading.epoch.Load() != 0 }

// Epoch is that of this process's leadership, as far as it knows; 0: another process leads.
func (e *Engine) Epoch() int64 { return e.leading.epoch.Load() }

// lead competes for leadership, and again whenever it is lost.
func (e *Engine) lead() {
	for e.ctx.Err() == nil {
		epoch, lost, err := e.Store.Lead(e.ctx)
		if err != nil {
			if e.ctx.Err() == nil {
				e.Log.Warn("cannot lead", "error", err)
				e.pause(time.Second)
			}
			continue
		}
		e.leadWith(epoch, lost)
	}
}

// leadWith leads until leadership is lost or the engine stops.
func (e *Engine) leadWith(epoch int64, lost <-chan struct{}) {
	select {
	case <-e.leading.fallen: // of an earlier epoch
	default:
	}
	e.Log.Info("leading", "epoch", epoch)
	e.leading.epoch.Store(epoch)
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	var tasks sync.WaitGroup
	tasks.Go(func() {
		if e.Shared {
			// Before the first sweep, so that nothing is missed in between.
			head, ok := e.feedHead(ctx)
			if !ok {
				return
			}
			tasks.Go(func() { e.follow(ctx, head) })
		}
		e.recover(ctx)
	})
	fenced := false
	select {
	case <-lost:
	case <-e.leading.fallen:
		fenced = true
	case <-e.ctx.Done():
		tasks.Wait()
		return // Stop resigns once everything is recorded
	}
	e.Log.Warn("leadership lost", "epoch", epoch)
	e.leading.epoch.Store(0)
	cancel()
	e.runs.cancelAll()
	e.clock.clear()
	tasks.Wait()
	if fenced {
		// The store still considers this process the leader: start a new term.
		if err := e.Store.Resign(e.ctx); err != nil && e.ctx.Err() == nil {
			e.Log.Warn("release lost leadership", "error", err)
			e.pause(time.Second)
		}
	}
}

// feedHead is the newest number of the feed, as soon as the store can return it: starting from an older one
// would load every past run.
func (e *Engine) feedHead(ctx context.Context) (head int64, ok bool) {
	for ctx.Err() == nil {
		head, err := e.Store.Head(ctx)
		if err == nil {
			return head, true
		}
		if ctx.Err() == nil {
			e.Log.Error("read the feed; retrying", "error", err)
			e.pause(followAgain)
		}
	}
	return 0, false
}

// deposed records that the store refused an epoch: another process leads.
func (e *Engine) deposed(epoch int64) {
	if epoch == 0 || !e.leading.epoch.CompareAndSwap(epoch, 0) {
		return // already known, or leading again since
	}
	select {
	case e.leading.fallen <- struct{}{}:
	default: // the previous signal has not been received yet, and will be
	}
}

// unconfirmed is the epoch of reconciliations that do not follow a write.
const unconfirmed = -1

// stillLeads reports whether an epoch is in force as far as this process knows, and ctx has not ended.
func (e *Engine) stillLeads(ctx context.Context, epoch int64) bool {
	return ctx.Err() == nil && epoch != 0 && e.leading.epoch.Load() == epoch
}

// confirmed asks the store whether an epoch is still in force. While the store is unavailable nothing starts:
// it waits until the store answers or ctx ends.
func (e *Engine) confirmed(ctx context.Context, epoch int64) bool {
	if mutant.Is(mutant.Unconfirmed) {
		return ctx.Err() == nil
	}
	for wait := holdFirst; e.stillLeads(ctx, epoch); wait = min(2*wait, holdMost) {
		current, err := e.currentEpoch()
		switch {
		case err == nil && current == epoch:
			return ctx.Err() == nil
		case err == nil:
			e.deposed(epoch)
			return false
		}
		e.Log.Warn("cannot confirm leadership; nothing is started until it is confirmed", "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return false
}

// currentEpoch reads the epoch in force. Concurrent callers share an answer, but never one that was requested
// before they called.
func (e *Engine) currentEpoch() (int64, error) {
	l := &e.leading
	l.mu.Lock()
	q := l.next
	if q == nil {
		q = &question{done: make(chan struct{})}
		l.next = q
	}
	ask := !l.busy
	l.busy = true
	l.mu.Unlock()
	if ask {
		e.askEpoch()
	}
	<-q.done
	return q.epoch, q.err
}

// askEpoch answers the waiting callers, and leaves those who came in the meantime to the next query.
func (e *Engine) askEpoch() {
	l := &e.leading
	l.mu.Lock()
	q := l.next
	l.next = nil
	l.mu.Unlock()
	q.epoch, q.err = e.Store.Epoch(e.ctx)
	close(q.done)
	l.mu.Lock()
	l.busy = l.next != nil
	again := l.busy
	l.mu.Unlock()
	if again {
		go e.askEpoch()
	}
}
