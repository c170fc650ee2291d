package storekit

import (
	"slices"

	"github.com/assent-run/assent/internal/port"
)

// CheckFiring validates a firing of a schedule.
func CheckFiring(f *port.Firing) error {
	var c checker
	c.id("schedule", f.Schedule)
	c.time("at", f.At)
	if f.At.IsZero() {
		c.add("at", "is missing")
	}
	if !slices.Contains(port.FiringOutcomes, f.Outcome) {
		c.add("outcome", "is not one of %q", port.FiringOutcomes)
	}
	c.word("run", f.Run)
	if f.Cause != "" && !word(f.Cause, ValueMax) {
		c.add("cause", "must be at most %d bytes of text without NUL", ValueMax)
	}
	return c.result("the firing of schedule " + shorten(f.Schedule))
}
