package postgres

import (
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const (
	sqlDropLookMany = `DELETE FROM second_looks l USING unnest($1::text[], $2::text[], $3::bigint[]) 
		AS u (run, step, idx)
		WHERE l.run = u.run AND l.step = u.step AND l.idx = u.idx`
	sqlDropLooksMany = `DELETE FROM second_looks l USING unnest($1::text[], $2::text[]) AS u (run, step)
		WHERE l.run = u.run AND l.step = u.step`
	sqlAddLookMany = `INSERT INTO second_looks (` + storekit.LookColumns + `)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
			$6::bigint[], $7::float8[], $8::bigint[])`
)

// flushLooks stores which results of a group deserve a second look.
func (g *state) flushLooks(b *pgx.Batch) {
	var l storekit.Looks
	for _, j := range g.batches {
		l.Add(&j.Write)
	}
	var run, step, runs, steps []string
	var idx []int64
	for _, x := range l.Gone {
		if x.Whole() {
			runs, steps = append(runs, x.Run), append(steps, x.Step)
		} else {
			run, step, idx = append(run, x.Run), append(step, x.Step), append(idx, x.Index)
		}
	}
	if len(run) > 0 {
		b.Queue(sqlDropLookMany, run, step, idx)
	}
	if len(runs) > 0 {
		b.Queue(sqlDropLooksMany, runs, steps)
	}
	if n := len(l.Rows); n > 0 {
		id, run, workflow := make([]string, n), make([]string, n), make([]string, n)
		step, agent, confidence := make([]string, n), make([]string, n), make([]float64, n)
		idx, at := make([]int64, n), make([]int64, n)
		for i, r := range l.Rows {
			id[i], run[i], workflow[i], step[i], agent[i] = r.ID, r.Run, r.Workflow, r.Step, r.Agent
			idx[i], confidence[i], at[i] = r.Index, r.Confidence, r.At
		}
		b.Queue(sqlAddLookMany, id, run, workflow, step, agent, idx, confidence, at)
	}
}
