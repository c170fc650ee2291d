package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

const (
	// The expression is that of the indexes.
	sqlHits = `SELECT id FROM %s WHERE array_to_tsvector(string_to_array(ltrim(words), ' ')) @@ $1::tsquery LIMIT $2`

	sqlSetWordsMany = `UPDATE %s t SET words = u.words FROM unnest($1::text[], $2::text[]) AS u (id, words) WHERE t.id = u.id`
)

// index finds rows by their words. What words are is wire's, so no dictionary of
// the server and no rule of its parser takes part.
func (s *Store) index(ctx context.Context) wire.Index {
	return wire.Index{
		Hits: func(table string, words []string, most int) ([]string, error) {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = `'` + w + `':*` // a word is letters and digits
			}
			return list(ctx, s, func(r pgx.Row) (id string, err error) { return id, r.Scan(&id) },
				fmt.Sprintf(sqlHits, table), strings.Join(quoted, " & "), most)
		},
		Among: func(column string, ids []string) wire.Cond {
			return wire.Cond{SQL: column + " = ANY(?::text[])", Args: []any{ids}}
		},
	}
}

// foundRuns reads a page of runs that the index names, unless they are too many.
func (s *Store) foundRuns(ctx context.Context, p *wire.RunPlan) (page port.Page[port.RunRow], found bool, err error) {
	if p.Sight != nil && p.On() {
		if err := measure(ctx, s, p.Sight); err != nil {
			return page, false, fmt.Errorf("search runs: %w", err)
		}
	}
	few, found, err := p.Find(s.index(ctx), func(c wire.Cond) ([]wire.Spot, error) {
		q := numbered(c)
		return list(ctx, s, func(r pgx.Row) (s wire.Spot, err error) { return s, r.Scan(&s.At, &s.ID) }, q.sql, q.args...)
	})
	if err == nil && found {
		var ids []string
		ids, page.Next = p.Cut(few)
		page.Total = int64(len(few))
		page.Items, err = list(ctx, s, scanRun, sqlRunsIn, ids)
		wire.InOrder(page.Items)
	}
	if err == nil {
		err = wire.ShowAll(page.Items, s.vault.ShowRun)
	}
	if err != nil {
		return port.Page[port.RunRow]{}, false, fmt.Errorf("search runs: %w", err)
	}
	return page, found, nil
}

// fillWords gives rows from before the index their words.
func fillWords(ctx context.Context, tx pgx.Tx) error {
	return wire.FillWords(rewriteTx{ctx, tx}, func(table string, ids, words []string) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(sqlSetWordsMany, table), ids, words)
		return err
	})
}
