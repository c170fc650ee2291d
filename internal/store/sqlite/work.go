package sqlite

import (
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
)

const sqlInsertWork = `INSERT INTO agent_work (run, seq, workflow, agent, at, steps, failed, llm_calls, tokens_in,
	tokens_out, cost_usd, cost_nanos) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (e *entry) storeWork(t *tx) error {
	for _, r := range storekit.WorkRows(&e.Write) {
		if err := t.exec(sqlInsertWork, r.Run, r.Seq, r.Workflow, r.Agent, r.At, r.Steps, r.Failed, r.Calls, r.TokensIn,
			r.TokensOut, r.Dollars, r.Nanos); err != nil {
			return fmt.Errorf("store the work of an agent: %w", err)
		}
	}
	return nil
}
