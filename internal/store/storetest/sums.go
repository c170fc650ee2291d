package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// act is one that counts in a sum; an empty amount is unknown.
func act(id, operation, sum, amount string, at time.Time) run.Counted {
	c := policy.Count{Sum: sum}
	if amount != "" {
		c.Of = json.RawMessage(`{"amount":` + amount + `}`)
	}
	return run.Counted{Act: id, Operation: operation, At: at, Counts: []policy.Count{c}}
}

// tallied formats a store's totals.
func tallied(t *testing.T, s store.Store, q run.Elsewhere) string {
	t.Helper()
	got, err := s.Tally(t.Context(), q)
	fixture.Must(t, err)
	out := map[string]string{}
	for _, one := range got.Tallies {
		out[one.Operation] = fmt.Sprintf("%d: %s, %d unknown", one.Acts, one.Amount, one.Unknown)
	}
	return fmt.Sprint(out)
}

// sums: acts of other runs are added up exactly, by operation, within a family or since a time. Another
// attempt at an act replaces it, and one that is taken back is gone.
func sums(t *testing.T, s store.Store) {
	a, b := fixture.New("run_a"), fixture.New("run_b")
	later := fixture.Began.Add(time.Hour)
	w := a.Write(fixture.Started(`1`))
	w.Family, w.Counted = "run_a", []run.Counted{
		act("a1", "refund", "s", "0.1", fixture.Began), act("a2", "refund", "s", "999999999999999999.000000001", later),
		act("a3", "payout", "s", "", later), act("a4", "refund", "other", "5", later),
	}
	a.Store(t, s, w)
	w = b.Write(fixture.Started(`1`))
	w.Family, w.Counted = "run_a", []run.Counted{act("b1", "refund", "s", "0.2", later)}
	b.Store(t, s, w)
	for want, q := range map[string]run.Elsewhere{
		"map[payout:0: 0, 1 unknown refund:3: 999999999999999999.300000001, 0 unknown]": {Run: "run_c",
			Sum: "s", Since: fixture.Began},
		"map[payout:0: 0, 1 unknown refund:2: 999999999999999999.200000001, 0 unknown]": {Run: "run_c",
			Sum: "s", Since: fixture.Began.Add(1)},
		"map[refund:1: 0.2, 0 unknown]": {Run: "run_a", Sum: "s", Family: "run_a"},
		"map[payout:0: 0, 1 unknown refund:2: 999999999999999999.100000001, 0 unknown]": {Run: "run_b",
			Sum: "s", Family: "run_a"},
		"map[]": {Run: "run_c", Sum: "s", Family: "run_b"},
	} {
		if got := tallied(t, s, q); got != want {
			t.Errorf("%+v\n got %s\nwant %s", q, got, want)
		}
	}
	w = a.Write(fixture.Said("again"))
	w.Family, w.TakenBack, w.Counted = "run_a", []string{"a3", "b1"}, []run.Counted{act("a2", "refund", "s", "7", later)}
	a.Store(t, s, w)
	q := run.Elsewhere{Run: "run_c", Sum: "s", Since: fixture.Began}
	if got := tallied(t, s, q); got != "map[refund:3: 7.3, 0 unknown]" {
		t.Errorf("a second try and acts that were taken back, one of them another run's: %s", got)
	}
	// A write based on a different sum is rejected, and changes nothing.
	known, err := s.Tally(t.Context(), q)
	fixture.Must(t, err)
	c := fixture.New("run_c")
	w = c.Write(fixture.Started(`1`))
	w.Family, w.Counted, w.Sums = "run_c", []run.Counted{act("c1", "refund", "s", "1", later)},
		[]port.SumRead{{Elsewhere: q, Version: known.Version - 1}}
	_, err = s.Append(t.Context(), w)
	fixture.WantCode(t, err, fault.Outdated)
	if fault.DetailOf(err)["sum"] != "s" {
		t.Errorf("the refusal does not say which sum: %v", err)
	}
	w.Sums[0].Version = known.Version
	c.Store(t, s, w)
	got := tallied(t, s, run.Elsewhere{Run: "run_d", Sum: "s", Since: fixture.Began})
	if got != "map[refund:4: 8.3, 0 unknown]" {
		t.Error(got)
	}
	// The run's own acts are guarded by its own log.
	w = c.Write(fixture.Said("more"))
	w.Family, w.Counted, w.Sums = "run_c", []run.Counted{act("c2", "refund", "s", "1", later)},
		[]port.SumRead{{Elsewhere: q, Version: known.Version}}
	c.Store(t, s, w)
}

// sumsRace: however many writes add to a sum concurrently, each has seen all the others.
func sumsRace(t *testing.T, s store.Store) {
	const writers, limit = 32, 10
	var mu sync.Mutex
	var all sync.WaitGroup
	began, asked := 0, 0
	for i := range writers {
		all.Go(func() {
			for {
				w := fixture.New(fixture.RunID(i)).Write(fixture.Started(`1`))
				q := run.Elsewhere{Run: w.Run, Sum: "s", Since: time.Unix(1, 0)}
				known, err := s.Tally(t.Context(), q)
				if err != nil {
					t.Error(err)
					return
				}
				sum := int64(0)
				for _, one := range known.Tallies {
					sum += one.Amount.Unit
				}
				if sum+1 > limit {
					mu.Lock()
					asked++
					mu.Unlock()
					return
				}
				w.Family, w.Counted = w.Run, []run.Counted{act(w.Run+"/act", "refund", "s", "1", time.Unix(2, 0))}
				w.Sums = []port.SumRead{{Elsewhere: q, Version: known.Version}}
				switch _, err := s.Append(t.Context(), w); {
				case err == nil:
					mu.Lock()
					began++
					mu.Unlock()
					return
				case !fault.Is(err, fault.Outdated):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if began != limit || asked != writers-limit {
		t.Errorf("%d acts began under a limit of %d, and %d ask", began, limit, asked)
	}
}

// sumsForgotten: old acts are deleted, except those of unfinished runs.
func sumsForgotten(t *testing.T, s store.Store) {
	old, open, part := fixture.New("run_old"), fixture.New("run_open"), fixture.New("run_open.1")
	for _, a := range []*fixture.Author{old, open, part} {
		w := a.Write(fixture.Started(`1`))
		w.Family, w.Counted = "run_open", []run.Counted{act(a.ID, "refund", "s", "1", fixture.Began)}
		if a == old {
			w.Family = a.ID
		}
		if a != open {
			w.Row.Status, w.Row.EndedAt = run.Completed, fixture.Began
		}
		a.Store(t, s, w)
	}
	q := run.Elsewhere{Run: "run_x", Sum: "s", Since: fixture.Began}
	for _, c := range []struct {
		before time.Time
		gone   int
		left   string
	}{{fixture.Began, 0, "map[refund:3: 3, 0 unknown]"}, {fixture.Began.Add(1), 1, "map[refund:2: 2, 0 unknown]"}} {
		n, err := s.ForgetCounted(t.Context(), c.before)
		fixture.Must(t, err)
		if got := tallied(t, s, q); n != c.gone || got != c.left {
			t.Errorf("%d acts before %v are forgotten, and %s is left", n, c.before, got)
		}
	}
}
