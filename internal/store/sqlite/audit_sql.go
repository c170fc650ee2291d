package sqlite

import (
	"strings"

	"github.com/assent-run/assent/internal/store/aggregate"
)

// auditAtOnce is how many entries one statement stores.
const auditAtOnce = 16

var sqlInsertAuditMany = sqlInsertAudit + strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, auditAtOnce-1)

// The audit log.
const (
	sqlInsertAudit = `INSERT INTO audit (` + aggregate.AuditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlAuditEnd = `SELECT coalesce(max(n), 0), coalesce((SELECT hash FROM audit ORDER BY n DESC LIMIT 1), '')
		FROM audit`

	sqlStrays = `SELECT what FROM (
		SELECT 'an audit entry has the number ' || min(n) AS what FROM audit WHERE n < 1
		UNION ALL SELECT 'a signed head has the number ' || min(n) FROM audit_heads WHERE n < 1 OR n > (SELECT max(n)
		FROM audit)
		UNION ALL SELECT 'events of run ' || min(run) || ' have no place in the feed' FROM batches
		WHERE last_feed < count)
		WHERE what IS NOT NULL LIMIT 1`
)
