package run

import (
	"time"

	"github.com/assent-run/assent/internal/core/policy"
)

// Acts that count in sums of the policy. Acts begun by this run are in its log; those of other runs must come
// from the host.

// Counted is an act that has begun and counts in sums.
type Counted struct {
	Act       string         `json:"act" holds:"id"` // the key of the work: its attempts count once
	Operation string         `json:"operation" holds:"id"`
	At        time.Time      `json:"at,omitzero"` // when it began; events have their own time
	Counts    []policy.Count `json:"counts"`
}

// Elsewhere asks for the total over acts of other runs.
type Elsewhere struct {
	Run    string // this run, which is excluded
	Sum    string
	Family string    // only related runs: see Family
	Since  time.Time // or all runs since then
}

// Tally is the total over acts with one operation.
type Tally struct {
	Operation string
	policy.Total
}
