package postgres

// approvalFields are the columns of an approval, without the table name.
const approvalFields = `id, run, workflow, step, agent, tool, kind, reason, status, risk, title, asked, requester,
	priority, version, requested_at, deadline_at, settled_at, body`

// Approvals and the inbox.
const (
	sqlFiledMany = `SELECT id, run, status, asked, workflow, agent, tool, kind, risk, priority, requested_at,
		deadline_at FROM approvals WHERE id = ANY($1::text[])`

	sqlPutApprovalMany = putApprovals + `$19::bytea[]` + orUpdateApprovals
	sqlPutApproval     = putApprovals + `ARRAY[$19::bytea]` + orUpdateApprovals

	putApprovals = `INSERT INTO approvals (` + approvalFields + `, words)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
		$8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[],
		$16::bigint[], $17::bigint[], $18::bigint[], `
	orUpdateApprovals = `, $20::text[])
		ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, step = excluded.step, agent = excluded.agent,
		tool = excluded.tool, kind = excluded.kind, reason = excluded.reason, status = excluded.status,
		risk = excluded.risk, title = excluded.title, asked = excluded.asked, requester = excluded.requester,
		priority = excluded.priority, version = excluded.version, requested_at = excluded.requested_at,
		deadline_at = excluded.deadline_at, settled_at = excluded.settled_at, body = excluded.body,
		words = excluded.words`

	sqlUnfileMany = `DELETE FROM inbox i USING unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[]) AS
		o (who, status, rank, requested_at, approval)
		WHERE i.who = o.who AND i.status = o.status AND i.rank = o.rank AND i.requested_at = o.requested_at
		AND i.approval = o.approval`

	sqlAddShareMany = `INSERT INTO shares (who, facet, workflow, agent, tool, kind, risk)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
		ON CONFLICT DO NOTHING`

	sqlFileMany = `INSERT INTO inbox (who, status, rank, requested_at, due, approval, workflow, agent, tool, kind, risk)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
		$8::text[], $9::text[], $10::text[], $11::text[])`
)
