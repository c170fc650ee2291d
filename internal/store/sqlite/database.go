package sqlite

import (
	"context"
	"database/sql"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
)

// dialect contains the differences from the other store's SQL.
var dialect = aggregate.Dialect{
	True:  "1",
	Using: func(index string) string { return " INDEXED BY " + index },
	Among: among,
	// Exact: a float represents billionths of dollars up to millions.
	Cost: `sum(CAST(round(CAST(cost_usd AS REAL) * 1e9) AS INTEGER))`,

	Head: sqlHead, Generation: sqlGeneration, AuditEnd: sqlAuditEnd, AuditStrays: sqlStrays, Due: sqlDue, Busy: sqlBusy,
}

// database is the aggregate.DB of a store.
type database struct{ s *Store }

// Row implements aggregate.DB.
func (d database) Row(ctx context.Context, query string, args ...any) storekit.Row {
	return explained{d.s.one(ctx, query, args...)}
}

// explained is a row whose errors are explained.
type explained struct{ storekit.Row }

func (r explained) Scan(to ...any) error { return explain(r.Row.Scan(to...)) }

// Query implements aggregate.DB.
func (d database) Query(ctx context.Context, query string, args []any, each func(storekit.Row) error) error {
	q, err := d.s.prepared(ctx, query)
	if err != nil {
		return explain(err)
	}
	return explain(forEach(each)(q.QueryContext(ctx, args...)))
}

// Page implements aggregate.DB.
func (d database) Page(
	ctx context.Context, count, read storekit.Cond, each func(storekit.Row) error,
) (total int64, err error) {
	err = d.s.snapshotRead(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, count.SQL, count.Args...).Scan(&total); err != nil {
			return err
		}
		return forEach(each)(tx.QueryContext(ctx, steady(read.SQL), read.Args...))
	})
	return total, err
}

// Snapshot implements aggregate.DB.
func (d database) Snapshot(ctx context.Context, f func(storekit.Asker) error) error {
	return d.s.snapshotRead(ctx, func(tx *sql.Tx) error {
		return f(func(query string, args []any, each func(storekit.Row) error) error {
			return forEach(each)(tx.QueryContext(ctx, steady(query), args...))
		})
	})
}

// Exec implements aggregate.DB.
func (d database) Exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = d.s.writer.queue.Do(ctx, &job{do: func(t *tx) (err error) {
		n, err = t.execN(query, args...)
		return err
	}})
	return n, err
}

// Write implements aggregate.DB: a job like any other, committed with a group.
func (d database) Write(ctx context.Context, bytes int, f func(aggregate.Tx) error) error {
	return d.s.writer.queue.Do(ctx, &job{
		Job: commit.Job{Bytes: bytes}, do: func(t *tx) error { return f(transaction{t}) },
	})
}

// WriteAlone implements aggregate.DB. There is one writer, so it always is; replaced or deleted data does not
// stay in the file.
func (d database) WriteAlone(ctx context.Context, f func(aggregate.Tx) error) error {
	return d.Write(ctx, 0, func(tx aggregate.Tx) error {
		if err := tx.Exec(sqlErase); err != nil {
			return err
		}
		return f(tx)
	})
}

// transaction is the aggregate.Tx of a commit in progress.
type transaction struct{ t *tx }

// Query implements storekit.RewriteTx.
func (x transaction) Query(query string, args []any, each func(storekit.Row) error) error {
	s, err := x.t.stmt(query)
	if err != nil {
		return err
	}
	return forEach(each)(s.QueryContext(context.Background(), args...))
}

// Exec implements storekit.RewriteTx.
func (x transaction) Exec(query string, args ...any) error { return x.t.exec(query, args...) }

// Changed implements aggregate.Tx.
func (x transaction) Changed(query string, args ...any) (int64, error) {
	return x.t.execN(query, args...)
}

// Row implements aggregate.Tx.
func (x transaction) Row(query string, args ...any) storekit.Row {
	s, err := x.t.stmt(query)
	if err != nil {
		return noRow{err}
	}
	return s.QueryRowContext(context.Background(), args...)
}

// RowForUpdate implements aggregate.Tx: no other transaction writes.
func (x transaction) RowForUpdate(query string, args ...any) storekit.Row {
	return x.Row(query, args...)
}

// Lock implements aggregate.Tx: no other transaction writes.
func (x transaction) Lock(string) error { return nil }

// Audit implements aggregate.Tx. Entries are stored when the group commits.
func (x transaction) Audit(forms []*port.AuditForm) error {
	x.t.audit(forms)
	return nil
}

// NextGeneration implements aggregate.Tx.
func (x transaction) NextGeneration() error {
	x.t.generation++
	return x.t.exec(sqlNextGeneration)
}

// forEach reads all rows of a query.
func forEach(each func(storekit.Row) error) func(*sql.Rows, error) error {
	return func(rows *sql.Rows, err error) error {
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // Err reports it
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
