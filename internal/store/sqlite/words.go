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

// New rows are indexed many at a time: a flush of an FTS5 table costs four pages, however little it indexes. Until
// then they are the tail of their table, and a search reads the words of each. Rows are never deleted, so new ones have
// the highest numbers.
const (
	sqlIndexTail = `INSERT INTO %[1]s_by_words (rowid, words) SELECT no, words FROM %[1]s
		WHERE no > (SELECT last FROM indexed WHERE rows = '%[1]s')`

	sqlNoteIndexed = `UPDATE indexed SET last = (SELECT max(no) FROM %[1]s) WHERE rows = '%[1]s'`

	sqlTail = `SELECT count(*) FROM %[1]s WHERE no > (SELECT last FROM indexed WHERE rows = '%[1]s')`

	// The tail comes second: there are few rows in it, and none of them is in the index.
	sqlHits = `SELECT id FROM (
		SELECT t.id FROM (SELECT rowid AS no FROM %[1]s_by_words WHERE %[1]s_by_words MATCH ? LIMIT ?) f
		CROSS JOIN %[1]s t ON t.no = f.no
		UNION ALL
		SELECT id FROM %[1]s WHERE no > (SELECT last FROM indexed WHERE rows = '%[1]s') AND %[2]s
		) LIMIT ?`
)

// tailMax is how many rows the tail of a table may have. The commit that reaches it indexes them.
const tailMax = 64

var worded = [...]string{"runs", "approvals"}

// tails are how many rows of each of the worded tables are not indexed.
type tails [len(worded)]int

func (w *writer) countTails() error {
	for i, table := range worded {
		row := w.conn.QueryRowContext(context.Background(), fmt.Sprintf(sqlTail, table))
		if err := row.Scan(&w.tails[i]); err != nil {
			return fmt.Errorf("count the rows of %s that are not indexed: %w", table, err)
		}
	}
	return nil
}

// indexTails indexes the tails that have become long. Triggers update indexed rows whose words change.
func (t *tx) indexTails() error {
	for i, table := range worded {
		if t.tails[i] < t.tailMax {
			continue
		}
		err := errors.Join(t.exec(fmt.Sprintf(sqlIndexTail, table)), t.exec(fmt.Sprintf(sqlNoteIndexed, table)))
		if err != nil {
			return fmt.Errorf("index the words of %s: %w", table, err)
		}
		t.tails[i] = 0
	}
	return nil
}

// index finds rows by their words, which storekit defines.
func index(ctx context.Context, tx *sql.Tx) storekit.Index {
	return storekit.Index{
		Hits: func(table string, words []string, most int) ([]string, error) {
			quoted, has := make([]string, len(words)), make([]string, len(words))
			args := []any{"", most}
			for i, w := range words {
				quoted[i] = `"` + w + `"*` // a word is letters and digits
				has[i] = "words LIKE ?"
				args = append(args, "% "+w+"%")
			}
			args[0] = strings.Join(quoted, " ")
			query := fmt.Sprintf(sqlHits, table, strings.Join(has, " AND "))
			return collect(aggregate.ScanText)(tx.QueryContext(ctx, steady(query), append(args, most)...))
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
