package engine

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
)

const day = 24 * time.Hour

// urgentBy is the time by which an approval should be decided. It does not depend on the clock, so that a
// store can keep the inbox sorted by it:
//
//	the deadline, or when it was requested, + the slack of its risk − the head start of its timeout
//
// docs/decisions/0025 explains why; migration 00018 of the stores does the same.
func urgentBy(a *gate.Approval) time.Time {
	if a.Terms.Deadline.IsZero() {
		return a.OpenedAt.Add(slack(a.Risk.Level))
	}
	return a.Terms.Deadline.Add(slack(a.Risk.Level) - headStart(a.Terms.Then))
}

// slack is how long a decision can wait without harm, by risk.
func slack(l risk.Level) time.Duration {
	switch l {
	case risk.Critical:
		return 0
	case risk.High:
		return day
	case risk.Low:
		return 7 * day
	default: // medium, and unknown
		return 3 * day
	}
}

// headStart is how long before its deadline an approval becomes urgent, by the effect of the timeout.
func headStart(then gate.Then) time.Duration {
	switch then {
	case gate.ThenApprove, gate.ThenDefault: // executed without a person
		return 14 * day
	case gate.ThenReject, gate.ThenCancel: // work ends
		return 7 * day
	default: // the approval stays open
		return 2 * day
	}
}
