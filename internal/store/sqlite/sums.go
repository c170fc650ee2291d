package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// Tally implements port.Sums.
func (s *Store) Tally(ctx context.Context, q run.Elsewhere) (port.Tallied, error) {
	query, args := sqlTallySince, []any{q.Sum, wire.SinceOf(q.Since), q.Run}
	if q.Family != "" {
		query, args = sqlTallyFamily, []any{q.Family, q.Sum, q.Run}
	}
	rows, err := collect(func(r *sql.Rows) (t wire.TallyRow, err error) { return t, r.Scan(t.Fields()...) })(s.read.QueryContext(ctx, query, args...))
	if err != nil {
		return port.Tallied{}, fmt.Errorf("add up what runs have done: %w", explain(err))
	}
	return wire.Tallied(rows), nil
}

// ForgetCounted implements port.Sums.
func (s *Store) ForgetCounted(ctx context.Context, before time.Time) (int, error) {
	var n int64
	err := s.writer.queue.Do(ctx, &job{do: func(t *tx) (err error) {
		n, err = t.execN(sqlForgetCounted, wire.Nanos(before), wire.ForgetMax)
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("forget what runs have done: %w", err)
	}
	return int(n), nil
}

// checkSums refuses a write that was decided by sums that are others by now.
func (e *entry) checkSums(t *tx) error {
	for _, r := range e.Sums {
		query, args := sqlNewestSince, []any{r.Sum, wire.SinceOf(r.Since), r.Run}
		if r.Family != "" {
			query, args = sqlNewestFamily, []any{r.Family, r.Sum, r.Run}
		}
		var newest int64
		if _, err := t.queryRow(query, args, &newest); err != nil {
			return fmt.Errorf("look at a sum: %w", err)
		}
		if newest != r.Version {
			return wire.Recounted(r)
		}
	}
	return nil
}

// storeCounted keeps what the acts of a write add to sums.
func (e *entry) storeCounted(t *tx) error {
	for _, act := range wire.Replaced(&e.Write) {
		if err := t.exec(sqlUncount, act, e.Run); err != nil {
			return fmt.Errorf("count an act: %w", err)
		}
	}
	for _, r := range wire.CountedRows(&e.Write) {
		if err := t.exec(sqlCount, r.Act, r.Sum, r.Run, r.Family, r.Operation, r.At, r.Known, r.Giga, r.Unit, r.Nano); err != nil {
			return fmt.Errorf("count an act: %w", err)
		}
	}
	return nil
}
