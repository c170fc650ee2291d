package run

import "testing"

func TestStepsDone(t *testing.T) {
	steps := []*Step{{Status: DoneStep}, {Status: FailedStep}, {Status: SkippedStep}, {Status: CancelledStep}}
	for _, c := range []struct {
		status    Status
		unsettled int
		want      int
	}{
		{Running, 1, 3}, {Waiting, 4, 0}, {Completed, 0, 4}, // a step that failed does not have to stop a run
		{Failed, 0, 2}, {Cancelled, 0, 2}, {LimitReached, 0, 2},
	} {
		if got := (&State{Status: c.status, Steps: steps, Unsettled: c.unsettled}).StepsDone(); got != c.want {
			t.Errorf("%s with %d to come: %d done, not %d", c.status, c.unsettled, got, c.want)
		}
	}
}
