package sqlite

import "github.com/assent-run/assent/internal/store/aggregate"

// Deliverables.
const (
	sqlDeliverableRun = `SELECT run FROM deliverables WHERE id = ?`

	sqlPutDeliverable = `INSERT INTO deliverables (` + aggregate.DeliverableColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, step = excluded.step, agent = excluded.agent,
		name = excluded.name, type = excluded.type, status = excluded.status, mime = excluded.mime,
		description = excluded.description, blob = excluded.blob, url = excluded.url, size = excluded.size,
		version = excluded.version, newest = excluded.newest, created_at = excluded.created_at,
		updated_at = excluded.updated_at`

	sqlOutdateDeliverable = `UPDATE deliverables SET newest = 0 WHERE id = ? AND run = ?`

	sqlMarkDeliverable = `UPDATE deliverables SET status = ?, updated_at = ? WHERE id = ? AND run = ?`
)
