package postgres

import "github.com/assent-run/assent/internal/store/aggregate"

// Runs.
const (
	sqlRunSeqMany = `SELECT id, seq, due_at FROM runs WHERE id = ANY($1::text[])`

	sqlInsertRunMany = `INSERT INTO runs (` + aggregate.RunColumns + `, words)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
		$8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[],
		$16::text[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::boolean[], $22::bigint[],
		$23::boolean[], $24::text[], $25::bigint[], $26::text[])`

	sqlUpdateRunMany = `UPDATE runs r SET version = u.version, definition = u.definition, status = u.status,
		seq = u.seq, steps_done = u.steps_done, steps_total = u.steps_total, pending = u.pending, error = u.error,
		cost_usd = u.cost_usd, updated_at = u.updated_at, ended_at = u.ended_at, due_at = u.due_at, busy = u.busy,
		snapshot_seq = greatest(r.snapshot_seq, u.snapshot_seq), cancelling = u.cancelling, subject = u.subject,
		words = u.words
		FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
		$8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::boolean[],
		$15::bigint[], $16::boolean[], $17::text[], $18::text[])
		AS u (id, version, definition, status, seq, steps_done, steps_total, pending, error, cost_usd, updated_at,
		ended_at, due_at, busy, snapshot_seq, cancelling, subject, words)
		WHERE r.id = u.id`

	sqlInsertLabelMany = `INSERT INTO run_labels (name, value, started_at, run)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`

	sqlRunsIn = `SELECT ` + aggregate.RunColumns + ` FROM runs WHERE id = ANY(?::text[])`

	sqlSetDueMany = `INSERT INTO due (run, at) SELECT * FROM unnest($1::text[], $2::bigint[])
		ON CONFLICT (run) DO UPDATE SET at = excluded.at`

	sqlDropDueMany = `DELETE FROM due WHERE run = ANY($1::text[])`

	sqlDue = `SELECT run, at FROM due WHERE at <= ? ORDER BY at, run LIMIT ?`

	sqlBusy = `SELECT id FROM runs WHERE busy AND id > ? ORDER BY id LIMIT ?`
)
