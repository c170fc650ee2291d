package local

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// tally caches the totals of other runs, as far as they were requested. A run decides without waiting for the
// store: unknown totals are read afterwards, and the run decides again.
type tally struct {
	known  map[run.Elsewhere]port.Tallied
	missed []run.Elsewhere
}

// tallyRounds limits how often a run decides again because it requested more. A total that is unknown after
// that makes a sum unknown, and people are asked.
const tallyRounds = 10

func (t *tally) look(q run.Elsewhere) ([]run.Tally, bool) {
	found, known := t.known[q]
	if !known && !slices.Contains(t.missed, q) {
		t.missed = append(t.missed, q)
	}
	return found.Tallies, known
}

// reads are the known sums.
func (t *tally) reads() []port.SumRead {
	var out []port.SumRead
	for q, found := range t.known {
		out = append(out, port.SumRead{Elsewhere: q, Version: found.Version})
	}
	return out
}

// decide lets a run decide with the sums it requests.
func (e *Engine) decide(ctx context.Context, env decide.Env,
	do func(decide.Env) ([]run.Event, error)) (*tally, []run.Event, error) {
	t := &tally{known: map[run.Elsewhere]port.Tallied{}}
	env.Elsewhere = t.look
	for round := 0; ; round++ {
		events, err := do(env)
		if err != nil || len(t.missed) == 0 || round == tallyRounds {
			return t, events, err
		}
		for _, q := range t.missed {
			found, err := e.Store.Tally(ctx, q)
			if err != nil {
				return t, nil, err
			}
			t.known[q] = found
		}
		t.missed = nil
	}
}

// guard adds the acts that begin with a write, and the sums it was based on.
func guard(w *port.Write, s *machine.State, d decided) {
	w.Counted, w.TakenBack = machine.CountedIn(s, d.events)
	if len(w.Counted)+len(w.TakenBack) == 0 {
		return
	}
	w.Family = s.Family()
	if len(w.Counted) > 0 {
		w.Sums, w.Generation = d.sums.reads(), d.generation
	}
}

// recountsMax is how often a decision is repeated because other runs did more in the meantime. Each time one
// of them made progress, so it ends.
const recountsMax = 500

// recounted reports whether a write was refused because a sum has changed, and counts how often.
func recounted(err error, times *int) bool {
	if !fault.Is(err, fault.Outdated) || fault.DetailOf(err)["sum"] == nil || *times >= recountsMax {
		return false
	}
	*times++
	return true
}
