package aggregate

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Expire implements port.Retention.
func (a *Aggregates) Expire(ctx context.Context, x port.Expiry) (removed int, err error) {
	err = a.db.WriteAlone(ctx, func(tx Tx) (err error) {
		removed = 0 // it may run again
		for _, e := range []struct {
			what, about string
			before      time.Time
			remove      func(tx Tx, before int64, limit int) ([]string, int, error)
		}{
			{storekit.RemovedRuns, "of ended runs", x.Ended, a.db.ExpireRuns},
			{storekit.RemovedArchived, "archived ones", x.Archived, a.db.ExpireArchived},
		} {
			if e.before.IsZero() {
				continue
			}
			ids, n, err := e.remove(tx, storekit.Nanos(e.before), storekit.PageSize(x.Limit))
			if err == nil && len(ids) > 0 {
				err = record(tx, n, []port.Note[int]{func(n int) port.AuditDraft {
					return storekit.Removed(e.what, ids,
						n)
				}})
			}
			if err != nil {
				return fmt.Errorf("%s: %w", e.about, err)
			}
			removed += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("remove deliverables: %w", err)
	}
	return removed, nil
}
