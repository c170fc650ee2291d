package sim

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/machine"
)

// compareAll checks that every path to a state leads to the same state: the fold of the log, the hosts'
// memory, and each snapshot with its tail. It is the one check that needs the core itself.
func (w *world) compareAll() {
	for _, r := range w.store.order {
		if len(r.lines) == 0 || w.found != nil {
			continue
		}
		folded := r.foldLines()
		want := likeness{mustSnapshot(folded), keys(folded)}
		w.same("fold = fold", r, want, r.truth)
		for _, h := range w.hosts {
			if l, ok := h.runs[r.id]; ok && l.state.Seq == folded.Seq {
				w.same("fold = live", r, want, l.state)
			}
		}
		for n := range r.snaps {
			if n > 0 && n < len(r.snaps)-1 {
				continue // the oldest and the newest will do
			}
			s, err := r.restore(n, r.last())
			if err != nil {
				w.complain("fold = snapshot + tail", r.id, r.snaps[n].seq, "%v", err)
				return
			}
			w.same("fold = snapshot + tail", r, want, s)
		}
	}
}

// likeness is what two equal states have in common.
type likeness struct {
	snapshot []byte
	owed     string
}

// same compares a state, and its effects, with the fold of the log.
func (w *world) same(invariant string, r *record, want likeness, got *machine.State) {
	if s := mustSnapshot(got); string(s) != string(want.snapshot) {
		w.complain(invariant, r.id, r.last(), "%s", difference(want.snapshot, s))
		return
	}
	if owed := keys(got); owed != want.owed {
		w.complain(invariant, r.id, r.last(), "owed after a fold: %s; owed otherwise: %s", want.owed, owed)
	}
}

func keys(s *machine.State) string {
	out := ""
	for _, e := range s.Effects() {
		out += fmt.Sprintf("%T %s; ", e.Do, e.Key)
	}
	return out
}

// difference shows where two texts diverge.
func difference(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	cut := func(s []byte) string { return string(s[max(0, n-80):min(len(s), n+160)]) }
	return fmt.Sprintf("they differ at byte %d:\n  …%s…\n  …%s…", n, cut(a), cut(b))
}
