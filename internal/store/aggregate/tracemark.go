package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
)

// The mark of traces is in the table of the outbox's: both say how far the feed was read.
const (
	sqlTraceMark    = `SELECT feed FROM outbox WHERE id = 2`
	sqlPutTraceMark = `INSERT INTO outbox (id, feed) VALUES (2, ?) ON CONFLICT (id) DO UPDATE SET feed = excluded.feed`
)

// TraceMark implements port.TraceMarks.
func (a *Aggregates) TraceMark(ctx context.Context) (feed int64, set bool, err error) {
	err = a.db.Row(ctx, sqlTraceMark).Scan(&feed)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the position of traces: %w", err)
	}
	return feed, true, nil
}

// MoveTraceMark implements port.TraceMarks.
func (a *Aggregates) MoveTraceMark(ctx context.Context, from, to int64) error {
	if from < 0 || to < from {
		return fault.New(fault.Invalid, "the position of traces only moves forward", "")
	}
	err := a.db.Write(ctx, 1, func(tx Tx) error {
		if err := tx.Lock(traceLock); err != nil {
			return err
		}
		var mark int64
		if err := tx.Row(sqlTraceMark).Scan(&mark); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if mark != from {
			return fault.New(fault.Conflict, "another process has moved the position of traces", "")
		}
		return tx.Exec(sqlPutTraceMark, to)
	})
	if err != nil {
		return fmt.Errorf("move the position of traces: %w", err)
	}
	return nil
}

// traceLock keeps processes from moving the mark at the same time.
const traceLock = "traces"
