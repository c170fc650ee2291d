package sqlite

import "github.com/assent-run/assent/internal/store/storekit"

// Retention.
const (
	sqlExpiredRuns = `SELECT d.run FROM deliverables d JOIN runs r ON r.id = d.run
			WHERE d.created_at < ? AND r.ended_at < ? AND ` + storekit.Closed + `
		UNION SELECT f.run FROM blob_refs f JOIN runs r ON r.id = f.run WHERE r.ended_at < ? AND ` + storekit.Closed + `
		LIMIT ?`

	sqlDropDeliverables = `DELETE FROM deliverables WHERE run = ?`

	sqlForgetRefs = `DELETE FROM blob_refs WHERE run = ?`

	sqlExpiredNames = `SELECT d.run, d.name, d.id FROM deliverables d JOIN runs r ON r.id = d.run
		WHERE d.newest = 1 AND d.status = 'archived' AND d.updated_at < ? AND ` + storekit.Closed + `
		ORDER BY d.updated_at LIMIT ?`

	sqlDropName = `DELETE FROM deliverables WHERE run = ? AND name = ?`

	// A blob that another deliverable of the run also uses stays.
	sqlForgetRefsOfName = `DELETE FROM blob_refs WHERE run = ? AND blob IN (SELECT blob FROM deliverables WHERE run = ?
		AND name = ?)
		AND blob NOT IN (SELECT blob FROM deliverables WHERE run = ? AND name <> ?)`

	sqlLooseBlobs = `SELECT id FROM blobs WHERE stored_at < ?
		AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob = blobs.id) ORDER BY stored_at LIMIT ?`

	sqlDropBlob = `DELETE FROM blobs WHERE id = ?`

	sqlTouchBlob = `UPDATE blobs SET stored_at = max(stored_at, ?) WHERE id = ?`

	sqlPutRef = `INSERT INTO blob_refs (blob, run) VALUES (?, ?) ON CONFLICT DO NOTHING`
)
