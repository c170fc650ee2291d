package app

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

// Recipients lists to whom the caller could delegate or escalate an approval. Only callers
// who may do that see names. Of others' roles they see those that this approval asks;
// administrators see all.
func (a *App) Recipients(ctx context.Context, who Who, id, text string,
	limit int) (view.List[directory.Recipient], error) {
	none := view.List[directory.Recipient]{}
	row, err := a.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return none, err
	}
	ap, err := view.ReadApproval(row)
	if err != nil {
		return none, err
	}
	acts := a.guard.Viewer(who).Acts(row.Workflow, ap)
	if !slices.Contains(acts, gate.Delegate) && !slices.Contains(acts, gate.Escalate) {
		return none, fault.New(fault.Forbidden, "you can't delegate or escalate this approval", "")
	}
	found, total, err := a.people.Recipients(ctx, ap, directory.RecipientQuery{
		Except: who.Key(), AllRoles: slices.Contains(who.Roles, gate.RoleAdmin),
		Deciding: a.guard.Rules().DecidingRoles(access.Object{Workflow: row.Workflow, Approval: ap}),
		Text:     text, Limit: limit,
	})
	return view.List[directory.Recipient]{Items: found, Total: int64(total)}, err
}
