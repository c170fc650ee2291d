package postgres

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// numbered is a query in this dialect, whose placeholders have numbers.
func numbered(c wire.Cond) query {
	w := &where{}
	w.add(c.SQL, c.Args...)
	return query{w.String(), w.args}
}

// measure tells a sight how often its reader is asked.
func measure(ctx context.Context, s *Store, sight *wire.Sight) error {
	size, ask := sight.Size()
	if !ask {
		return nil
	}
	var n int
	q := numbered(size)
	if err := s.pool.QueryRow(ctx, q.sql, q.args...).Scan(&n); err != nil {
		return explain(err)
	}
	sight.Often(n)
	return nil
}

// seenRuns reads a page of the runs that somebody sees; an empty query is
// nothing at all.
func seenRuns(ctx context.Context, s *Store, q *wire.RunPlan, limit int) (t tally, read query, err error) {
	if err := measure(ctx, s, q.Sight); err != nil {
		return t, read, fmt.Errorf("list runs: %w", err)
	}
	r, err := wire.ReadRuns(q, func(c wire.Cond) ([]string, error) {
		names := numbered(c)
		return list(ctx, s, func(row pgx.Row) (name string, err error) { return name, row.Scan(&name) }, names.sql, names.args...)
	})
	if err != nil {
		return t, read, fmt.Errorf("list runs: %w", err)
	}
	count, some := r.Count()
	if !some {
		return t, read, nil
	}
	return tally{numbered(count), wire.CountMax, `SELECT false`}, numbered(r.Rows(runColumns, q.From, limit)), nil
}
