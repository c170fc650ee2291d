package local

import (
	"errors"
	"fmt"
	"sync"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
)

// ErrUnsound is wrapped by errors of runs that are not continued because their state breaks an invariant.
var ErrUnsound = errors.New("the state of the run breaks an invariant, so it is not continued")

// follows checks that events continue a log without a gap.
func follows(s *machine.State, events []run.Event) error {
	for k, ev := range events {
		if want := s.Seq + int64(k) + 1; ev.Seq != want || ev.Run != s.ID {
			return fmt.Errorf("event %d of run %s is stored as event %d of run %s", want, s.ID, ev.Seq, ev.Run)
		}
	}
	return nil
}

// unsound has the runs that are not continued, a bounded number of them.
type unsound struct {
	mu   sync.Mutex
	runs map[string]bool
}

const unsoundMax = 10_000

func (u *unsound) add(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		u.runs = map[string]bool{}
	}
	if len(u.runs) < unsoundMax {
		u.runs[id] = true
	}
}

// UnsoundRuns counts the runs that are not continued because their state breaks an invariant.
func (e *Engine) UnsoundRuns() int {
	e.unsound.mu.Lock()
	defer e.unsound.mu.Unlock()
	return len(e.unsound.runs)
}

// refuse reports a broken invariant. Nothing is stored, and no work starts: whatever the cause, continuing would
// make it worse. People can still read the run, and fork it from an earlier event.
func (e *Engine) refuse(id string, seq int64, why error) error {
	e.Log.Error("a run breaks an invariant and is not continued; please report this", "run", id, "seq", seq,
		"invariant", why)
	e.unsound.add(id)
	return fmt.Errorf("run %s at event %d: %w: %w", id, seq, ErrUnsound, why)
}
