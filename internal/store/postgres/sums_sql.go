package postgres

const (
	sqlNewestFamily = `SELECT COALESCE(MAX(no), 0) FROM counted WHERE family = $1 AND sum = $2 AND run <> $3`
	sqlNewestSince  = `SELECT COALESCE(MAX(no), 0) FROM counted WHERE sum = $1 AND at >= $2 AND run <> $3`

	sqlUncountMany = `DELETE FROM counted c USING unnest($1::text[], $2::text[]) AS u (act, run)
		WHERE c.act = u.act AND c.run = u.run`
	sqlCountMany = `INSERT INTO counted (act, sum, run, family, operation, at, known, giga, unit, nano)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
		$8::bigint[], $9::bigint[], $10::bigint[])`
)
