package view

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
)

// TestShortTimesOfLimits: what took less than a second is not reported as nothing.
func TestShortTimesOfLimits(t *testing.T) {
	for used, want := range map[time.Duration]string{
		0:                                     "0s",
		334*time.Millisecond + 1:              "334ms",
		80*time.Minute + 400*time.Microsecond: "1h20m0s",
	} {
		all := metersOf([]machine.Meter{{Limit: run.LimitDuration, Used: int64(used), Max: int64(4 * time.Hour)}})
		if len(all) != 1 || all[0].Used != want || all[0].Max != "4h0m0s" {
			t.Errorf("%v: %+v", used, all)
		}
	}
}
