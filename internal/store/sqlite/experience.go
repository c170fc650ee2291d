package sqlite

import (
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
)

const sqlTaught = `INSERT INTO experience (run, workflow, at, body) VALUES (?, ?, ?, ?)
	ON CONFLICT (run) DO UPDATE SET workflow = excluded.workflow, at = excluded.at, body = excluded.body`

// storeTaught stores what the run of a write teaches.
func (e *entry) storeTaught(t *tx) error {
	if !e.taught.Changes() {
		return nil
	}
	if e.taught.Gone {
		if err := t.exec(storekit.SQLUntaught, e.Run); err != nil {
			return fmt.Errorf("delete the experience of the run: %w", err)
		}
	}
	if r := e.taught.Row; r != nil {
		if err := t.exec(sqlTaught, r.Run, r.Workflow, r.At, r.Body); err != nil {
			return fmt.Errorf("store the experience of the run: %w", err)
		}
	}
	if err := t.exec(storekit.SQLLearned); err != nil {
		return fmt.Errorf("store the experience of the run: %w", err)
	}
	return nil
}
