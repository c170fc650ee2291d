package sqlite

const versionColumns = `id, kind, name, number, published, digest, by, at`

// Definitions, bundles and blobs.
const (
	sqlNewestVersion = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = ? AND name = ? ORDER BY number DESC LIMIT 1`

	sqlVersionInForce = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = ? AND name = ? AND published = 1`

	sqlVersion = `SELECT ` + versionColumns + `, published_at, body FROM versions WHERE kind = ? AND name = ? AND number = ?`

	sqlVersions = `SELECT ` + versionColumns + `, published_at, NULL FROM versions WHERE kind = ? AND name = ? ORDER BY number DESC`

	sqlInForce = `SELECT ` + versionColumns + `, published_at, body FROM versions INDEXED BY versions_in_force
		WHERE kind = ? AND published = 1 ORDER BY name`

	sqlLatest = `SELECT ` + versionColumns + `, published_at, body FROM versions v
		WHERE kind = ? AND number = (SELECT max(number) FROM versions WHERE kind = v.kind AND name = v.name) ORDER BY name`

	sqlHasVersionID = `SELECT 1 FROM versions WHERE id = ?`

	sqlInsertVersion = `INSERT INTO versions (` + versionColumns + `, body, published_by, published_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)`

	sqlUnpublish = `UPDATE versions SET published = 0 WHERE kind = ? AND name = ? AND published = 1`

	sqlPublish = `UPDATE versions SET published = 1, published_by = ?, published_at = ? WHERE kind = ? AND name = ? AND number = ?`

	sqlHasVersion = `SELECT 1 FROM versions WHERE kind = ? AND name = ? AND number = ?`

	sqlHasInForce = `SELECT 1 FROM versions WHERE kind = ? AND name = ? AND published = 1`

	sqlPutBundle = `INSERT INTO bundles (digest, bundle) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING`

	sqlBundle = `SELECT bundle FROM bundles WHERE digest = ?`

	sqlPutBlob = `INSERT INTO blobs (id, size, data, stored_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET stored_at = max(stored_at, excluded.stored_at)`

	sqlBlob = `SELECT size, data FROM blobs WHERE id = ?`
)
