package sqlite

import (
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
)

// checkSums rejects a write based on sums that have changed since.
func (e *entry) checkSums(t *tx) error {
	for _, r := range e.Sums {
		query, args := sqlNewestSince, []any{r.Sum, storekit.SinceOf(r.Since), r.Run}
		if r.Family != "" {
			query, args = sqlNewestFamily, []any{r.Family, r.Sum, r.Run}
		}
		var newest int64
		if _, err := t.queryRow(query, args, &newest); err != nil {
			return fmt.Errorf("read a sum: %w", err)
		}
		if newest != r.Version {
			return storekit.Recounted(r)
		}
	}
	return nil
}

// storeCounted stores what the acts of a write add to sums.
func (e *entry) storeCounted(t *tx) error {
	for _, act := range storekit.Replaced(&e.Write) {
		if err := t.exec(sqlUncount, act, e.Run); err != nil {
			return fmt.Errorf("count an act: %w", err)
		}
	}
	for _, r := range storekit.CountedRows(&e.Write) {
		if err := t.exec(sqlCount, r.Act, r.Sum, r.Run, r.Family, r.Operation, r.At, r.Known, r.Giga, r.Unit,
			r.Nano); err != nil {
			return fmt.Errorf("count an act: %w", err)
		}
	}
	return nil
}
