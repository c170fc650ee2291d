package local

import (
	"context"
	"slices"
	"sync"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// one is a run in use. It is in memory while a caller holds it or work for it is in progress.
type one struct {
	id   string
	held int // number of holders; guarded by the table

	mu       turn
	s        *machine.State // nil: not loaded
	broken   error          // the invariant that s broke when it was loaded
	underway map[run.Key]context.CancelFunc
}

// turn is a mutex based on a channel: it is held while the store works, and in a simulation
// (testing/synctest) time advances only while all goroutines wait for channels and timers.
type turn chan struct{}

func (t turn) Lock()   { t <- struct{}{} }
func (t turn) Unlock() { <-t }

// cancelExcept stops work in progress that is no longer owed. Most runs have one effect in progress, so
// scanning the list is faster than building a set.
func (r *one) cancelExcept(owed []run.Effect) {
	if mutant.Is(mutant.NeverCancelled) || mutant.Is(mutant.ManyNotCancelled) && len(r.underway) > 16 {
		return
	}
	if len(r.underway) > 16 {
		keep := make(map[run.Key]bool, len(owed))
		for _, ef := range owed {
			keep[ef.Key] = true
		}
		for key, cancel := range r.underway {
			if !keep[key] {
				cancel()
			}
		}
		return
	}
	for key, cancel := range r.underway {
		if !slices.ContainsFunc(owed, func(ef run.Effect) bool { return ef.Key == key }) {
			cancel()
		}
	}
}

// table finds the runs in use. It is sharded, so that runs do not wait for each other.
type table [64]struct {
	sync.Mutex
	runs map[string]*one
	seen map[string]int64 // newest sequence number this process wrote, for recently used runs
}

func (t *table) part(id string) int {
	h := uint32(2166136261)
	for i := range len(id) {
		h = (h ^ uint32(id[i])) * 16777619
	}
	return int(h % uint32(len(t)))
}

func (t *table) acquire(id string) *one {
	p := &t[t.part(id)]
	p.Lock()
	defer p.Unlock()
	if p.runs == nil {
		p.runs, p.seen = map[string]*one{}, map[string]int64{}
	}
	r := p.runs[id]
	if r == nil {
		r = &one{id: id, mu: make(turn, 1), underway: map[run.Key]context.CancelFunc{}}
		p.runs[id] = r
	}
	r.held++
	return r
}

// seenMax limits how many finished writes each shard remembers.
const seenMax = 1000

// release drops a run that is not held and has no work in progress. The caller must not hold r.mu.
func (t *table) release(r *one) {
	p := &t[t.part(r.id)]
	p.Lock()
	defer p.Unlock()
	r.held--
	if r.held > 0 {
		return
	}
	// It is not held and the shard is locked, so it cannot be changing.
	if r.s != nil {
		if len(p.seen) >= seenMax {
			clear(p.seen)
		}
		p.seen[r.id] = r.s.Seq
	}
	if len(r.underway) == 0 {
		delete(p.runs, r.id)
	}
}

// atWork reports whether work for a run is in progress, so that it will be checked when that ends.
func (t *table) atWork(id string) bool {
	p := &t[t.part(id)]
	p.Lock()
	r := p.runs[id]
	p.Unlock()
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.underway) > 0
}

// working lists the runs that work is in progress for.
func (t *table) working() (ids []string) {
	t.each(func(r *one) {
		if len(r.underway) > 0 {
			ids = append(ids, r.id)
		}
	})
	return ids
}

// each calls f for every run, with the run locked.
func (t *table) each(f func(*one)) {
	for i := range t {
		p := &t[i]
		p.Lock()
		runs := make([]*one, 0, len(p.runs))
		for _, r := range p.runs {
			runs = append(runs, r)
		}
		p.Unlock()
		for _, r := range runs {
			r.mu.Lock()
			f(r)
			r.mu.Unlock()
		}
	}
}

// knows reports whether this process has seen a run up to seq.
func (t *table) knows(id string, seq int64) bool {
	p := &t[t.part(id)]
	p.Lock()
	r, seen := p.runs[id], p.seen[id]
	p.Unlock()
	if r == nil {
		return seen >= seq
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.s != nil && r.s.Seq >= seq || seen >= seq
}

// cancelAll stops all work in progress.
func (t *table) cancelAll() {
	t.each(func(r *one) {
		for _, cancel := range r.underway {
			cancel()
		}
	})
}
