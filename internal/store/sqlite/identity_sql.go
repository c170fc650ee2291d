package sqlite

const (
	accountColumns = `name, hash, roles, disabled, epoch, created_at, changed_at, signed_in_at`
	tokenColumns   = `id, name, kind, roles, hash, created_by, created_at, expires_at, used_at`
	sessionColumns = `id, person, way, roles, epoch, created_at, seen_at, expires_at`
)

// Accounts, tokens and sessions.
const (
	sqlAccount       = `SELECT ` + accountColumns + ` FROM accounts WHERE name = ?`
	sqlAccounts      = `SELECT ` + accountColumns + ` FROM accounts ORDER BY name LIMIT ?`
	sqlCreateAccount = `INSERT INTO accounts (` + accountColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`
	sqlChangeAccount = `UPDATE accounts SET hash = ?, roles = ?, disabled = ?, epoch = ?, changed_at = ?, signed_in_at = ? WHERE name = ?`
	sqlRemoveAccount = `DELETE FROM accounts WHERE name = ?`

	sqlToken         = `SELECT ` + tokenColumns + ` FROM tokens WHERE id = ?`
	sqlTokens        = `SELECT ` + tokenColumns + ` FROM tokens ORDER BY created_at, id LIMIT ?`
	sqlCreateToken   = `INSERT INTO tokens (` + tokenColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
	sqlTouchToken    = `UPDATE tokens SET used_at = max(used_at, ?) WHERE id = ?`
	sqlRemoveToken   = `DELETE FROM tokens WHERE id = ?`
	sqlRemoveTokens  = `DELETE FROM tokens WHERE name = ? AND kind = 'person'`
	sqlSession       = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = ?`
	sqlCreateSession = `INSERT INTO sessions (` + sessionColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
	sqlTouchSession  = `UPDATE sessions SET seen_at = max(seen_at, ?) WHERE id = ?`
	sqlEndSession    = `DELETE FROM sessions WHERE id = ?`
	sqlEndSessions   = `DELETE FROM sessions WHERE person = ?`
	sqlForgetExpired = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`
	sqlForgetIdle    = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE seen_at < ? ORDER BY seen_at LIMIT ?)`
)
