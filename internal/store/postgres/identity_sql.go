package postgres

const (
	accountColumns = `name, hash, roles, disabled, epoch, created_at, changed_at, signed_in_at`
	tokenColumns   = `id, name, kind, roles, hash, created_by, created_at, expires_at, used_at`
	sessionColumns = `id, person, way, roles, epoch, created_at, seen_at, expires_at`
)

// Accounts, tokens and sessions.
const (
	sqlAccount       = `SELECT ` + accountColumns + ` FROM accounts WHERE name = $1`
	sqlLockAccount   = sqlAccount + ` FOR UPDATE`
	sqlAccounts      = `SELECT ` + accountColumns + ` FROM accounts ORDER BY name LIMIT $1`
	sqlCreateAccount = `INSERT INTO accounts (` + accountColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING`
	sqlChangeAccount = `UPDATE accounts SET hash = $2, roles = $3, disabled = $4, epoch = $5, changed_at = $6, signed_in_at = $7 WHERE name = $1`
	sqlRemoveAccount = `DELETE FROM accounts WHERE name = $1`

	sqlToken        = `SELECT ` + tokenColumns + ` FROM tokens WHERE id = $1`
	sqlLockToken    = sqlToken + ` FOR UPDATE`
	sqlTokens       = `SELECT ` + tokenColumns + ` FROM tokens ORDER BY created_at, id LIMIT $1`
	sqlCreateToken  = `INSERT INTO tokens (` + tokenColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`
	sqlTouchToken   = `UPDATE tokens SET used_at = greatest(used_at, $2) WHERE id = $1`
	sqlRemoveToken  = `DELETE FROM tokens WHERE id = $1`
	sqlRemoveTokens = `DELETE FROM tokens WHERE name = $1 AND kind = 'person'`

	sqlSession       = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = $1`
	sqlCreateSession = `INSERT INTO sessions (` + sessionColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`
	sqlTouchSession  = `UPDATE sessions SET seen_at = greatest(seen_at, $2) WHERE id = $1`
	sqlEndSession    = `DELETE FROM sessions WHERE id = $1`
	sqlEndSessions   = `DELETE FROM sessions WHERE person = $1`
	sqlForgetExpired = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`
	sqlForgetIdle    = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE seen_at < $1 ORDER BY seen_at LIMIT $2)`
)
