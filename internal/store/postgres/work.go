package postgres

import (
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const sqlInsertWorkMany = `INSERT INTO agent_work (run, seq, workflow, agent, at, steps, failed, llm_calls, tokens_in,
	tokens_out, cost_usd, cost_nanos) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[],
	$5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])`

func (g *state) flushWork(b *pgx.Batch) {
	var run, workflow, agent []string
	var seq, at, steps, failed, calls, in, out, dollars, nanos []int64
	for _, j := range g.batches {
		for _, r := range storekit.WorkRows(&j.Write) {
			run, workflow, agent = append(run, r.Run), append(workflow, r.Workflow), append(agent, r.Agent)
			seq, at = append(seq, r.Seq), append(at, r.At)
			steps, failed, calls = append(steps, r.Steps), append(failed, r.Failed), append(calls, r.Calls)
			in, out = append(in, r.TokensIn), append(out, r.TokensOut)
			dollars, nanos = append(dollars, r.Dollars), append(nanos, r.Nanos)
		}
	}
	if len(run) > 0 {
		queueRows(b, sqlInsertWorkMany, run, seq, workflow, agent, at, steps, failed, calls, in, out, dollars, nanos)
	}
}
