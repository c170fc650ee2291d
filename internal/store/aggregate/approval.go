package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// ApprovalColumns are the columns of an approval, in the order of ScanApproval.
const ApprovalColumns = `id, run, workflow, step, agent, tool, kind, reason, status, risk, title, asked, requester,
	priority, version, approvals.requested_at, deadline_at, settled_at, body`

const sqlApproval = `SELECT ` + ApprovalColumns + ` FROM approvals WHERE id = ?`

// Approval implements port.Lists.
func (a *Aggregates) Approval(ctx context.Context, id string) (port.ApprovalRow, error) {
	return one(ctx, a, ScanApproval, a.vault.ShowApproval, sqlApproval, "approval", id)
}

// Approvals implements port.Lists.
func (a *Aggregates) Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	plan, err := storekit.PlanInbox(&q)
	switch {
	case err != nil || plan.Nothing:
		return port.Page[port.ApprovalRow]{}, err
	case plan.On() && a.vault.On():
		again := func(q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) { return a.Approvals(ctx, q) }
		return storekit.SiftApprovals(q, plan, again)
	}
	out, err := a.db.InboxPage(ctx, plan)
	if err == nil {
		err = storekit.ShowAll(out.Items, a.vault.ShowApproval)
	}
	if err != nil {
		return port.Page[port.ApprovalRow]{}, fmt.Errorf("list approvals: %w", err)
	}
	return out, nil
}

// ScanApproval reads ApprovalColumns.
func ScanApproval(row storekit.Row) (a port.ApprovalRow, err error) {
	var asked string
	var requested, deadline, settled int64
	err = row.Scan(&a.ID, &a.Run, &a.Workflow, &a.Step, &a.Agent, &a.Tool, &a.Kind, &a.Reason, &a.Status, &a.Risk,
		&a.Title, &asked, &a.Requester, &a.Priority, &a.Version, &requested, &deadline, &settled, (*[]byte)(&a.Body))
	if err != nil {
		return a, err
	}
	a.RequestedAt, a.DeadlineAt, a.SettledAt = storekit.Time(requested), storekit.Time(deadline), storekit.Time(settled)
	if len(a.Body) == 0 {
		a.Body = nil
	}
	a.Asked, err = storekit.ParseNames(asked)
	return a, err
}
