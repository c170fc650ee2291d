package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	sqlPutFiring = `INSERT INTO firings (schedule, at, outcome, run, cause) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (schedule) DO UPDATE SET at = excluded.at, outcome = excluded.outcome, run = excluded.run,
		cause = excluded.cause WHERE firings.at <= excluded.at`
	sqlFirings = `SELECT schedule, at, outcome, run, cause FROM firings ORDER BY schedule`
)

// PutFiring implements port.Firings.
func (a *Aggregates) PutFiring(ctx context.Context, f port.Firing) error {
	if err := storekit.CheckFiring(&f); err != nil {
		return err
	}
	_, err := a.db.Exec(ctx, sqlPutFiring, f.Schedule, storekit.Nanos(f.At), string(f.Outcome), f.Run, f.Cause)
	if err != nil {
		return fmt.Errorf("store a firing of schedule %s: %w", f.Schedule, err)
	}
	return nil
}

// Firings implements port.Firings.
func (a *Aggregates) Firings(ctx context.Context) ([]port.Firing, error) {
	found, err := list(ctx, a, scanFiring, sqlFirings)
	if err != nil {
		return nil, fmt.Errorf("read the firings of schedules: %w", err)
	}
	return found, nil
}

func scanFiring(row storekit.Row) (f port.Firing, err error) {
	var at int64
	err = row.Scan(&f.Schedule, &at, &f.Outcome, &f.Run, &f.Cause)
	f.At = storekit.Time(at)
	return f, err
}
