package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Sums keeps what acts of all runs add up to. It is part of the log's writes: see
// Write.Counted.
type Sums interface {
	// Tally adds up what acts of other runs come to, by operation.
	Tally(ctx context.Context, q run.Elsewhere) (Tallied, error)
	// ForgetCounted drops acts that began before a time, unless the run that they
	// belong to, or its family's first, has not ended: a bounded number per call. It
	// says how many.
	ForgetCounted(ctx context.Context, before time.Time) (int, error)
}

// Tallied is what acts come to.
type Tallied struct {
	Tallies []run.Tally // by operation
	Version int64       // changes whenever the answer does
}

// SumRead is a sum as the host knew it when it decided.
type SumRead struct {
	run.Elsewhere
	Version int64
}
