package postgres

import (
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

var (
	inserted = regexp.MustCompile(`SELECT \* FROM unnest\(([^)]*)\)`)
	joined   = regexp.MustCompile(`unnest\(([^)]*)\)`)
)

// single are statements for one row, by those for many. The server makes a table of each array, which takes longer than
// storing a row, and on a quiet server most groups write one row to each table.
var single = forOne(sqlInsertRunMany, sqlUpdateRunMany, sqlSetDueMany, sqlInsertBatchMany, sqlInsertWorkMany,
	sqlInsertAuditMany, sqlPutApprovalMany, sqlAddShareMany, sqlFileMany, sqlUnfileMany)

func forOne(statements ...string) map[string]string {
	single := map[string]string{}
	for _, many := range statements {
		single[many] = forOneRow(many)
	}
	return single
}

// forOneRow takes values where the statement takes arrays of them.
func forOneRow(many string) string {
	one := inserted.ReplaceAllString(many, `VALUES ($1)`)
	one = joined.ReplaceAllString(one, `(VALUES ($1))`)
	return strings.ReplaceAll(one, `[]`, ``)
}

// queueRows queues a statement that takes an array for each column of its rows.
func queueRows(b *pgx.Batch, many string, columns ...any) {
	one, ok := single[many]
	if !ok || !alone(columns) {
		b.Queue(many, columns...)
		return
	}
	for i, c := range columns {
		switch c := c.(type) {
		case []string:
			columns[i] = c[0]
		case []int64:
			columns[i] = c[0]
		case []bool:
			columns[i] = c[0]
		case [][]byte:
			columns[i] = c[0]
		}
	}
	b.Queue(one, columns...)
}

// alone reports whether columns are those of a single row.
func alone(columns []any) bool {
	for _, c := range columns {
		switch c := c.(type) {
		case []string:
			if len(c) != 1 {
				return false
			}
		case []int64:
			if len(c) != 1 {
				return false
			}
		case []bool:
			if len(c) != 1 {
				return false
			}
		case [][]byte:
			if len(c) != 1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}
