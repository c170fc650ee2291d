package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// tally counts rows up to a limit. Without a query there is nothing to count.
type tally struct {
	storekit.Cond
	most int64
	cut  storekit.Cond // whether there were more rows than were read; optional
}

func counted(most int64, from storekit.Cond) tally {
	from.SQL = fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) n`, from.SQL, most+1)
	return tally{Cond: from, most: most}
}

// query returns the number of rows, and whether there may be more. It looks for rows that were not read only if that
// decides.
func (t tally) query() storekit.Cond {
	more := storekit.Cond{SQL: "false"}
	if t.cut.SQL != "" {
		more = t.cut
	}
	return storekit.Cond{
		SQL: fmt.Sprintf(`SELECT n, CASE WHEN n > %d THEN true ELSE (%s) END FROM (%s) AS found (n)`, t.most, more.SQL,
			t.SQL),
		Args: slices.Concat(more.Args, t.Args),
	}
}

// sqlByIndex makes the server read index ranges in their order, until the end of the transaction. It would rather
// collect all rows of a long range and sort or hash them than stop after a page, above all while its statistics lag
// behind.
const sqlByIndex = `SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan',
	'enable_hashjoin', 'enable_mergejoin', 'enable_sort']) AS name`

// page counts and reads a page in one round trip. Read returns one row more than a page has. ByIndex is for pages that
// consist of the beginnings of index ranges.
func page[T any](
	ctx context.Context, s *Store, byIndex bool, count tally, read storekit.Cond, scan func(storekit.Row) (T, error),
) (items []T, total int64, atLeast bool, err error) {
	b := &pgx.Batch{}
	if byIndex {
		b.Queue(`BEGIN READ ONLY`)
		b.Queue(sqlByIndex)
	}
	if count.SQL != "" {
		c := count.query()
		b.Queue(numbered(c.SQL), c.Args...).QueryRow(func(r pgx.Row) error { return r.Scan(&total, &atLeast) })
	}
	b.Queue(numbered(read.SQL), read.Args...).Query(func(rows pgx.Rows) error {
		return eachRow(rows, func(r storekit.Row) error {
			v, err := scan(r)
			items = append(items, v)
			return err
		})
	})
	if byIndex {
		b.Queue(`COMMIT`)
	}
	if err := s.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, 0, false, explain(err)
	}
	return items, min(total, count.most), atLeast, nil
}

// list runs a query and reads all its rows.
func list[T any](
	ctx context.Context, q querier, scan func(storekit.Row) (T, error), c storekit.Cond,
) (out []T, err error) {
	err = forEach(ctx, q, c.SQL, c.Args, func(r storekit.Row) error {
		v, err := scan(r)
		out = append(out, v)
		return err
	})
	return out, explain(err)
}

// texts reads one column of text.
func (s *Store) texts(ctx context.Context) func(storekit.Cond) ([]string, error) {
	return func(c storekit.Cond) ([]string, error) { return list(ctx, s.pool, aggregate.ScanText, c) }
}

// number reads a number.
func (s *Store) number(ctx context.Context) func(storekit.Cond) (int, error) {
	return func(c storekit.Cond) (n int, err error) {
		err = database{s}.Row(ctx, c.SQL, c.Args...).Scan(&n)
		return n, err
	}
}
