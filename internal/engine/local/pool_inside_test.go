package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/enginetest"
)

// Concurrency is limited per kind; the rest is queued.
func TestPools(t *testing.T) {
	for _, c := range []struct {
		limits map[string]int
		kind   string
		want   int
	}{
		{map[string]int{"a": 2, "": 1}, "a", 2},
		{map[string]int{"a": 2, "": 1}, "b", 1},
		{map[string]int{"a": 2}, "b", workersDefault},
		{map[string]int{"a": 0, "": 3}, "a", 3},
		{map[string]int{"a": -1, "": -1}, "a", workersDefault},
		{nil, "a", workersDefault},
	} {
		synctest.Test(t, func(t *testing.T) {
			ps := pools{limit: c.limits}
			let, all := make(chan struct{}), c.want+3
			var begun []int
			for n := range all {
				ps.run(c.kind, func(waited bool) {
					if begun = append(begun, n); waited != (n >= c.want) {
						t.Errorf("%s of %v: number %d waited: %t", c.kind, c.limits, n, waited)
					}
					<-let
				})
				if n < c.want {
					synctest.Wait()
				}
			}
			if synctest.Wait(); len(begun) != c.want {
				t.Errorf("%s of %v: %d at once", c.kind, c.limits, len(begun))
			}
			for range all {
				let <- struct{}{}
				synctest.Wait()
			}
			if len(begun) != all || !slices.IsSorted(begun) || ps.kinds[c.kind].running != 0 {
				t.Errorf("%s of %v: %v, %d still run", c.kind, c.limits, begun, ps.kinds[c.kind].running)
			}
			// Work that arrives at an idle pool is not queued.
			ps.run(c.kind, func(bool) { begun = nil })
			if synctest.Wait(); begun != nil {
				t.Error("it waits for nobody")
			}
		})
	}
}

// Sequence numbers are remembered for a limited number of runs.
func TestRunsThatWereSeen(t *testing.T) {
	var all table
	parts := map[int]int{}
	var together []string // in one shard
	for n := 0; len(together) <= seenMax; n++ {
		id := fmt.Sprint("run_", n)
		if parts[all.part(id)]++; all.part(id) == 7 {
			together = append(together, id)
		}
	}
	for part := range all {
		if parts[part] < seenMax/2 {
			t.Errorf("part %d has %d runs: they are not spread", part, parts[part])
		}
	}
	s := begun(t, together[0], asking)
	for n, id := range together {
		if n == seenMax {
			if !all.knows(together[0], s.Seq) || len(all[7].seen) != seenMax {
				t.Errorf("of %d runs %d are remembered", n, len(all[7].seen))
			}
		}
		r := all.acquire(id)
		r.s = s
		if !all.knows(id, s.Seq) || all.knows(id, s.Seq+1) {
			t.Fatal("a run in use is known up to its state")
		}
		all.release(r)
		if !all.knows(id, s.Seq) || all.knows(id, s.Seq+1) {
			t.Fatal("what was seen of a run is not remembered")
		}
	}
	if len(all[7].seen) != 1 || len(all[7].runs) != 0 {
		t.Errorf("%d are remembered, %d in use", len(all[7].seen), len(all[7].runs))
	}
	// A written sequence number is known even while another state is being read.
	last := together[seenMax]
	r := all.acquire(last)
	if !all.knows(last, s.Seq) || all.knows(last, s.Seq+1) {
		t.Error("a run in use is known up to what was seen of it")
	}
	all.release(r)
	all.acquire("run_1").underway[run.Key{}] = func() {}
	stopped := 0
	for _, id := range []string{"run_2", "run_3", "run_77"} {
		all.acquire(id).underway[run.Key{}] = func() { stopped++ }
	}
	if all.cancelAll(); stopped != 3 {
		t.Errorf("%d of 3 were stopped", stopped)
	}
	if all.atWork("run_4") {
		t.Error("it is not in use")
	}
	if all.acquire("run_4"); all.atWork("run_4") {
		t.Error("nothing is under way for it")
	}
}

// Definitions are compiled, and stored, once.
func TestDefinitionsAreKept(t *testing.T) {
	puts, gets := 0, 0
	s := &bundles{puts: &puts, gets: &gets, kept: map[string]json.RawMessage{}}
	ps := plans{store: s}
	def := enginetest.Define(t, asking)
	first, err := ps.keep(t.Context(), def)
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []*plan.Definition{def, enginetest.Define(t, asking)} {
		if p, err := ps.keep(t.Context(), again); err != nil || p != first || puts != 1 {
			t.Errorf("%v: stored %d times", err, puts)
		}
		if _, ok := ps.given.Load(again); !ok {
			t.Error("it is hashed again for every run")
		}
	}
	if p, err := ps.get(t.Context(), plan.Digest(def)); err != nil || p != first || gets != 0 {
		t.Errorf("%v: read %d times", err, gets)
	}
	other := plans{store: s} // of another process
	for range 2 {
		if p, err := other.get(t.Context(), plan.Digest(def)); err != nil || p == nil || gets != 1 {
			t.Errorf("%v: read %d times", err, gets)
		}
	}
	count := func() (n int) {
		ps.given.Range(func(any, any) bool { n++; return true })
		return n
	}
	for range givenMax - 2 {
		ps.remember(enginetest.Define(t, asking), first)
	}
	if count() != givenMax {
		t.Errorf("%d definitions are known by their address", count())
	}
	for n := range 3 { // a caller that creates a new one for every run does not fill the memory
		if ps.remember(enginetest.Define(t, asking), first); count() != n+1 {
			t.Errorf("%d definitions are known by their address", count())
		}
	}
	for n := range plansMax { // a workflow that changes for every run does not fill it either
		if other.cache(fmt.Sprint(n), first); n == plansMax/2 {
			if _, err := other.get(t.Context(), plan.Digest(def)); err != nil || gets != 1 {
				t.Errorf("%v: read %d times", err, gets)
			}
		}
	}
	if len(other.known) != plansMax || other.recent.Len() != plansMax || other.known["0"] != nil {
		t.Errorf("%d plans are known by their digest", len(other.known))
	}
	other.cache(fmt.Sprint(plansMax-1), first) // again
	if len(other.known) != plansMax || other.recent.Len() != plansMax {
		t.Errorf("%d and %d plans are known", len(other.known), other.recent.Len())
	}
	for n := range plansMax {
		other.cache(fmt.Sprint("x", n), first)
	}
	for range 2 {
		if _, err := other.get(t.Context(), plan.Digest(def)); err != nil || gets != 2 {
			t.Errorf("%v: a forgotten one is read %d times", err, gets)
		}
	}
	s.err = errAway
	changed := enginetest.Define(t, asking)
	changed.Version++
	if p, err := ps.keep(t.Context(), changed); p != nil || !errors.Is(err, errAway) {
		t.Errorf("%v, %v", p, err)
	}
}

// bundles is a store of definitions alone.
type bundles struct {
	told
	puts, gets *int
	kept       map[string]json.RawMessage
	err        error
}

func (b *bundles) PutBundle(_ context.Context, digest string, body json.RawMessage) error {
	*b.puts++
	b.kept[digest] = body
	return b.err
}

func (b *bundles) Bundle(_ context.Context, digest string) (json.RawMessage, error) {
	*b.gets++
	return b.kept[digest], b.err
}
