package postgres

import "github.com/assent-run/assent/internal/store/aggregate"

// Deliverables.
const (
	sqlDeliverableRunMany = `SELECT id, run FROM deliverables WHERE id = ANY($1::text[])`

	sqlPutDeliverableMany = `INSERT INTO deliverables (` + aggregate.DeliverableColumns + `)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
		$8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::boolean[],
		$16::bigint[], $17::bigint[])
		ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, step = excluded.step, agent = excluded.agent,
		name = excluded.name, type = excluded.type, status = excluded.status, mime = excluded.mime,
		description = excluded.description, blob = excluded.blob, url = excluded.url, size = excluded.size,
		version = excluded.version, newest = excluded.newest, created_at = excluded.created_at,
		updated_at = excluded.updated_at`
)
