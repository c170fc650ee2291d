package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Payloads deletes payloads, the data that people and agents sent, from runs that have ended. The log keeps its
// events, without payloads (run.Strip); other data of the run in the store is deleted or stripped alike.
//
// It is done in three steps, so that the next process can continue if one is killed at any point: an order is stored,
// the run records it (run.Forget), and the payloads are deleted.
type Payloads interface {
	// OrderRemoval stores an order to delete a run's payloads. The first order stays: repeating it returns that one.
	// fault.NotFound, or fault.Conflict for a run that has not ended.
	OrderRemoval(ctx context.Context, r Removal) (Removal, error)
	// DropRemoval withdraws an order that was not carried out.
	DropRemoval(ctx context.Context, run string) error
	// RemovePayloads carries out an order. Repeating it is fine. During a backup it is fault.Conflict: the copy would
	// contain the deleted payloads.
	RemovePayloads(ctx context.Context, run string) error
	// OpenRemovals lists orders that have not been carried out, oldest first.
	OpenRemovals(ctx context.Context, limit int) ([]Removal, error)
	// Removable lists runs that ended before a time, without a running ancestor and without an order.
	Removable(ctx context.Context, ended time.Time, limit int) ([]string, error)
	// Relatives lists the sub-runs of a run, and the runs that began with a copy of its payloads: its forks and
	// retries.
	Relatives(ctx context.Context, run string) (subs, copies []string, err error)
}

// Removal is an order to delete a run's payloads.
type Removal struct {
	Run    string
	By     run.Actor
	Reason string
	At     time.Time
	Done   bool // carried out
}
