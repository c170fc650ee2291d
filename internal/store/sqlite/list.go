package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/store/storekit"
)

// in returns a list of placeholders.
func in(n int) string { return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")" }

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// prepared caches a statement for reading: preparing a small query takes longer than executing it. It is
// closed with the connections.
func (s *Store) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if known, ok := s.often.Load(query); ok {
		return known.(*sql.Stmt), nil
	}
	stmt, err := s.read.PrepareContext(ctx, steady(query))
	if err != nil {
		return nil, err
	}
	if first, lost := s.often.LoadOrStore(query, stmt); lost {
		return first.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// steady keeps SQLite from preparing a statement again each time it is executed, which takes five times longer
// than executing a small one. It does that when its plan may depend on a bound value, as on the one of a limit,
// unless that is calculated.
func steady(query string) string { return strings.ReplaceAll(query, "LIMIT ?", "LIMIT ?+0") }

// one queries one row with a cached statement.
func (s *Store) one(ctx context.Context, query string, args ...any) storekit.Row {
	q, err := s.prepared(ctx, query)
	if err != nil {
		return noRow{err}
	}
	return q.QueryRowContext(ctx, args...)
}

// noRow is a row for a failed query.
type noRow struct{ err error }

func (r noRow) Scan(...any) error { return r.err }

// snapshotRead runs f on one state of the database, so that the parts of a page are consistent.
func (s *Store) snapshotRead(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	return explain(f(tx))
}

// count counts the rows of a query up to a limit.
func count(ctx context.Context, tx *sql.Tx, most int64, c storekit.Cond) (total int64, atLeast bool, err error) {
	query := fmt.Sprintf(`SELECT count(*) FROM (%s LIMIT %d)`, c.SQL, most+1)
	if err := tx.QueryRowContext(ctx, query, c.Args...).Scan(&total); err != nil {
		return 0, false, fmt.Errorf("count: %w", err)
	}
	return min(total, most), total > most, nil
}
