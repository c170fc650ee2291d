package postgres

import "github.com/assent-run/assent/internal/store/aggregate"

// The audit log. Appending to it requires the lock on the row of head.
const (
	sqlLockAudit = `SELECT audit_n, audit_hash FROM head FOR UPDATE`

	sqlSetAudit = `UPDATE head SET audit_n = $1, audit_hash = $2`

	sqlInsertAuditMany = `INSERT INTO audit (` + aggregate.AuditColumns + `)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
		$8::bytea[], $9::text[], $10::bytea[])`

	sqlAuditEnd = `SELECT audit_n, audit_hash FROM head`

	sqlStrays = `SELECT what FROM (
		SELECT 'an audit entry has the number ' || min(n) AS what FROM audit WHERE n < 1 OR n > (SELECT audit_n
		FROM head)
		UNION ALL SELECT 'a signed head has the number ' || min(n) FROM audit_heads WHERE n < 1 OR n > (SELECT audit_n
		FROM head)
		UNION ALL SELECT 'events of run ' || min(run) || ' have no place in the feed' FROM batches
			WHERE last_feed < count OR last_feed > (SELECT feed FROM head)) rows
		WHERE what IS NOT NULL LIMIT 1`
)
