package assembly

import (
	"context"
	"log/slog"
	"time"
)

// sharedClock is a store that several machines use, and whose clock they share.
type sharedClock interface {
	Clock(ctx context.Context, local func() time.Time, skewed func(time.Duration)) (func() time.Time, error)
}

// clockOf is the clock for the runs of a store: the store's own, or the one of this machine.
func clockOf(ctx context.Context, store any, log *slog.Logger) (func() time.Time, error) {
	s, ok := store.(sharedClock)
	if !ok {
		return time.Now, nil
	}
	return s.Clock(ctx, time.Now, func(d time.Duration) {
		log.Warn("the clock of this machine and that of the database differ: runs use the database's. Synchronise them.",
			"database_ahead", d.Round(time.Millisecond).String())
	})
}
