package postgres

import (
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const (
	sqlInsertFailureMany = `INSERT INTO failures (run, seq, workflow, step, agent, code, at)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])`
)

func (g *state) flushFailures(b *pgx.Batch) {
	var run, workflow, step, agent, code []string
	var seq, at []int64
	for _, j := range g.batches {
		for _, f := range storekit.Failures(j.Events) {
			run, workflow, step = append(run, f.Run), append(workflow, j.Row.Workflow), append(step, f.Step)
			agent, code = append(agent, f.Agent), append(code, f.Code)
			seq, at = append(seq, f.Seq), append(at, f.At)
		}
	}
	if len(run) > 0 {
		b.Queue(sqlInsertFailureMany, run, seq, workflow, step, agent, code, at)
	}
}
