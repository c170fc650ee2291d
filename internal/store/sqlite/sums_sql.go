package sqlite

const (
	tallyColumns = `operation, SUM(known), SUM(1 - known), SUM(giga), SUM(unit), SUM(nano), MAX(no)`

	sqlTallyFamily = `SELECT ` + tallyColumns + ` FROM counted INDEXED BY counted_by_family WHERE family = ? AND sum = ? AND run <> ? GROUP BY operation`
	sqlTallySince  = `SELECT ` + tallyColumns + ` FROM counted INDEXED BY counted_by_sum WHERE sum = ? AND at >= ? AND run <> ? GROUP BY operation`

	sqlNewestFamily = `SELECT COALESCE(MAX(no), 0) FROM counted INDEXED BY counted_by_family WHERE family = ? AND sum = ? AND run <> ?`
	sqlNewestSince  = `SELECT COALESCE(MAX(no), 0) FROM counted INDEXED BY counted_by_sum WHERE sum = ? AND at >= ? AND run <> ?`

	sqlUncount = `DELETE FROM counted WHERE act = ? AND run = ?`
	sqlCount   = `INSERT INTO counted (act, sum, run, family, operation, at, known, giga, unit, nano) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlForgetCounted = `DELETE FROM counted WHERE no IN (SELECT no FROM counted c WHERE at < ?
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id IN (c.run, c.family) AND r.ended_at = 0) ORDER BY at LIMIT ?)`
)
