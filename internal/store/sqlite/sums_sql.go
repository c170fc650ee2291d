package sqlite

const (
	sqlNewestFamily = `SELECT COALESCE(MAX(no), 0) FROM counted INDEXED BY counted_by_family WHERE family = ?
		AND sum = ? AND run <> ?`
	sqlNewestSince = `SELECT COALESCE(MAX(no), 0) FROM counted INDEXED BY counted_by_sum WHERE sum = ? AND at >= ?
		AND run <> ?`

	sqlUncount = `DELETE FROM counted WHERE act = ? AND run = ?`
	sqlCount   = `INSERT INTO counted (act, sum, run, family, operation, at, known, giga, unit, nano) VALUES (?, ?, ?,
		?, ?, ?, ?, ?, ?, ?)`
)
