package decide_test

import (
	"math/rand/v2"
	"testing"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
)

// TestStripFolds: a stripped log folds to the same history.
func TestStripFolds(t *testing.T) {
	walks := uint64(600)
	if testing.Short() {
		walks = 100
	}
	for seed := range walks {
		r := rand.New(rand.NewPCG(seed, 7))
		w := newWalk(t, r.IntN)
		for range 20 + r.IntN(100) {
			w.step()
		}
		log := make([]run.Event, len(w.log))
		for i, e := range w.log {
			e.Fact = run.Strip(e.Fact)
			log[i] = e
		}
		if len(log) == 0 {
			continue
		}
		s := machine.Fold("run_w", w.plan, log)
		if s.Status != w.s.Status || s.Seq != w.s.Seq || len(s.Steps) != len(w.s.Steps) ||
			len(s.Approvals) != len(w.s.Approvals) || !s.EndedAt.Equal(w.s.EndedAt) {
			t.Fatalf("seed %d: %s at %d with %d steps and %d approvals, not %s at %d with %d and %d", seed,
				s.Status, s.Seq, len(s.Steps), len(s.Approvals), w.s.Status, w.s.Seq, len(w.s.Steps), len(w.s.Approvals))
		}
		for i, st := range s.Steps {
			if st.Status != w.s.Steps[i].Status {
				t.Fatalf("seed %d: step %d is %s, not %s", seed, i, st.Status, w.s.Steps[i].Status)
			}
			id := s.Plan().Nodes[i].Step.ID
			_ = s.InputFor(id, -1)
			_ = s.InputFor(id, 3)
		}
		for i, a := range s.Approvals {
			if was := w.s.Approvals[i]; a.Status != was.Status || a.ID != was.ID || len(a.Decisions) != len(was.Decisions) {
				t.Fatalf("seed %d: approval %d differs", seed, i)
			}
		}
		_ = s.Merged()
	}
}
