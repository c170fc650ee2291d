package sqlite

import (
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	sqlDropLooks = `DELETE FROM second_looks WHERE run = ? AND step = ?`
	sqlDropLook  = sqlDropLooks + ` AND idx = ?`
	sqlAddLook   = `INSERT INTO second_looks (` + storekit.LookColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
)

// storeLooks stores which results of a write deserve a second look.
func (e *entry) storeLooks(t *tx) error {
	var l storekit.Looks
	l.Add(&e.Write)
	for _, g := range l.Gone {
		query, args := sqlDropLook, []any{g.Run, g.Step, g.Index}
		if g.Whole() {
			query, args = sqlDropLooks, args[:2]
		}
		if err := t.exec(query, args...); err != nil {
			return fmt.Errorf("drop a second look: %w", err)
		}
	}
	for _, r := range l.Rows {
		if err := t.exec(sqlAddLook, r.ID, r.Run, r.Workflow, r.Step, r.Agent, r.Index, r.Confidence,
			r.At); err != nil {
			return fmt.Errorf("store a second look: %w", err)
		}
	}
	return nil
}
