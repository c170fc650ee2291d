package sqlite

import (
	"context"
	"database/sql"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// measure tells a sight how often its reader is asked.
func measure(ctx context.Context, tx *sql.Tx, s *wire.Sight) error {
	size, ask := s.Size()
	if !ask {
		return nil
	}
	var n int
	if err := tx.QueryRowContext(ctx, size.SQL, size.Args...).Scan(&n); err != nil {
		return err
	}
	s.Often(n)
	return nil
}

// seenRuns reads a page of the runs that somebody sees.
func seenRuns(ctx context.Context, tx *sql.Tx, q *wire.RunPlan, page *port.Page[port.RunRow]) error {
	if err := measure(ctx, tx, q.Sight); err != nil {
		return err
	}
	r, err := wire.ReadRuns(q, func(c wire.Cond) ([]string, error) {
		return collect(func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) })(tx.QueryContext(ctx, c.SQL, c.Args...))
	})
	if err != nil {
		return err
	}
	count, some := r.Count()
	if !some {
		return nil
	}
	if err := tx.QueryRowContext(ctx, count.SQL, count.Args...).Scan(&page.Total); err != nil {
		return err
	}
	page.Total, page.AtLeast = min(page.Total, wire.CountMax), page.Total > wire.CountMax
	limit := q.Limit
	rows := r.Rows(runColumns, q.From, limit+1)
	if page.Items, err = collect(scanRuns)(tx.QueryContext(ctx, rows.SQL, rows.Args...)); err != nil {
		return err
	}
	cutRuns(page, limit)
	return nil
}
