package local

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// alarm wakes runs whose time has come. It keeps only the near future in memory; the store has the rest, and
// is queried again in time.
type alarm struct {
	ring func(id string)
	now  func() time.Time
	near time.Duration // how far ahead alarms are kept in memory

	mu    sync.Mutex
	at    map[string]time.Time // when each run has to be woken
	heap  moments              // may contain outdated entries
	timer *time.Timer
	ended bool
}

// nearSweeps is for how many sweeps ahead alarms are kept in memory. It must be well above one: each sweep
// queries the store for more.
const nearSweeps = 3

type moment struct {
	at time.Time
	id string
}

type moments []moment

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i].at.Before(m[j].at) }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)        { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// set sets when a run has to be woken; the zero time is never.
func (a *alarm) set(id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	if at.IsZero() || at.Sub(a.now()) > a.near {
		delete(a.at, id)
		return
	}
	if a.at == nil {
		a.at = map[string]time.Time{}
	}
	if had, ok := a.at[id]; ok && had.Equal(at) {
		return
	}
	a.at[id] = at
	heap.Push(&a.heap, moment{at, id})
	if len(a.heap) > 64 && len(a.heap) > 4*len(a.at) { // mostly outdated: rebuild
		a.heap = a.heap[:0]
		for id, at := range a.at {
			a.heap = append(a.heap, moment{at, id})
		}
		heap.Init(&a.heap)
	}
	a.wind()
}

// wind sets the timer to the earliest time. The caller holds the lock.
func (a *alarm) wind() {
	for len(a.heap) > 0 && !a.at[a.heap[0].id].Equal(a.heap[0].at) {
		heap.Pop(&a.heap) // outdated
	}
	if len(a.heap) == 0 {
		if a.timer != nil {
			a.timer.Stop()
		}
		return
	}
	wait := max(a.heap[0].at.Sub(a.now()), 0)
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, a.ringAll)
	} else {
		a.timer.Reset(wait)
	}
}

// ringAll wakes all runs whose time has come.
func (a *alarm) ringAll() {
	a.mu.Lock()
	now := a.now()
	var due []string
	for len(a.heap) > 0 && !a.heap[0].at.After(now) {
		m := heap.Pop(&a.heap).(moment)
		if a.at[m.id].Equal(m.at) {
			delete(a.at, m.id)
			due = append(due, m.id)
		}
	}
	a.wind()
	a.mu.Unlock()
	for _, id := range due {
		a.ring(id)
	}
}

// clear removes all alarms.
func (a *alarm) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at, a.heap = nil, nil
	a.wind()
}

// stop removes all alarms, and ignores later ones.
func (a *alarm) stop() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.clear()
}

// tick sends a Tick to a run.
func (e *Engine) tick(id string) {
	epoch := e.leading.epoch.Load()
	if epoch == 0 || !e.enter() {
		return
	}
	e.pools.run("tick", func(bool) {
		defer e.work.Done()
		_, err := e.do(e.ctx, id, run.Command{By: run.Actor{Kind: run.System}, Do: run.Tick{}}, nil, epoch)
		if err != nil && !fault.Is(err, fault.NotFound) && !port.Fenced(err) && e.ctx.Err() == nil {
			e.Log.Error("wake a run", "run", id, "error", err)
			wait := time.Second
			if errors.Is(err, ErrUnsound) {
				wait = e.Sweep // it does not mend itself
			}
			e.clock.set(id, e.Now().Add(wait))
		}
	})
}

// loadAlarms loads what becomes due soon from the store.
func (e *Engine) loadAlarms(ctx context.Context) error {
	const batch = 10_000
	ahead := e.clock.near
	if e.Dispatch != nil {
		ahead = max(ahead, dispatchAhead)
	}
	due, err := e.Store.Due(ctx, e.Now().Add(ahead), batch)
	if err != nil {
		return err
	}
	for _, d := range due {
		e.clock.set(d.Run, d.At)
		if e.Dispatch != nil {
			e.Dispatch.Wake(d.At, d.At.Sub(e.Now()))
		}
	}
	return nil
}
