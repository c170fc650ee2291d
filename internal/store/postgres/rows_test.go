package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestOneRowTakesNoArrays: a single row is stored without arrays, several with them.
func TestOneRowTakesNoArrays(t *testing.T) {
	for many, one := range single {
		if strings.Contains(one, "unnest") || strings.Contains(one, "[]") || !strings.Contains(one, "VALUES ($1::") {
			t.Errorf("%s\nbecame\n%s", many, one)
		}
	}
	b := &pgx.Batch{}
	queueRows(b, sqlSetDueMany, []string{"run_1"}, []int64{7})
	queueRows(b, sqlSetDueMany, []string{"run_1", "run_2"}, []int64{7, 8})
	queueRows(b, sqlUncountMany, []string{"a"}, []string{"run_1"})
	one, two, other := b.QueuedQueries[0], b.QueuedQueries[1], b.QueuedQueries[2]
	if one.SQL != single[sqlSetDueMany] || one.Arguments[0] != "run_1" || one.Arguments[1] != int64(7) {
		t.Errorf("one row: %s %v", one.SQL, one.Arguments)
	}
	if two.SQL != sqlSetDueMany || len(two.Arguments[1].([]int64)) != 2 {
		t.Errorf("two rows: %s %v", two.SQL, two.Arguments)
	}
	if other.SQL != sqlUncountMany {
		t.Errorf("a statement without a form for one row: %s", other.SQL)
	}
}
