package sight

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// ShowApproval shows a stored approval to the viewer. Its acts are those that both the core and the viewer's roles
// allow.
func (s *Sight) ShowApproval(ctx context.Context, v Viewer, row port.ApprovalRow, full bool) (view.Approval, error) {
	ap, err := view.ReadApproval(row)
	if err != nil {
		return view.Approval{}, err
	}
	acts := v.Acts(row.Workflow, ap)
	veil, err := s.VeilOfApproval(ctx, v, row, ap, acts)
	if err != nil {
		return view.Approval{}, err
	}
	shown := view.ApprovalOf(row, ap, full || veil != nil) // masked values are shortened afterwards
	shown.Acts, shown.For = acts, v.actingFor(row.Workflow, ap, acts)
	shown.VoteAs = v.voteAs(row.Workflow, ap, acts)
	if shown.Away, err = s.awayFrom(ctx, row); err != nil || veil == nil {
		return shown, err
	}
	shown, told := view.Hide(veil, shown)
	shown.Masking = told
	return view.Shorten(shown, full), nil
}

// Acts lists the actions open to the viewer on an approval now.
func (v Viewer) Acts(workflow string, ap *gate.Approval) []gate.Act {
	return v.Rules.Acts(v.Subject, access.Object{Workflow: workflow, Approval: ap})
}

// actingFor names the person for whom the viewer would decide an approval; empty: for themselves.
func (v Viewer) actingFor(workflow string, ap *gate.Approval, acts []gate.Act) string {
	if len(v.For) == 0 {
		return ""
	}
	name := ""
	for _, act := range acts {
		_, person := v.Rules.Act(v.Subject, act, access.Object{Workflow: workflow, Approval: ap})
		name = cmp.Or(name, person.For)
	}
	return name
}

// voteAs lists the roles among which the viewer may choose for a vote; nil unless there are several.
func (v Viewer) voteAs(workflow string, ap *gate.Approval, acts []gate.Act) []string {
	for _, act := range []gate.Act{gate.Approve, gate.Choose, gate.Submit} {
		if len(ap.Terms.Roles) < 2 || !slices.Contains(acts, act) {
			continue
		}
		_, person := v.Rules.Act(v.Subject, act, access.Object{Workflow: workflow, Approval: ap})
		if seats := ap.Seats(person); len(seats) > 1 {
			return seats
		}
	}
	return nil
}

// awayFrom lists the people whom an open approval asks by name and who are away.
func (s *Sight) awayFrom(ctx context.Context, row port.ApprovalRow) (out []view.Away, err error) {
	named := func(who string) bool { return who != port.Anyone && !strings.HasPrefix(who, "role:") }
	if row.Status != string(gate.Pending) || !slices.ContainsFunc(row.Asked, named) {
		return nil, nil
	}
	absent, err := s.away(ctx, row.Asked)
	for _, one := range absent {
		out = append(out, view.Away{Name: one.Name, To: one.To, Until: one.Until})
	}
	return out, err
}

// CountDrafts sets, for pending approvals, how many files of their runs are drafts: an approval includes them. All are
// counted in one query.
func (s *Sight) CountDrafts(ctx context.Context, views ...*view.Approval) error {
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
	counts, err := s.store.Drafts(ctx, slices.Compact(runs))
	for _, v := range views {
		v.Drafts = counts[v.Run]
	}
	return err
}
