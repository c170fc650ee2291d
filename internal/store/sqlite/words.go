package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// index finds rows by their words. The full-text tables are filled by triggers
// on the column words; what words are is wire's.
func index(ctx context.Context, tx *sql.Tx) wire.Index {
	return wire.Index{
		Hits: func(table string, words []string, most int) ([]string, error) {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = `"` + w + `"*` // a word is letters and digits
			}
			query := fmt.Sprintf(`SELECT t.id FROM (SELECT rowid AS no FROM %[1]s_by_words WHERE %[1]s_by_words MATCH ? LIMIT ?) f
				CROSS JOIN %[1]s t ON t.no = f.no`, table)
			return collect(func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })(
				tx.QueryContext(ctx, query, strings.Join(quoted, " "), most))
		},
		Among: func(column string, ids []string) wire.Cond {
			list, _ := json.Marshal(ids) // strings always can be
			return wire.Cond{SQL: column + " IN (SELECT value FROM json_each(?))", Args: []any{string(list)}}
		},
	}
}

// foundRuns reads a page of runs that the index names, unless they are too many.
func foundRuns(ctx context.Context, tx *sql.Tx, p *wire.RunPlan, page *port.Page[port.RunRow]) (found bool, err error) {
	if p.Sight != nil && p.On() {
		if err := measure(ctx, tx, p.Sight); err != nil {
			return false, err
		}
	}
	few, found, err := p.Find(index(ctx, tx), func(c wire.Cond) ([]wire.Spot, error) {
		return collect(func(r *sql.Rows) (s wire.Spot, err error) { return s, r.Scan(&s.At, &s.ID) })(tx.QueryContext(ctx, c.SQL, c.Args...))
	})
	if err != nil || !found {
		return found, err
	}
	ids, next := p.Cut(few)
	page.Total, page.Next = int64(len(few)), next
	if len(ids) == 0 {
		return true, nil
	}
	page.Items, err = collect(scanRuns)(tx.QueryContext(ctx, sqlRunsIn+in(len(ids)), anys(ids)...))
	wire.InOrder(page.Items)
	return true, err
}

// fillWords gives rows from before the index their words.
func fillWords(ctx context.Context, tx *sql.Tx) error {
	return wire.FillWords(migrating{ctx, tx}, func(table string, ids, words []string) error {
		set, err := tx.PrepareContext(ctx, `UPDATE `+table+` SET words = ? WHERE id = ?`)
		if err != nil {
			return err
		}
		defer set.Close() //nolint:errcheck // the transaction tells
		for i, id := range ids {
			if _, err := set.ExecContext(ctx, words[i], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// migrating is the transaction of a migration.
type migrating struct {
	ctx context.Context
	tx  *sql.Tx
}

// Query implements wire.RewriteTx.
func (m migrating) Query(query string, args []any, each func(wire.Row) error) error {
	_, err := collect(func(rows *sql.Rows) (struct{}, error) { return struct{}{}, each(rows) })(m.tx.QueryContext(m.ctx, query, args...))
	return err
}

// Exec implements wire.RewriteTx.
func (m migrating) Exec(query string, args ...any) error {
	_, err := m.tx.ExecContext(m.ctx, query, args...)
	return err
}
