package postgres

import "github.com/assent-run/assent/internal/store/aggregate"

// A read ends with the row that reaches $3 events or $4 bytes. The server has to apply the limits, because it
// sends every row it has started to send.
const (
	boundedStart = `SELECT last_feed, run, last_seq, count, body FROM (
		SELECT *, sum(count) OVER w - count AS events, sum(octet_length(body)) OVER w - octet_length(body) AS bytes
		FROM (`
	boundedEnd = `) b WINDOW w AS (ORDER BY last_feed)) c WHERE events < $3 AND bytes < $4 ORDER BY last_feed`
)

// The log, snapshots and answers. Statements that end in Many take one array per column; the others are for rows that
// are large.
const (
	// Statements after the lock see everything that was committed before it was granted: in READ COMMITTED
	// each takes a new snapshot.
	sqlLockHead = `SELECT feed, epoch, generation, pg_current_xact_id()::text, audit_n, audit_hash FROM head FOR UPDATE`

	sqlGeneration     = `SELECT generation FROM head`
	sqlNextGeneration = `UPDATE head SET generation = generation + 1`

	sqlUsesMany    = `SELECT rule, uses FROM grants WHERE rule = ANY ($1)`
	sqlSetUsesMany = `INSERT INTO grants (rule, uses) SELECT * FROM unnest($1::text[], $2::bigint[])
		ON CONFLICT (rule) DO UPDATE SET uses = excluded.uses`

	// The server sends the notification when the transaction commits.
	sqlSetHead = `UPDATE head SET feed = $1, audit_n = $2, audit_hash = $3 RETURNING pg_notify('assent_feed', '')`

	sqlListen = `LISTEN assent_feed; LISTEN ` + keysChannel

	sqlTouchHead = `UPDATE head SET feed = feed`
	sqlHasBatch  = `SELECT EXISTS (SELECT FROM batches WHERE last_feed = $1 AND run = $2 AND last_seq = $3 AND body = $4)`
	sqlHasAnswer = `SELECT EXISTS (SELECT FROM answers WHERE key = $1 AND body = $2 AND status = $3 AND at = $4)`
	sqlHasEntry  = `SELECT EXISTS (SELECT FROM audit WHERE n = $1 AND hash = $2)`
	sqlCommitted = `SELECT coalesce(pg_xact_status($1::text::xid8) = 'committed', false)`

	sqlHead = `SELECT feed FROM head`

	sqlNextEpoch = `UPDATE head SET epoch = epoch + 1 RETURNING epoch`

	sqlEndEpoch = `UPDATE head SET epoch = epoch + 1 WHERE epoch = $1`

	sqlEpoch = `SELECT epoch FROM head`

	// One leader per schema.
	sqlLead = `SELECT pg_advisory_lock(hashtextextended('assent lead ' || current_schema(), 0))`

	sqlInsertBatchMany = `INSERT INTO batches (last_feed, run, last_seq, count, body)
		SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[])`
	sqlInsertBatch = `INSERT INTO batches (last_feed, run, last_seq, count, body) VALUES ($1, $2, $3, $4, $5)`

	sqlBatchesOfRun = boundedStart + `SELECT * FROM batches WHERE run = $1 AND last_seq > $2
		ORDER BY last_seq LIMIT $3` + boundedEnd

	sqlPastRun     = `SELECT ` + aggregate.RunColumns + ` FROM runs WHERE id = $1`
	sqlPastBatches = boundedStart + `SELECT * FROM batches WHERE run = $1
		AND last_seq > greatest($2, (SELECT snapshot_seq FROM runs WHERE id = $1)) ORDER BY last_seq LIMIT $3` + boundedEnd

	sqlFeed = boundedStart + `SELECT * FROM batches WHERE $1 = '' AND last_feed > $2
		ORDER BY last_feed LIMIT $3` + boundedEnd

	// Within a run both numbers grow together, so the index provides the order.
	sqlFeedOfRun = boundedStart + `SELECT * FROM batches WHERE run = $1 AND last_seq > coalesce(
		(SELECT last_seq FROM batches WHERE run = $1 AND last_feed <= $2 ORDER BY last_seq DESC LIMIT 1), 0)
		ORDER BY last_seq LIMIT $3` + boundedEnd

	sqlInsertSnapshotMany = `INSERT INTO snapshots (run, seq, state)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[]) ON CONFLICT DO NOTHING`
	sqlInsertSnapshot = `INSERT INTO snapshots (run, seq, state) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

	sqlDropSnapshots = `DELETE FROM snapshots s USING
		(SELECT run, seq, row_number() OVER (PARTITION BY run ORDER BY seq DESC) AS n FROM snapshots
		WHERE run = ANY($1::text[])) o
		WHERE s.run = o.run AND s.seq = o.seq AND o.n > $2`

	sqlSnapshot = `SELECT seq, state FROM snapshots WHERE run = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`

	sqlAnswerMany = `SELECT ` + aggregate.AnswerColumns + ` FROM answers WHERE key = ANY($1::text[])`

	sqlInsertAnswerMany = `INSERT INTO answers (key, body, status, at, answer)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[])`
)
