package postgres

const versionColumns = `id, kind, name, number, published, digest, by, at`

// Definitions, bundles and blobs.
const (
	// Whoever numbers versions of one document waits for the other.
	sqlLockDocument = `SELECT pg_advisory_xact_lock(hashtextextended('assent document ' || $1::text || ' ' || $2::text, 0))`

	sqlNewestVersion = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = $1 AND name = $2 ORDER BY number DESC LIMIT 1`

	sqlVersionInForce = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = $1 AND name = $2 AND published`

	sqlVersion = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = $1 AND name = $2 AND number = $3`

	sqlVersions = `SELECT ` + versionColumns + `, published_at, NULL::bytea FROM versions WHERE kind = $1 AND name = $2 ORDER BY number DESC`

	sqlInForce = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = $1 AND published ORDER BY name`

	sqlLatest = `SELECT DISTINCT ON (name) ` + versionColumns + `, published_at, body FROM versions WHERE kind = $1 ORDER BY name, number DESC`

	sqlInsertVersion = `INSERT INTO versions (` + versionColumns + `, body, published_by, published_at)
		VALUES ($1, $2, $3, $4, false, $5, $6, $7, $8, '', 0) ON CONFLICT (id) DO NOTHING`

	sqlUnpublish = `UPDATE versions SET published = false WHERE kind = $1 AND name = $2 AND published`

	sqlPublish = `UPDATE versions SET published = true, published_by = $4, published_at = $5 WHERE kind = $1 AND name = $2 AND number = $3`

	sqlPutBundle = `INSERT INTO bundles (digest, bundle) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING`

	sqlBundle = `SELECT bundle FROM bundles WHERE digest = $1`

	sqlTouchBlob = `UPDATE blobs SET stored_at = greatest(stored_at, $2) WHERE id = $1 RETURNING size`

	sqlPutBlob = `INSERT INTO blobs (id, size, data, stored_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET stored_at = greatest(blobs.stored_at, excluded.stored_at)`

	sqlNewPieces = `SELECT nextval('blob_pieces_no')`

	sqlPutPiece = `INSERT INTO blob_pieces (pieces, n, data) VALUES ($1, $2, $3)`

	sqlPutBlobInPieces = `INSERT INTO blobs (id, size, pieces, stored_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`

	sqlBlob = `SELECT size, data, coalesce(pieces, 0) FROM blobs WHERE id = $1`

	sqlPiece = `SELECT data FROM blob_pieces WHERE pieces = $1 AND n = $2`
)
