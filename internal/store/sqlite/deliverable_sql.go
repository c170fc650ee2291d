package sqlite

const deliverableColumns = `id, run, workflow, step, agent, name, type, status, mime, description, blob, url, size, version, created_at`

// Deliverables.
const (
	sqlDeliverableRun = `SELECT run FROM deliverables WHERE id = ?`

	sqlPutDeliverable = `INSERT INTO deliverables (` + deliverableColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, step = excluded.step, agent = excluded.agent, name = excluded.name,
		type = excluded.type, status = excluded.status, mime = excluded.mime, description = excluded.description, blob = excluded.blob,
		url = excluded.url, size = excluded.size, version = excluded.version, created_at = excluded.created_at`

	sqlDeliverable = `SELECT ` + deliverableColumns + ` FROM deliverables WHERE id = ?`
)
