package postgres

const (
	tallyColumns = `operation, SUM(known)::bigint, SUM(1 - known)::bigint, SUM(giga)::bigint, SUM(unit)::bigint, SUM(nano)::bigint, MAX(no)`

	sqlTallyFamily = `SELECT ` + tallyColumns + ` FROM counted WHERE family = $1 AND sum = $2 AND run <> $3 GROUP BY operation`
	sqlTallySince  = `SELECT ` + tallyColumns + ` FROM counted WHERE sum = $1 AND at >= $2 AND run <> $3 GROUP BY operation`

	sqlNewestFamily = `SELECT COALESCE(MAX(no), 0) FROM counted WHERE family = $1 AND sum = $2 AND run <> $3`
	sqlNewestSince  = `SELECT COALESCE(MAX(no), 0) FROM counted WHERE sum = $1 AND at >= $2 AND run <> $3`

	sqlUncountMany = `DELETE FROM counted c USING unnest($1::text[], $2::text[]) AS u (act, run) WHERE c.act = u.act AND c.run = u.run`
	sqlCountMany   = `INSERT INTO counted (act, sum, run, family, operation, at, known, giga, unit, nano)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])`

	sqlForgetCounted = `DELETE FROM counted WHERE no IN (SELECT no FROM counted c WHERE at < $1
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id IN (c.run, c.family) AND r.ended_at = 0) ORDER BY at LIMIT $2)`
)
