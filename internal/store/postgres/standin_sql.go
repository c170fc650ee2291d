package postgres

const standInColumns = `name, stand_in, since, until, set_by, set_at`

// Stand-ins.
const (
	sqlPutStandIn = `INSERT INTO stand_ins (` + standInColumns + `) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (name) DO UPDATE SET stand_in = excluded.stand_in, since = excluded.since, until = excluded.until,
		set_by = excluded.set_by, set_at = excluded.set_at`
	sqlStandIn          = `SELECT ` + standInColumns + ` FROM stand_ins WHERE name = $1`
	sqlLockStandIn      = sqlStandIn + ` FOR UPDATE`
	sqlStandIns         = `SELECT ` + standInColumns + ` FROM stand_ins ORDER BY name LIMIT $1`
	sqlStandingIn       = `SELECT ` + standInColumns + ` FROM stand_ins WHERE stand_in = $1 AND until > $2 AND since <= $2 ORDER BY name LIMIT $3`
	sqlRemoveStandIn    = `DELETE FROM stand_ins WHERE name = $1`
	sqlRemoveStandingIn = `DELETE FROM stand_ins WHERE stand_in = $1`
)
