package app

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// viewApproval shows a stored approval to the caller. Its acts are those that both the core and the caller's roles
// allow.
func (app *App) viewApproval(ctx context.Context, row port.ApprovalRow, who Who, full bool) (view.Approval, error) {
	a, err := view.ReadApproval(row)
	if err != nil {
		return view.Approval{}, err
	}
	acts := app.acts(who, row.Workflow, a)
	veil, err := app.veilOfApproval(ctx, who, row, a, acts)
	if err != nil {
		return view.Approval{}, err
	}
	v := view.ApprovalOf(row, a, full || veil != nil) // masked values are shortened afterwards
	v.Acts, v.For = acts, app.actingFor(who, row.Workflow, a, acts)
	v.VoteAs = app.voteAs(who, row.Workflow, a, acts)
	if v.Away, err = app.awayFrom(ctx, row); err != nil || veil == nil {
		return v, err
	}
	v, told := view.Hide(veil, v)
	v.Masking = told
	return view.Shorten(v, full), nil
}

// voteAs lists the roles among which the caller may choose for a vote; nil unless there are several.
func (app *App) voteAs(who Who, workflow string, a *gate.Approval, acts []gate.Act) []string {
	for _, act := range []gate.Act{gate.Approve, gate.Choose, gate.Submit} {
		if len(a.Terms.Roles) < 2 || !slices.Contains(acts, act) {
			continue
		}
		_, person := app.rules().Act(app.subject(who), act, access.Object{Workflow: workflow, Approval: a})
		if seats := a.Seats(person); len(seats) > 1 {
			return seats
		}
	}
	return nil
}

// countDrafts sets, for pending approvals, how many files of their runs are drafts: an approval includes them. All are
// counted in one query.
func (app *App) countDrafts(ctx context.Context, views ...*view.Approval) error {
	var runs []string
	views = slices.DeleteFunc(views, func(v *view.Approval) bool {
		return v.Status != gate.Pending || v.Kind != gate.KindApproval || v.Action.Type == "run" || v.Action.Type == "limit"
	})
	for _, v := range views {
		runs = append(runs, v.Run)
	}
	if len(runs) == 0 {
		return nil
	}
	slices.Sort(runs)
	counts, err := app.lists.Drafts(ctx, slices.Compact(runs))
	for _, v := range views {
		v.Drafts = counts[v.Run]
	}
	return err
}
