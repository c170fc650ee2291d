package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
)

// Counts sums up the read tables.
type Counts interface {
	// Figures counts what happened in a span of time.
	Figures(ctx context.Context, q FigureQuery) (Figures, error)
}

// FigureQuery selects what is counted: approvals by when they were settled, runs
// by when they started, failures by when they happened. Days are those of UTC.
type FigureQuery struct {
	Since, Until time.Time // Until is not part of it
	Workflow     string
	People       []string // statuses of approvals that people gave; Median and Slow are about these
	Scope        *Scope   // who reads; nil: everything
}

// Figures are what happened.
type Figures struct {
	Settled   []Tally       // per day and status of approvals; Seconds is how long they waited in all
	ByAgent   []Tally       // approvals per agent and status
	Median    time.Duration // half of what people decided was decided within this
	Slow      time.Duration // nine tenths
	Waits     []WaitTally   // what people decided, by how long it waited
	Runs      []Tally       // per day and status
	ByFlow    []Tally       // runs per workflow and status
	Failures  []Tally       // of steps, per agent
	FailKinds []Tally       // of steps, per code
	Rehearsed []Tally       // pending approvals of test runs, per risk; nothing else here counts test runs
}

// Tally counts things that have Key and Status in common.
type Tally struct {
	Day     time.Time // zero where it is not by day
	Key     string    // agent, workflow or code
	Status  string
	Count   int64
	Seconds float64
	CostUSD quantity.Money
}

// WaitTally counts what waited less than Under, and not less than the one before.
type WaitTally struct {
	Under time.Duration // 0: any longer
	Count int64
}
