package browse

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const (
	mineRows  = 1000 // rows that one request examines, once for the page and once for the total
	mineChunk = 200  // of them at a time
	minePage  = 50   // entries, by default
)

// Mine lists the approvals that the viewer may answer, and the settled ones that asked them. The assignees
// alone do not decide that: administrators may answer approvals that ask others, and the requester may be excluded. So
// each row is checked with the rules that its acts come from, and the total is counted the same way.
func (l *Lists) Mine(ctx context.Context, q port.ApprovalQuery) (view.List[view.Approval], error) {
	asks := l.viewer.Rules.Asks(l.viewer.Subject)
	q.Asked = asks
	if slices.Contains(l.viewer.Roles, gate.RoleAdmin) {
		q.Asked = nil // administrators may answer approvals that ask others
	}
	m := mine{l, ctx, q, asks}
	page, err := m.page()
	if err != nil {
		return view.List[view.Approval]{}, err
	}
	return l.show(ctx, q, page)
}

// mine reads approvals and leaves out those that the viewer may not answer.
type mine struct {
	*Lists
	ctx  context.Context
	q    port.ApprovalQuery
	asks []string
}

// page reads until the page is full. It reads no more than fits, so that the
// cursor is that of the last row; the last few are left to the next page, since
// reading them one by one takes too long.
func (m *mine) page() (port.Page[port.ApprovalRow], error) {
	limit := m.q.Limit
	if limit <= 0 {
		limit = minePage
	}
	out := port.Page[port.ApprovalRow]{Next: m.q.Cursor}
	for seen := 0; ; {
		rows, n, next, err := m.read(out.Next, limit-len(out.Items))
		if err != nil {
			return out, err
		}
		out.Items, out.Next = append(out.Items, rows...), next
		if seen += n; next == "" || seen >= mineRows || 4*(limit-len(out.Items)) < limit {
			break
		}
	}
	if m.q.NoTotal {
		return out, nil
	}
	if m.q.Cursor == "" && out.Next == "" {
		out.Total = int64(len(out.Items))
		return out, nil
	}
	var err error
	out.Total, out.AtLeast, err = m.count()
	return out, err
}

// count counts all of the viewer's approvals, from the first page on.
func (m *mine) count() (total int64, atLeast bool, err error) {
	for seen, cursor := 0, ""; seen < mineRows; {
		rows, n, next, err := m.read(cursor, mineChunk)
		if err != nil {
			return 0, false, err
		}
		total += int64(len(rows))
		if seen, cursor = seen+n, next; next == "" {
			return total, false, nil
		}
	}
	return total, true, nil
}

// read reads some rows, and returns how many of them it examined.
func (m *mine) read(cursor string, limit int) (kept []port.ApprovalRow, n int, next string, err error) {
	q := m.q
	q.Cursor, q.Limit, q.NoTotal = cursor, limit, true
	page, err := m.rows(m.ctx, q)
	if err != nil {
		return nil, 0, "", err
	}
	for _, row := range page.Items {
		ok, err := m.theirs(row)
		if err != nil {
			return nil, 0, "", err
		}
		if ok {
			kept = append(kept, row)
		}
	}
	return kept, len(page.Items), page.Next, nil
}

func (m *mine) theirs(row port.ApprovalRow) (bool, error) {
	if row.Status != string(gate.Pending) {
		open := len(row.Asked) == 0 || slices.Contains(row.Asked, port.Anyone)
		return open || slices.ContainsFunc(row.Asked, func(asked string) bool { return slices.Contains(m.asks, asked) }), nil
	}
	ap, err := view.ReadApproval(row)
	if err != nil {
		return false, err
	}
	return len(m.viewer.Acts(row.Workflow, ap)) > 0, nil
}
