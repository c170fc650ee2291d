package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// where collects conditions and their arguments. A question mark in a
// condition becomes the number of its argument.
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	for _, a := range args {
		cond = strings.Replace(cond, "?", w.arg(a), 1)
	}
	w.conds = append(w.conds, cond)
}

// arg adds an argument and returns its number.
func (w *where) arg(a any) string {
	w.args = append(w.args, a)
	return fmt.Sprintf("$%d", len(w.args))
}

// eq adds a condition unless the value is empty.
func (w *where) eq(column, value string) {
	if value != "" {
		w.add(column+" = ?", wire.Text(value))
	}
}

func (w *where) clone() *where {
	return &where{conds: w.conds[:len(w.conds):len(w.conds)], args: w.args[:len(w.args):len(w.args)]}
}

func (w *where) String() string {
	if len(w.conds) == 0 {
		return "true"
	}
	return strings.Join(w.conds, " AND ")
}

// query is a statement with its arguments.
type query struct {
	sql  string
	args []any
}

// tally counts rows up to a bound.
type tally struct {
	query
	most int64
	cut  string // a query that says whether there was more than was looked at; it may use the same arguments
}

func counted(most int64, from string, args []any) tally {
	return tally{query{fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) n`, from, most+1), args}, most, `SELECT false`}
}

// page counts and reads a page in one round trip. Read asks for one row more
// than a page has.
func page[T any](ctx context.Context, s *Store, count tally, read query, scan func(pgx.Row) (T, error)) (items []T, total int64, atLeast bool, err error) {
	b := &pgx.Batch{}
	b.Queue(`SELECT (`+count.sql+`), (`+count.cut+`)`, count.args...).QueryRow(func(r pgx.Row) error { return r.Scan(&total, &atLeast) })
	b.Queue(read.sql, read.args...).Query(func(rows pgx.Rows) (err error) {
		items, err = collect(rows, scan)
		return err
	})
	if err := s.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, 0, false, explain(err)
	}
	return items, min(total, count.most), atLeast || total > count.most, nil
}

// collect reads all rows.
func collect[T any](rows pgx.Rows, scan func(pgx.Row) (T, error)) (out []T, err error) {
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// list runs a query and reads all its rows.
func list[T any](ctx context.Context, s *Store, scan func(pgx.Row) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, explain(err)
	}
	out, err := collect(rows, scan)
	return out, explain(err)
}
