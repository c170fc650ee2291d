package sqlite

import "github.com/assent-run/assent/internal/store/aggregate"

// Approvals and the inbox.
const (
	sqlFiled = `SELECT run, status, asked, workflow, agent, tool, kind, risk, priority, requested_at, deadline_at
		FROM approvals WHERE id = ?`

	sqlInsertApproval = `INSERT INTO approvals (id, run, workflow, step, agent, tool, kind, reason, status, risk, title,
		asked, requester, priority, version, requested_at, deadline_at, settled_at, body, words)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlUpdateApproval = `UPDATE approvals SET workflow = ?, step = ?, agent = ?, tool = ?, kind = ?, reason = ?,
		status = ?, risk = ?, title = ?, asked = ?, requester = ?, priority = ?, version = ?, requested_at = ?,
		deadline_at = ?, settled_at = ?, body = ?, words = ?
		WHERE id = ?`

	sqlFile = `INSERT INTO inbox (who, status, rank, requested_at, due, approval, workflow, agent, tool, kind, risk)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlUnfile = `DELETE FROM inbox WHERE who = ? AND status = ? AND rank = ? AND requested_at = ? AND approval = ?`

	sqlAddShare = `INSERT INTO shares (who, facet, workflow, agent, tool, kind, risk) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`

	sqlApprovalsIn = `SELECT ` + aggregate.ApprovalColumns + ` FROM approvals WHERE id IN `
)
