package machine

import (
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

func TestStepsDone(t *testing.T) {
	steps := []*Step{{Status: run.DoneStep}, {Status: run.FailedStep}, {Status: run.SkippedStep},
		{Status: run.CancelledStep}}
	for _, c := range []struct {
		status    run.Status
		unsettled int
		want      int
	}{
		{run.Running, 1, 3}, {run.Waiting, 4, 0}, {run.Completed, 0, 4}, // a failed step need not stop a run
		{run.Failed, 0, 2}, {run.Cancelled, 0, 2}, {run.LimitReached, 0, 2},
	} {
		if got := (&State{Status: c.status, Steps: steps, Unsettled: c.unsettled}).StepsDone(); got != c.want {
			t.Errorf("%s with %d to come: %d done, not %d", c.status, c.unsettled, got, c.want)
		}
	}
}
