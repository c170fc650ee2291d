package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// dialect contains the differences from the other store's SQL.
var dialect = aggregate.Dialect{
	True:  "true",
	Using: func(string) string { return "" }, // the server has statistics
	Among: among,
	Cost:  `CAST(sum(CAST(NULLIF(cost_usd, '') AS numeric) * 1000000000) AS bigint)`,

	Head: sqlHead, Generation: sqlGeneration, AuditEnd: sqlAuditEnd, AuditStrays: sqlStrays, Due: sqlDue, Busy: sqlBusy,
}

// numbered replaces question marks with the numbered placeholders of the server.
func numbered(query string) string {
	var b strings.Builder
	b.Grow(len(query) + 16)
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}

// database is the aggregate.DB of a store.
type database struct{ s *Store }

// Row implements aggregate.DB.
func (d database) Row(ctx context.Context, query string, args ...any) storekit.Row {
	return explained{d.s.pool.QueryRow(ctx, numbered(query), args...)}
}

// explained is a row whose errors are explained.
type explained struct{ storekit.Row }

func (r explained) Scan(to ...any) error { return explain(r.Row.Scan(to...)) }

// querier is a connection, a pool of them, or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// forEach runs a query with question marks and reads all its rows.
func forEach(ctx context.Context, q querier, query string, args []any, each func(storekit.Row) error) error {
	rows, err := q.Query(ctx, numbered(query), args...)
	if err != nil {
		return err
	}
	return eachRow(rows, each)
}

func eachRow(rows pgx.Rows, each func(storekit.Row) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Query implements aggregate.DB.
func (d database) Query(ctx context.Context, query string, args []any, each func(storekit.Row) error) error {
	return explain(forEach(ctx, d.s.pool, query, args, each))
}

// Page implements aggregate.DB, in one round trip.
func (d database) Page(
	ctx context.Context, count, read storekit.Cond, each func(storekit.Row) error,
) (total int64, err error) {
	b := &pgx.Batch{}
	b.Queue(numbered(count.SQL), count.Args...).QueryRow(func(r pgx.Row) error { return r.Scan(&total) })
	b.Queue(numbered(read.SQL), read.Args...).Query(func(rows pgx.Rows) error { return eachRow(rows, each) })
	err = d.s.pool.SendBatch(ctx, b).Close()
	return total, explain(err)
}

// Snapshot implements aggregate.DB.
func (d database) Snapshot(ctx context.Context, f func(storekit.Asker) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return explain(pgx.BeginTxFunc(ctx, d.s.pool, options, func(tx pgx.Tx) error {
		return f(func(query string, args []any, each func(storekit.Row) error) error {
			return forEach(ctx, tx, query, args, each)
		})
	}))
}

// Exec implements aggregate.DB.
func (d database) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := d.s.pool.Exec(ctx, numbered(query), args...)
	return tag.RowsAffected(), explain(err)
}

// Write implements aggregate.DB. It is retried if the server rolled it back because of a conflict.
func (d database) Write(ctx context.Context, _ int, f func(aggregate.Tx) error) error {
	return d.s.transact(ctx, func(tx pgx.Tx) error { return f(transaction{ctx, d.s, tx}) })
}

// WriteAlone implements aggregate.DB. The lock that every writer needs excludes all others, including other
// processes.
func (d database) WriteAlone(ctx context.Context, f func(aggregate.Tx) error) error {
	return d.s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := lockAudit(ctx, tx); err != nil {
			return err
		}
		return f(transaction{ctx, d.s, tx})
	})
}

// transact runs f in a transaction, and retries it if the server rolled it back because of a conflict. F must
// have no other effects.
func (s *Store) transact(ctx context.Context, f func(pgx.Tx) error) (err error) {
	for range 3 {
		err = pgx.BeginFunc(ctx, s.pool, f)
		if !again(err) {
			break
		}
	}
	return explain(err)
}

// transaction is an aggregate.Tx.
type transaction struct {
	ctx context.Context
	s   *Store
	tx  pgx.Tx
}

// Query implements storekit.RewriteTx.
func (x transaction) Query(query string, args []any, each func(storekit.Row) error) error {
	return forEach(x.ctx, x.tx, query, args, each)
}

// Exec implements storekit.RewriteTx.
func (x transaction) Exec(query string, args ...any) error {
	_, err := x.Changed(query, args...)
	return err
}

// Changed implements aggregate.Tx.
func (x transaction) Changed(query string, args ...any) (int64, error) {
	tag, err := x.tx.Exec(x.ctx, numbered(query), args...)
	return tag.RowsAffected(), err
}

// Row implements aggregate.Tx.
func (x transaction) Row(query string, args ...any) storekit.Row {
	return x.tx.QueryRow(x.ctx, numbered(query), args...)
}

// RowForUpdate implements aggregate.Tx.
func (x transaction) RowForUpdate(query string, args ...any) storekit.Row {
	return x.Row(query+` FOR UPDATE`, args...)
}

// Lock implements aggregate.Tx.
func (x transaction) Lock(name string) error {
	return x.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('assent ' || ?::text, 0))`, name)
}

// Audit implements aggregate.Tx.
func (x transaction) Audit(forms []*port.AuditForm) error {
	_, err := x.s.audit(x.ctx, x.tx, forms)
	return err
}

// NextGeneration implements aggregate.Tx.
func (x transaction) NextGeneration() error { return x.Exec(sqlNextGeneration) }
