package postgres

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

const (
	sqlInsertFailureMany = `INSERT INTO failures (run, seq, workflow, step, agent, code, at)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])`

	costSum = `CAST(sum(CAST(NULLIF(cost_usd, '') AS numeric) * 1000000000) AS bigint)`
)

func (g *state) flushFailures(b *pgx.Batch) {
	var run, workflow, step, agent, code []string
	var seq, at []int64
	for _, j := range g.batches {
		for _, f := range wire.Failures(j.Events) {
			run, workflow, step = append(run, f.Run), append(workflow, j.Row.Workflow), append(step, f.Step)
			agent, code = append(agent, f.Agent), append(code, f.Code)
			seq, at = append(seq, f.Seq), append(at, f.At)
		}
	}
	if len(run) > 0 {
		b.Queue(sqlInsertFailureMany, run, seq, workflow, step, agent, code, at)
	}
}

// Figures implements port.Counts.
func (s *Store) Figures(ctx context.Context, q port.FigureQuery) (port.Figures, error) {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return port.Figures{}, fmt.Errorf("figures: %w", explain(err))
	}
	defer tx.Rollback(ctx) //nolint:errcheck // it only read
	out, err := wire.Figures(func(sql string, args []any, each func(wire.Row) error) error {
		w := &where{}
		w.add(sql, args...)
		rows, err := tx.Query(ctx, w.String(), w.args...)
		if err != nil {
			return explain(err)
		}
		_, err = collect(rows, func(r pgx.Row) (struct{}, error) { return struct{}{}, each(r) })
		return explain(err)
	}, q, costSum)
	if err != nil {
		return port.Figures{}, fmt.Errorf("figures: %w", err)
	}
	return out, nil
}
