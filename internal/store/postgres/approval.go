package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Approval implements port.Lists.
func (s *Store) Approval(ctx context.Context, id string) (port.ApprovalRow, error) {
	if !wire.Word(id) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	a, err := scanApproval(s.pool.QueryRow(ctx, sqlApproval, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	if err != nil {
		return port.ApprovalRow{}, fmt.Errorf("read approval %s: %w", id, explain(err))
	}
	return a, nil
}

// Approvals implements port.Lists.
func (s *Store) Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	var out port.Page[port.ApprovalRow]
	p, err := planInbox(&q)
	if err != nil {
		return out, err
	}
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, p.count(), p.read(), scanApproval)
	if err != nil {
		return port.Page[port.ApprovalRow]{}, fmt.Errorf("list approvals: %w", err)
	}
	if len(out.Items) > p.limit {
		out.Items = out.Items[:p.limit]
		out.Next = p.cursor(&out.Items[p.limit-1])
	}
	return out, nil
}

// inboxPlan reads a page of the inbox.
type inboxPlan struct {
	q             *port.ApprovalQuery
	sort          port.ApprovalSort
	list          string
	who, statuses []string
	from          *wire.Cursor
	limit         int
}

func planInbox(q *port.ApprovalQuery) (p *inboxPlan, err error) {
	p = &inboxPlan{q: q, limit: wire.PageSize(q.Limit)}
	if p.sort, p.list, err = wire.ApprovalOrder(q.Sort); err != nil {
		return nil, err
	}
	if p.from, err = wire.ParseCursor(q.Cursor, p.list); err != nil {
		return nil, err
	}
	if p.who, err = wire.Looking(q); err != nil {
		return nil, err
	}
	if p.statuses, err = wire.ApprovalStatuses(q); err != nil {
		return nil, err
	}
	if len(p.who)*len(p.statuses) > wire.BranchesMax {
		return nil, fault.Newf(fault.Invalid, "%d names and %d statuses are too many together", len(p.who), len(p.statuses))
	}
	return p, nil
}

// keys are the sort columns, the id last, each behind a prefix.
func (p *inboxPlan) keys(prefix string) string {
	columns := []string{"rank", "requested_at", "approval"}
	switch p.sort {
	case port.ByAge:
		columns = columns[1:]
	case port.ByDeadline:
		columns = []string{"deadline", "approval"}
	}
	return prefix + strings.Join(columns, ", "+prefix)
}

func (p *inboxPlan) cursor(a *port.ApprovalRow) string {
	c := wire.Cursor{List: p.list, ID: a.ID}
	switch p.sort {
	case port.ByAge:
		c.A = wire.Nanos(a.RequestedAt)
	case port.ByDeadline:
		c.A = wire.Deadline(a)
	default:
		c.A, c.B = -int64(a.Priority), wire.Nanos(a.RequestedAt)
	}
	return c.String()
}

// filter needs nothing but the inbox, except for a run.
func (p *inboxPlan) filter() (*where, string) {
	w, table := &where{}, "inbox i"
	if p.q.Run != "" {
		w.eq("a.run", p.q.Run)
		table = "inbox i JOIN approvals a ON a.id = i.approval"
	}
	w.eq("i.workflow", p.q.Workflow)
	w.eq("i.agent", p.q.Agent)
	w.eq("i.tool", p.q.Tool)
	w.eq("i.kind", p.q.Kind)
	w.eq("i.risk", p.q.Risk)
	if !p.q.OlderThan.IsZero() {
		w.add("i.requested_at < ?", wire.Nanos(p.q.OlderThan))
	}
	return w, table
}

// branches reads one index range per reader and status. A run has few
// approvals, so there the order does not matter and all are read.
func (p *inboxPlan) branches(w *where, columns, table, rest string) string {
	who, statuses := w.arg(p.who), w.arg(p.statuses)
	if p.q.Run != "" {
		return `(SELECT ` + columns + ` FROM ` + table + ` WHERE i.who = ANY(` + who + `::text[]) AND i.status = ANY(` + statuses + `::text[]) AND ` + w.String() + `) x`
	}
	return `unnest(` + who + `::text[]) AS one (who) CROSS JOIN unnest(` + statuses + `::text[]) AS two (status) CROSS JOIN LATERAL
		(SELECT ` + columns + ` FROM ` + table + ` WHERE i.who = one.who AND i.status = two.status AND ` + w.String() + rest + `) x`
}

func (p *inboxPlan) count() tally {
	w, table := p.filter()
	most := int64(wire.CountMax)
	if len(p.who) > 1 { // asked both by name and by role, an approval counts once
		most = wire.MergedMax
	}
	from := p.branches(w, "i.approval", table, fmt.Sprintf(" LIMIT %d", most+1))
	if len(p.who) > 1 {
		from = `(SELECT DISTINCT approval FROM ` + from + `) y`
	}
	return counted(most, from, w.args)
}

func (p *inboxPlan) read() query {
	w, table := p.filter()
	if p.from != nil && p.sort == port.ByPriority {
		w.add("("+p.keys("i.")+") > (?, ?, ?)", p.from.A, p.from.B, p.from.ID)
	} else if p.from != nil {
		w.add("("+p.keys("i.")+") > (?, ?)", p.from.A, p.from.ID)
	}
	n := w.arg(p.limit + 1)
	from := p.branches(w, p.keys("i."), table, ` ORDER BY `+p.keys("i.")+` LIMIT `+n)
	sql := `SELECT ` + approvalColumns + ` FROM (SELECT DISTINCT ` + p.keys("x.") + ` FROM ` + from + ` ORDER BY ` + p.keys("x.") + ` LIMIT ` + n + `) AS place
		JOIN approvals ON id = place.approval ORDER BY ` + p.keys("place.")
	return query{sql, w.args}
}

func scanApproval(row pgx.Row) (a port.ApprovalRow, err error) {
	var asked string
	var requested, deadline, settled int64
	if err := row.Scan(&a.ID, &a.Run, &a.Workflow, &a.Step, &a.Agent, &a.Tool, &a.Kind, &a.Reason, &a.Status, &a.Risk, &a.Title, &asked,
		&a.Requester, &a.Priority, &a.Version, &requested, &deadline, &settled, (*[]byte)(&a.Body)); err != nil {
		return a, err
	}
	a.RequestedAt, a.DeadlineAt, a.SettledAt = wire.Time(requested), wire.Time(deadline), wire.Time(settled)
	if len(a.Body) == 0 {
		a.Body = nil
	}
	a.Asked, err = wire.ParseNames(asked)
	return a, err
}
