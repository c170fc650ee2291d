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

// tally knows what acts of other runs add up to, as far as it was asked. A run
// decides without waiting for the store: what it asked for and was not known is
// read afterwards, and the run decides again.
type tally struct {
	known  map[run.Elsewhere]port.Tallied
	missed []run.Elsewhere
}

// tallyRounds bounds how often a run decides again because it asked for more. What
// is not known then makes a sum unknown, and people are asked.
const tallyRounds = 10

func (t *tally) look(q run.Elsewhere) ([]run.Tally, bool) {
	found, known := t.known[q]
	if !known && !slices.Contains(t.missed, q) {
		t.missed = append(t.missed, q)
	}
	return found.Tallies, known
}

// reads are the sums that were known.
func (t *tally) reads() []port.SumRead {
	var out []port.SumRead
	for q, found := range t.known {
		out = append(out, port.SumRead{Elsewhere: q, Version: found.Version})
	}
	return out
}

// decide lets a run decide with the sums that it asks for.
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

// guard adds to a write which acts begin with it and by which sums that was
// decided.
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

// recountsMax is how often something is decided anew because other runs did more
// in the meantime. Each time one of them got ahead, so it ends.
const recountsMax = 500

// recounted reports whether a write was refused because a sum is another by now,
// and counts how often that was so.
func recounted(err error, times *int) bool {
	if !fault.Is(err, fault.Outdated) || fault.DetailOf(err)["sum"] == nil || *times >= recountsMax {
		return false
	}
	*times++
	return true
}
