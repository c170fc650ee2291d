package sqlite

const standInColumns = `name, stand_in, since, until, set_by, set_at`

// Stand-ins.
const (
	sqlPutStandIn = `INSERT INTO stand_ins (` + standInColumns + `) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET stand_in = excluded.stand_in, since = excluded.since, until = excluded.until,
		set_by = excluded.set_by, set_at = excluded.set_at`
	sqlStandIn          = `SELECT ` + standInColumns + ` FROM stand_ins WHERE name = ?`
	sqlStandIns         = `SELECT ` + standInColumns + ` FROM stand_ins ORDER BY name LIMIT ?`
	sqlStandingIn       = `SELECT ` + standInColumns + ` FROM stand_ins WHERE stand_in = ? AND until > ? AND since <= ? ORDER BY name LIMIT ?`
	sqlRemoveStandIn    = `DELETE FROM stand_ins WHERE name = ?`
	sqlRemoveStandingIn = `DELETE FROM stand_ins WHERE stand_in = ?`
)
