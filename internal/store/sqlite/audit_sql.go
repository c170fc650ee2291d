package sqlite

import "strings"

const auditColumns = `n, at, actor, action, target, run, outcome, body, hash, open`

// auditAtOnce is how many entries one statement stores.
const auditAtOnce = 16

var sqlInsertAuditMany = sqlInsertAudit + strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, auditAtOnce-1)

// The audit log.
const (
	sqlInsertAudit = `INSERT INTO audit (` + auditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlAuditEnd = `SELECT coalesce(max(n), 0), coalesce((SELECT hash FROM audit ORDER BY n DESC LIMIT 1), '') FROM audit`

	sqlAuditHash = `SELECT hash FROM audit WHERE n = ?`

	sqlAuditRows = `SELECT ` + auditColumns + ` FROM audit WHERE n > ? ORDER BY n LIMIT ?`

	sqlAuditLastHead = `SELECT head FROM audit_heads ORDER BY n DESC LIMIT 1`

	sqlAuditHeads = `SELECT head FROM audit_heads WHERE n >= ? ORDER BY n LIMIT ?`

	sqlInsertAuditHead = `INSERT INTO audit_heads (n, head) VALUES (?, ?)`
)
