package local

import (
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

// A snapshot is taken whenever a commit passes a multiple of snapshotEvery, which limits how many events have
// to be folded, and on request.
func TestSnapshotsAreTaken(t *testing.T) {
	commit := func(first, last int64, fact run.Fact) (out []run.Event) {
		for seq := first; seq <= last; seq++ {
			out = append(out, run.Event{Seq: seq, Fact: fact})
		}
		return out
	}
	for _, c := range []struct {
		first, last int64
		fact        run.Fact
		want        bool
	}{
		{1, 1, &run.RunResumed{}, false},
		{1, 199, &run.RunResumed{}, false},
		{190, 199, &run.RunResumed{}, false},
		{190, 200, &run.RunResumed{}, true},
		{200, 200, &run.RunResumed{}, true},
		{190, 410, &run.RunResumed{}, true},
		{201, 399, &run.RunResumed{}, false},
		{201, 400, &run.RunResumed{}, true},
		{3, 3, &run.SnapshotSaved{}, true},
	} {
		if got := wantsSnapshot(commit(c.first, c.last, c.fact)); got != c.want {
			t.Errorf("events %d to %d of %T: %v", c.first, c.last, c.fact, got)
		}
	}
}
