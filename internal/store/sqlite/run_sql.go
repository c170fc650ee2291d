package sqlite

import "github.com/assent-run/assent/internal/store/aggregate"

// Runs.
const (
	sqlInsertRun = `INSERT INTO runs (` + aggregate.RunColumns + `, words)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`

	sqlRunCells = `SELECT no, version, definition, status, seq, steps_done, steps_total, pending, error, cost_usd,
		updated_at, ended_at, due_at, busy, snapshot_seq, cancelling, subject, words FROM runs WHERE id = ?`

	sqlInsertLabel = `INSERT INTO run_labels (name, value, started_at, run) VALUES (?, ?, ?, ?)`

	sqlRunsIn = `SELECT ` + aggregate.RunColumns + ` FROM runs WHERE id IN `

	sqlDue = `SELECT id, due_at FROM runs WHERE due_at > 0 AND due_at <= ? ORDER BY due_at, no LIMIT ?`

	sqlBusy = `SELECT id FROM runs INDEXED BY runs_busy WHERE busy = 1 AND id > ? ORDER BY id LIMIT ?`
)
