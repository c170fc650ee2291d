package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Sums stores the totals of acts across all runs. It is part of the log's writes: see Write.Counted.
type Sums interface {
	// Tally adds up the acts of other runs, by operation.
	Tally(ctx context.Context, q run.Elsewhere) (Tallied, error)
	// ForgetCounted drops acts that began before a time, unless the run that they belong to, or its family's first,
	// has not ended: a bounded number per call. It returns how many.
	ForgetCounted(ctx context.Context, before time.Time) (int, error)
}

// Tallied is a total of acts.
type Tallied struct {
	Tallies []run.Tally // by operation
	Version int64       // changes whenever the total does
}

// SumRead is a sum as the host knew it when it decided.
type SumRead struct {
	run.Elsewhere
	Version int64
}
