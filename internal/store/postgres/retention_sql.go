package postgres

import "github.com/assent-run/assent/internal/store/storekit"

// Retention.
const (
	sqlExpiredRuns = `SELECT r.id FROM runs r WHERE r.ended_at < ? AND ` + storekit.Closed + `
		AND (r.id IN (SELECT run FROM deliverables WHERE created_at < ?) OR r.id IN (SELECT run FROM blob_refs))
		LIMIT ? FOR UPDATE OF r SKIP LOCKED`

	// A run that only referred to blobs counts as well.
	sqlDropRuns = `WITH ended AS (SELECT unnest(?::text[]) AS run),
		refs AS (DELETE FROM blob_refs WHERE run IN (SELECT run FROM ended) RETURNING run),
		made AS (DELETE FROM deliverables WHERE run IN (SELECT run FROM ended) RETURNING run)
		SELECT (SELECT count(*) FROM made) +
			(SELECT count(DISTINCT run) FROM refs WHERE run NOT IN (SELECT run FROM made))`

	sqlExpiredNames = `SELECT d.id FROM deliverables d JOIN runs r ON r.id = d.run
		WHERE d.newest AND d.status = 'archived' AND d.updated_at < ? AND ` + storekit.Closed + `
		ORDER BY d.updated_at LIMIT ? FOR UPDATE OF r, d SKIP LOCKED`

	// A blob that another deliverable of the run also uses stays.
	sqlDropNames = `WITH names AS (SELECT run, name FROM deliverables WHERE id = ANY(?::text[])),
		gone AS (DELETE FROM deliverables d USING names n WHERE d.run = n.run AND d.name = n.name
			RETURNING d.run, d.blob),
		refs AS (DELETE FROM blob_refs f USING gone g WHERE f.run = g.run AND f.blob = g.blob AND NOT EXISTS
			(SELECT 1 FROM deliverables other WHERE other.run = f.run AND other.blob = f.blob
			AND (other.run, other.name) NOT IN (SELECT run, name FROM names)))
		SELECT count(*) FROM gone`

	sqlCollectBlobs = `WITH gone AS (DELETE FROM blobs WHERE id IN (SELECT id FROM blobs b WHERE stored_at < $1
			AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob = b.id) ORDER BY stored_at LIMIT $2
			FOR UPDATE SKIP LOCKED) RETURNING pieces),
		pieces AS (DELETE FROM blob_pieces WHERE pieces IN (SELECT pieces FROM gone WHERE pieces IS NOT NULL))
		SELECT count(*) FROM gone`

	sqlPutRefMany = `WITH known AS (UPDATE blobs SET stored_at = greatest(stored_at, $3) WHERE id = ANY($2::text[])
		RETURNING id)
		INSERT INTO blob_refs (blob, run) SELECT f.blob, f.run FROM unnest($1::text[], $2::text[]) AS f (run, blob)
		JOIN known ON known.id = f.blob
		ON CONFLICT DO NOTHING`

	sqlMarkDeliverableMany = `UPDATE deliverables d SET newest = d.newest AND NOT m.outdated,
		status = CASE WHEN m.status = '' THEN d.status ELSE m.status END,
		updated_at = CASE WHEN m.status = '' THEN d.updated_at ELSE m.at END
		FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::bigint[])
		AS m (id, run, status, outdated, at)
		WHERE d.id = m.id AND d.run = m.run`
)
