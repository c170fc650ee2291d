package sqlite

import "github.com/assent-run/assent/internal/store/aggregate"

// The log, snapshots and answers.
const (
	sqlHead = `SELECT coalesce(max(last_feed), 0) FROM batches`

	sqlInsertBatch = `INSERT INTO batches (last_feed, run, last_seq, count, body, file) VALUES (?, ?, ?, ?, ?, ?)`

	sqlBatchesOfRun = `SELECT last_feed, run, last_seq, count, body, file FROM batches
		WHERE run = ? AND last_seq > ? ORDER BY last_seq`

	sqlFeed = `SELECT last_feed, run, last_seq, count, body, file FROM batches
		WHERE last_feed > ? ORDER BY last_feed`

	// Within a run both numbers grow together, so the index provides the order.
	sqlFeedOfRun = `SELECT last_feed, run, last_seq, count, body, file FROM batches INDEXED BY batches_by_run
		WHERE run = ? AND last_feed > ? ORDER BY last_seq`

	sqlEpoch    = `SELECT epoch FROM meta`
	sqlSetEpoch = `UPDATE meta SET epoch = ?`

	sqlGeneration     = `SELECT generation FROM meta`
	sqlNextGeneration = `UPDATE meta SET generation = generation + 1`

	sqlUsesOf  = `SELECT uses FROM grants WHERE rule = ?`
	sqlSetUses = `INSERT INTO grants (rule, uses) VALUES (?, ?) ON CONFLICT (rule) DO UPDATE SET uses = excluded.uses`

	sqlInsertSnapshot = `INSERT INTO snapshots (run, seq, state, file) VALUES (?, ?, ?, ?)
		ON CONFLICT (run, seq) DO NOTHING`

	sqlOldSnapshots = `SELECT no, coalesce(file, '') FROM snapshots WHERE run = ? ORDER BY seq DESC LIMIT -1 OFFSET ?`

	sqlDropSnapshot = `DELETE FROM snapshots WHERE no = ?`

	sqlSnapshot = `SELECT seq, state, file FROM snapshots WHERE run = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`

	sqlAnswer = `SELECT ` + aggregate.AnswerColumns + ` FROM answers WHERE key = ?`

	sqlHasAnswer = `SELECT 1 FROM answers WHERE key = ?`

	sqlInsertAnswer = `INSERT INTO answers (key, body, status, at, answer) VALUES (?, ?, ?, ?, ?)`
)
