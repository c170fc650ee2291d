package app

import (
	"context"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// GroupRows bounds how many approvals are grouped at once.
const GroupRows = 1000

// GroupApprovals lists pending approvals with one row for similar ones of a run: the same step, agent, tool, gate,
// kind, risk and acts. An outlier among them, by an amount far from the others' or a value that differs from nearly
// all others, has a row of its own.
func (a *App) GroupApprovals(ctx context.Context, who Who, q port.ApprovalQuery, text string,
	mine bool) (view.List[view.Approval], error) {
	q.Status, q.Limit = []string{string(gate.Pending)}, GroupRows
	list, err := a.SearchApprovals(ctx, who, q, text, mine)
	if err != nil {
		return list, err
	}
	list.Items = view.Group(list.Items)
	return list, nil
}
