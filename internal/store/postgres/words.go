package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const (
	// The expression must match that of the indexes.
	sqlHits = `SELECT id FROM %s WHERE array_to_tsvector(string_to_array(ltrim(words), ' ')) @@ ?::tsquery LIMIT ?`

	sqlSetWordsMany = `UPDATE %s t SET words = u.words FROM unnest($1::text[], $2::text[]) AS u (id, words)
		WHERE t.id = u.id`
)

// index finds rows by their words. storekit defines the words, so the server's dictionaries and parser rules
// do not apply.
func (s *Store) index(ctx context.Context) storekit.Index {
	return storekit.Index{
		Hits: func(table string, words []string, most int) ([]string, error) {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = `'` + w + `':*` // a word is letters and digits
			}
			query := strings.Join(quoted, " & ")
			return s.texts(ctx)(storekit.Cond{SQL: fmt.Sprintf(sqlHits, table), Args: []any{query, most}})
		},
		Among: among,
	}
}

// among matches rows with one of the values, passed as one argument.
func among(column string, values []string) storekit.Cond {
	return storekit.Cond{SQL: column + " = ANY(?::text[])", Args: []any{values}}
}

// fillWords fills in the words of rows from before the index.
func fillWords(ctx context.Context, tx pgx.Tx) error {
	return storekit.FillWords(transaction{ctx: ctx, tx: tx}, func(table string, ids, words []string) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(sqlSetWordsMany, table), ids, words)
		return err
	})
}
