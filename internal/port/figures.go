package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
)

// Counts aggregates the read tables.
type Counts interface {
	// Figures counts the events of a period.
	Figures(ctx context.Context, q FigureQuery) (Figures, error)
	// Backlog counts what has not ended. Test runs count as well. It reads everything that is open, so it takes long if
	// that is much.
	Backlog(ctx context.Context) (Backlog, error)
}

// Backlog counts the runs that have not ended and the approvals that are pending.
type Backlog struct {
	Runs      []OpenRuns      // by workflow and status, sorted
	Approvals []OpenApprovals // by workflow, role and risk, sorted
	Oldest    time.Time       // when the oldest pending approval was requested; zero: there is none
}

// OpenRuns counts runs.
type OpenRuns struct {
	Workflow, Status string
	Count            int64
}

// OpenApprovals counts approvals that ask a role; one that asks several counts for each. Role is empty for those that
// ask people by name, or anyone.
type OpenApprovals struct {
	Workflow, Role, Risk string
	Count                int64
}

// FigureQuery selects the rows to count: approvals by when they were settled, runs by when they started, failures by
// when they happened. Days are in UTC.
type FigureQuery struct {
	Since, Until time.Time // Until is exclusive
	Workflow     string
	People       []string // statuses of approvals set by people; Median and Slow cover these
	Scope        *Scope   // of the reader; nil: everything
}

// Figures are the counts of a period.
type Figures struct {
	Settled   []Tally       // per day and status of approvals; Seconds is how long they waited in total
	ByAgent   []Tally       // approvals per agent and status
	Median    time.Duration // median time of people's decisions
	Slow      time.Duration // 90th percentile
	Waits     []WaitTally   // people's decisions, by how long they waited
	Runs      []Tally       // per day and status
	ByFlow    []Tally       // runs per workflow and status
	Failures  []Tally       // of steps, per agent
	FailKinds []Tally       // of steps, per code
	Rehearsed []Tally       // pending approvals of test runs, per risk; test runs count nowhere else here
}

// Tally counts rows with the same Key and Status.
type Tally struct {
	Day     time.Time // zero if not by day
	Key     string    // agent, workflow or code
	Status  string
	Count   int64
	Seconds float64
	CostUSD quantity.Money
}

// WaitTally counts waits shorter than Under, and not shorter than that of the previous one.
type WaitTally struct {
	Under time.Duration // 0: any longer
	Count int64
}
