package port

import (
	"context"
	"time"
)

// Firings stores which time of each schedule was handled last.
type Firings interface {
	// PutFiring replaces the firing of the same schedule, unless that is one of a later time.
	PutFiring(ctx context.Context, f Firing) error
	// Firings lists all, by schedule.
	Firings(ctx context.Context) ([]Firing, error)
}

// Firing is a time of a schedule, and what was done about it.
type Firing struct {
	Schedule string
	At       time.Time // of the schedule
	Outcome  FiringOutcome
	Run      string // the run that was started
	Cause    string // why none was
}

// FiringOutcome is what was done at a time of a schedule.
type FiringOutcome string

const (
	FiringStarted FiringOutcome = "started" // a run began
	FiringSkipped FiringOutcome = "skipped" // the previous run had not ended
	FiringMissed  FiringOutcome = "missed"  // the time had passed too long ago
	FiringFailed  FiringOutcome = "failed"  // the run was refused
)

// FiringOutcomes lists them all.
var FiringOutcomes = []FiringOutcome{FiringStarted, FiringSkipped, FiringMissed, FiringFailed}
