package run

import (
	"time"

	"github.com/assent-run/assent/internal/core/policy"
)

// Acts that count in sums of the policy. What this run has begun is in its log;
// what others have begun, the host has to know.

// Counted is an act that has begun and counts in sums.
type Counted struct {
	Act       string         `json:"act" holds:"id"` // the key of the work: tries of it count once
	Operation string         `json:"operation" holds:"id"`
	At        time.Time      `json:"at,omitzero"` // when it began; events have a time of their own
	Counts    []policy.Count `json:"counts"`
}

// Elsewhere asks what acts of other runs add up to.
type Elsewhere struct {
	Run    string // this run, which does not count
	Sum    string
	Family string    // only runs that belong together: see Family
	Since  time.Time // or all runs, from then on
}

// Tally is what acts with one operation add up to.
type Tally struct {
	Operation string
	policy.Total
}
