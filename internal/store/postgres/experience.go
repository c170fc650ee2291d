package postgres

import (
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const (
	sqlUntaughtMany = `DELETE FROM experience WHERE run = ANY($1::text[])`
	sqlTaughtMany   = `INSERT INTO experience (run, workflow, at, body)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
		ON CONFLICT (run) DO UPDATE SET workflow = excluded.workflow, at = excluded.at, body = excluded.body`
)

// flushTaught stores what the runs of a group teach. The last write of a run counts.
func (g *state) flushTaught(b *pgx.Batch) {
	last := map[string]storekit.Taught{}
	for _, j := range g.batches {
		if j.taught.Changes() {
			last[j.Run] = j.taught
		}
	}
	if len(last) == 0 {
		return
	}
	var gone, run, workflow []string
	var at []int64
	var body [][]byte
	for id, t := range last {
		if t.Row == nil {
			gone = append(gone, id)
			continue
		}
		run, workflow, at = append(run, id), append(workflow, t.Row.Workflow), append(at, t.Row.At)
		body = append(body, t.Row.Body)
	}
	if len(gone) > 0 {
		b.Queue(sqlUntaughtMany, gone)
	}
	if len(run) > 0 {
		b.Queue(sqlTaughtMany, run, workflow, at, body)
	}
	b.Queue(storekit.SQLLearned)
}
