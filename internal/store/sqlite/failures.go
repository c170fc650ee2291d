package sqlite

import (
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
)

const sqlInsertFailure = `INSERT INTO failures (run, seq, workflow, step, agent, code, at) VALUES (?, ?, ?, ?, ?, ?, ?)`

func (e *entry) storeFailures(t *tx) error {
	for _, f := range storekit.Failures(e.Events) {
		if err := t.exec(sqlInsertFailure, f.Run, f.Seq, e.Row.Workflow, f.Step, f.Agent, f.Code, f.At); err != nil {
			return fmt.Errorf("store failure: %w", err)
		}
	}
	return nil
}
