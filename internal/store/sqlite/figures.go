package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

const sqlInsertFailure = `INSERT INTO failures (run, seq, workflow, step, agent, code, at) VALUES (?, ?, ?, ?, ?, ?, ?)`

func (e *entry) storeFailures(t *tx) error {
	for _, f := range wire.Failures(e.Events) {
		if err := t.exec(sqlInsertFailure, f.Run, f.Seq, e.Row.Workflow, f.Step, f.Agent, f.Code, f.At); err != nil {
			return fmt.Errorf("store failure: %w", err)
		}
	}
	return nil
}

// costSum is exact: a float holds billionths of dollars up to millions.
const costSum = `sum(CAST(round(CAST(cost_usd AS REAL) * 1e9) AS INTEGER))`

// Figures implements port.Counts.
func (s *Store) Figures(ctx context.Context, q port.FigureQuery) (out port.Figures, err error) {
	err = s.snapshotRead(ctx, func(tx *sql.Tx) (err error) {
		out, err = wire.Figures(func(query string, args []any, each func(wire.Row) error) error {
			_, err := collect(func(r *sql.Rows) (struct{}, error) { return struct{}{}, each(r) })(tx.QueryContext(ctx, query, args...))
			return err
		}, q, costSum)
		return err
	})
	if err != nil {
		return port.Figures{}, fmt.Errorf("figures: %w", err)
	}
	return out, nil
}
