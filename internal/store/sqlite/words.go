package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// sqlIndexAdded and sqlNoteIndexed are for runs and for approvals. Rows are never deleted, so new ones have
// the highest numbers.
const (
	sqlIndexAdded = `INSERT INTO %[1]s_by_words (rowid, words) SELECT no, words FROM %[1]s
		WHERE no > (SELECT last FROM indexed WHERE rows = '%[1]s')`

	sqlNoteIndexed = `UPDATE indexed SET last = (SELECT max(no) FROM %[1]s) WHERE rows = '%[1]s'`
)

// indexAdded adds the words of the commit's new rows to the full-text tables, all at once. Triggers update
// them when the words of a row change later.
func (t *tx) indexAdded() error {
	for _, table := range []string{"runs", "approvals"} {
		if !t.added[table] {
			continue
		}
		err := errors.Join(t.exec(fmt.Sprintf(sqlIndexAdded, table)), t.exec(fmt.Sprintf(sqlNoteIndexed, table)))
		if err != nil {
			return fmt.Errorf("index the words of %s: %w", table, err)
		}
	}
	return nil
}

// index finds rows by their words, which storekit defines.
func index(ctx context.Context, tx *sql.Tx) storekit.Index {
	return storekit.Index{
		Hits: func(table string, words []string, most int) ([]string, error) {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = `"` + w + `"*` // a word is letters and digits
			}
			query := fmt.Sprintf(`SELECT t.id FROM (SELECT rowid AS no FROM %[1]s_by_words WHERE %[1]s_by_words MATCH ?
				LIMIT ?) f
				CROSS JOIN %[1]s t ON t.no = f.no`, table)
			return collect(aggregate.ScanText)(
				tx.QueryContext(ctx, steady(query), strings.Join(quoted, " "), most))
		},
		Among: among,
	}
}

// among matches rows with one of the values, passed as one argument.
func among(column string, values []string) storekit.Cond {
	list, _ := json.Marshal(values) // strings can always be encoded
	return storekit.Cond{SQL: column + " IN (SELECT value FROM json_each(?))", Args: []any{string(list)}}
}

// fillWords fills in the words of rows from before the index.
func fillWords(ctx context.Context, tx *sql.Tx) error {
	return storekit.FillWords(migrating{ctx, tx}, func(table string, ids, words []string) error {
		set, err := tx.PrepareContext(ctx, `UPDATE `+table+` SET words = ? WHERE id = ?`)
		if err != nil {
			return err
		}
		defer set.Close() //nolint:errcheck // the transaction reports it
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

// Query implements storekit.RewriteTx.
func (m migrating) Query(query string, args []any, each func(storekit.Row) error) error {
	return forEach(each)(m.tx.QueryContext(m.ctx, steady(query), args...))
}

// Exec implements storekit.RewriteTx.
func (m migrating) Exec(query string, args ...any) error {
	_, err := m.tx.ExecContext(m.ctx, query, args...)
	return err
}
