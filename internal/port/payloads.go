package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Payloads removes what people and agents sent from runs that have ended. The
// log keeps its events, without what was sent (run.Strip); what else the store
// holds about the run goes or is stripped alike.
//
// It is done in three steps, so that whatever is killed when, the next process
// goes on: an order is noted, the run is told (run.Forget), and what it held is
// removed.
type Payloads interface {
	// OrderRemoval notes that what a run holds is to be removed. The first order
	// stays: again returns it. fault.NotFound, or fault.Conflict for a run that
	// has not ended.
	OrderRemoval(ctx context.Context, r Removal) (Removal, error)
	// DropRemoval takes an order back that was not carried out.
	DropRemoval(ctx context.Context, run string) error
	// RemovePayloads carries an order out. Again is fine. While a backup is made
	// it is fault.Conflict: the copy would hold what is removed here.
	RemovePayloads(ctx context.Context, run string) error
	// OpenRemovals lists orders that are not carried out, oldest first.
	OpenRemovals(ctx context.Context, limit int) ([]Removal, error)
	// Removable lists runs that ended before a time, and nobody above them goes
	// on, for which there is no order.
	Removable(ctx context.Context, ended time.Time, limit int) ([]string, error)
	// Relatives lists the sub-runs of a run, and the runs that began with a copy
	// of what it holds: its forks and retries.
	Relatives(ctx context.Context, run string) (subs, copies []string, err error)
}

// Removal is an order to remove what a run holds.
type Removal struct {
	Run    string
	By     run.Actor
	Reason string
	At     time.Time
	Done   bool // nothing is left to do
}
