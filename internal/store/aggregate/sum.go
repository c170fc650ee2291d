package aggregate

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	tallyColumns = `operation, CAST(SUM(known) AS bigint), CAST(SUM(1 - known) AS bigint),
		CAST(SUM(giga) AS bigint), CAST(SUM(unit) AS bigint), CAST(SUM(nano) AS bigint), MAX(no)`

	sqlForgetCounted = `DELETE FROM counted WHERE no IN (SELECT no FROM counted c WHERE at < ? AND NOT EXISTS
		(SELECT 1 FROM runs r WHERE r.id IN (c.run, c.family) AND r.ended_at = 0) ORDER BY at LIMIT ?)`
)

// Tally implements port.Sums.
func (a *Aggregates) Tally(ctx context.Context, q run.Elsewhere) (port.Tallied, error) {
	from := a.counted(q)
	rows, err := list(ctx, a, scanTally, `SELECT `+tallyColumns+from.SQL+` GROUP BY operation`, from.Args...)
	if err != nil {
		return port.Tallied{}, fmt.Errorf("add up what runs have done: %w", err)
	}
	return storekit.Tallied(rows), nil
}

// counted are the acts of other runs that a sum covers.
func (a *Aggregates) counted(q run.Elsewhere) storekit.Cond {
	if q.Family != "" {
		return storekit.Cond{
			SQL:  ` FROM counted` + a.dialect.Using("counted_by_family") + ` WHERE family = ? AND sum = ? AND run <> ?`,
			Args: []any{q.Family, q.Sum, q.Run},
		}
	}
	return storekit.Cond{
		SQL:  ` FROM counted` + a.dialect.Using("counted_by_sum") + ` WHERE sum = ? AND at >= ? AND run <> ?`,
		Args: []any{q.Sum, storekit.SinceOf(q.Since), q.Run},
	}
}

// ForgetCounted implements port.Sums.
func (a *Aggregates) ForgetCounted(ctx context.Context, before time.Time) (int, error) {
	return a.forget(ctx, "what runs have done", sqlForgetCounted, storekit.Nanos(before))
}

func scanTally(row storekit.Row) (t storekit.TallyRow, err error) { return t, row.Scan(t.Fields()...) }
