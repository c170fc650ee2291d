package browse

import (
	"cmp"
	"context"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// GroupRows bounds how many approvals are grouped at once.
const GroupRows = 1000

// Approvals lists the inbox, or the approvals of one run. For a viewer who tries out roles, the inbox shows the
// approvals that they may answer, and a run all that they may see of it.
func (l *Lists) Approvals(ctx context.Context, q port.ApprovalQuery) (view.List[view.Approval], error) {
	page, err := l.rows(ctx, q)
	if err != nil {
		return view.List[view.Approval]{}, err
	}
	return l.show(ctx, q, page)
}

// rows is a page of the approvals that the viewer sees.
func (l *Lists) rows(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	q.Scope = l.viewer.Scope()
	tries := l.viewer.Rules.Tries(l.viewer.Subject)
	if tries && q.Run == "" {
		q.Asked = answerable(q.Asked, l.viewer.Rules.Asks(l.viewer.Subject))
	}
	page, err := l.store.Approvals(ctx, q)
	if err == nil && tries && q.Run != "" {
		err = l.onlySeen(ctx, &page)
	}
	return page, err
}

func (l *Lists) show(ctx context.Context, q port.ApprovalQuery,
	page port.Page[port.ApprovalRow]) (view.List[view.Approval], error) {
	view.ByNumber(page.Items, q.Sort == port.ByNewest || q.Sort == port.BySettled)
	shown, err := view.PageOf(page, func(row port.ApprovalRow) (view.Approval, error) {
		return l.sight.ShowApproval(ctx, l.viewer, row, false)
	})
	view.TellApart(shown.Items)
	all := make([]*view.Approval, len(shown.Items))
	for i := range shown.Items {
		all[i] = &shown.Items[i]
	}
	return shown, cmp.Or(err, l.sight.CountDrafts(ctx, all...))
}

// onlySeen removes from a page the approvals that its viewer could not open one by one.
func (l *Lists) onlySeen(ctx context.Context, page *port.Page[port.ApprovalRow]) error {
	seen := make([]port.ApprovalRow, 0, len(page.Items))
	for _, row := range page.Items {
		o, err := l.sight.About(ctx, row)
		if err != nil {
			return err
		}
		if l.viewer.Sees(o) {
			seen = append(seen, row)
		}
	}
	page.Total = max(page.Total-int64(len(page.Items)-len(seen)), 0)
	page.Items = seen
	return nil
}

// answerable narrows an assignee filter to the viewer's own names. Approvals without a particular assignee are shown
// either way.
func answerable(wanted, own []string) []string {
	if len(wanted) == 0 {
		return own
	}
	both := slices.DeleteFunc(slices.Clone(wanted), func(who string) bool { return !slices.Contains(own, who) })
	if len(both) == 0 {
		return own[:1]
	}
	return both
}

// SearchApprovals lists the approvals that have every word of a text, among all or among the viewer's own.
func (l *Lists) SearchApprovals(ctx context.Context, q port.ApprovalQuery, text string,
	mine bool) (view.List[view.Approval], error) {
	q.Text = text
	return view.Found(text, q.Cursor, q.Limit, l.sight.Unmasked(l.viewer),
		func(cursor string, limit int) (view.List[view.Approval], error) {
			q.Cursor, q.Limit = cursor, limit
			if mine {
				return l.Mine(ctx, q)
			}
			return l.Approvals(ctx, q)
		}, view.Approval.Texts)
}

// Grouped lists pending approvals with one row for similar ones of a run: the same step, agent, tool, gate, kind,
// risk and acts. An outlier among them, by an amount far from the others' or a value that differs from nearly all
// others, has a row of its own.
func (l *Lists) Grouped(ctx context.Context, q port.ApprovalQuery, text string,
	mine bool) (view.List[view.Approval], error) {
	q.Status, q.Limit = []string{string(gate.Pending)}, GroupRows
	list, err := l.SearchApprovals(ctx, q, text, mine)
	if err != nil {
		return list, err
	}
	list.Items = view.Group(list.Items)
	return list, nil
}
