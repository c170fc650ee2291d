package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

func storeApproval(t *tx, a *port.ApprovalRow, old wire.Filed) error {
	now := wire.FiledAs(a)
	body := []byte(a.Body)
	if body == nil {
		body = []byte{}
	}
	var err error
	if old.Run == "" {
		err = t.exec(sqlInsertApproval, a.ID, a.Run, a.Workflow, a.Step, a.Agent, a.Tool, a.Kind, a.Reason, a.Status, a.Risk,
			wire.Text(a.Title), now.Asked, a.Requester, a.Priority, a.Version, now.Requested, now.Deadline, wire.Nanos(a.SettledAt), body)
	} else {
		err = t.exec(sqlUpdateApproval, a.Workflow, a.Step, a.Agent, a.Tool, a.Kind, a.Reason, a.Status, a.Risk,
			wire.Text(a.Title), now.Asked, a.Requester, a.Priority, a.Version, now.Requested, now.Deadline, wire.Nanos(a.SettledAt), body, a.ID)
	}
	if err != nil || old == now {
		return err
	}
	if old.Run != "" {
		if err := t.exec(sqlUnfile, a.ID); err != nil {
			return err
		}
	}
	for _, who := range wire.Readers(a) {
		if err := t.exec(sqlFile, who, a.Status, -now.Priority, now.Requested, wire.Deadline(a), a.ID, a.Workflow, a.Agent, a.Tool, a.Kind, a.Risk); err != nil {
			return err
		}
	}
	return nil
}

// Approval implements port.Lists.
func (s *Store) Approval(ctx context.Context, id string) (port.ApprovalRow, error) {
	if !wire.Word(id) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	a, err := scanApproval(s.read.QueryRowContext(ctx, sqlApproval, id))
	if errors.Is(err, sql.ErrNoRows) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	if err != nil {
		return port.ApprovalRow{}, fmt.Errorf("read approval %s: %w", id, explain(err))
	}
	return a, nil
}

// Approvals implements port.Lists.
func (s *Store) Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	p, err := planInbox(&q)
	if err != nil {
		return port.Page[port.ApprovalRow]{}, err
	}
	var page port.Page[port.ApprovalRow]
	err = s.snapshotRead(ctx, func(tx *sql.Tx) error { return p.read(ctx, tx, &page) })
	if err != nil {
		return port.Page[port.ApprovalRow]{}, fmt.Errorf("list approvals: %w", err)
	}
	return page, nil
}

// inboxPlan reads a page of the inbox.
type inboxPlan struct {
	who, statuses []string
	filter        *where
	table         string
	key           string // sort columns
	list          string
	from          *wire.Cursor
	limit         int
	two           bool // the key has two columns besides the id
}

func planInbox(q *port.ApprovalQuery) (*inboxPlan, error) {
	sort, list, err := wire.ApprovalOrder(q.Sort)
	if err != nil {
		return nil, err
	}
	p := &inboxPlan{list: list, limit: wire.PageSize(q.Limit), two: sort == port.ByPriority}
	if p.from, err = wire.ParseCursor(q.Cursor, list); err != nil {
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
	p.key = map[port.ApprovalSort]string{
		port.ByPriority: "i.rank, i.requested_at, i.approval", port.ByAge: "i.requested_at, i.approval", port.ByDeadline: "i.deadline, i.approval",
	}[sort]
	p.filter, p.table = inboxFilter(q)
	return p, nil
}

// inboxFilter needs nothing but the inbox, except for a run: it has few
// approvals, so that search begins with those.
func inboxFilter(q *port.ApprovalQuery) (*where, string) {
	w, table := &where{}, "inbox i"
	if q.Run != "" {
		w.eq("a.run", q.Run)
		table = "approvals a CROSS JOIN inbox i INDEXED BY inbox_by_approval ON i.approval = a.id"
	}
	w.eq("i.workflow", q.Workflow)
	w.eq("i.agent", q.Agent)
	w.eq("i.tool", q.Tool)
	w.eq("i.kind", q.Kind)
	w.eq("i.risk", q.Risk)
	if !q.OlderThan.IsZero() {
		w.add("i.requested_at < ?", wire.Nanos(q.OlderThan))
	}
	return w, table
}

// spot is an approval's place in the order.
type spot struct {
	a, b int64
	id   string
}

func (x spot) compare(y spot) int {
	return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.id, y.id))
}

func (p *inboxPlan) read(ctx context.Context, tx *sql.Tx, page *port.Page[port.ApprovalRow]) error {
	var err error
	if page.Total, page.AtLeast, err = p.count(ctx, tx); err != nil {
		return err
	}
	var spots []spot
	for _, who := range p.who {
		for _, status := range p.statuses {
			more, err := p.branch(ctx, tx, who, status)
			if err != nil {
				return err
			}
			spots = append(spots, more...)
		}
	}
	slices.SortFunc(spots, spot.compare)
	spots = slices.Compact(spots) // asked both by name and by role
	if len(spots) > p.limit {
		spots = spots[:p.limit]
		last := spots[p.limit-1]
		page.Next = wire.Cursor{List: p.list, A: last.a, B: last.b, ID: last.id}.String()
	}
	page.Items, err = approvalsAt(ctx, tx, spots)
	return err
}

// branch reads one index range.
func (p *inboxPlan) branch(ctx context.Context, tx *sql.Tx, who, status string) ([]spot, error) {
	w := p.filter.clone()
	w.add("i.who = ? AND i.status = ?", who, status)
	columns := p.key
	if !p.two {
		columns = "i." + map[bool]string{true: "requested_at", false: "deadline"}[p.list == wire.AgeList] + ", 0, i.approval"
	}
	switch {
	case p.from != nil && p.two:
		w.add("("+p.key+") > (?, ?, ?)", p.from.A, p.from.B, p.from.ID)
	case p.from != nil:
		w.add("("+p.key+") > (?, ?)", p.from.A, p.from.ID)
	}
	query := `SELECT ` + columns + ` FROM ` + p.table + ` WHERE ` + w.String() + ` ORDER BY ` + p.key + ` LIMIT ?`
	return collect(func(r *sql.Rows) (x spot, err error) { return x, r.Scan(&x.a, &x.b, &x.id) })(
		tx.QueryContext(ctx, query, append(w.args, p.limit+1)...))
}

func (p *inboxPlan) count(ctx context.Context, tx *sql.Tx) (int64, bool, error) {
	w := p.filter.clone()
	distinct, most := "DISTINCT ", int64(wire.MergedMax)
	if len(p.who) == 1 { // an approval has one status and is filed once per reader
		distinct, most = "", wire.CountMax
	}
	w.add("i.who IN "+in(len(p.who)), anys(p.who)...)
	w.add("i.status IN "+in(len(p.statuses)), anys(p.statuses)...)
	return count(ctx, tx, most, `SELECT `+distinct+`i.approval FROM `+p.table+` WHERE `+w.String(), w.args)
}

func approvalsAt(ctx context.Context, tx *sql.Tx, spots []spot) ([]port.ApprovalRow, error) {
	if len(spots) == 0 {
		return nil, nil
	}
	ids, place := make([]any, len(spots)), make(map[string]int, len(spots))
	for i, x := range spots {
		ids[i], place[x.id] = x.id, i
	}
	rows, err := collect(func(r *sql.Rows) (port.ApprovalRow, error) { return scanApproval(r) })(
		tx.QueryContext(ctx, sqlApprovalsIn+in(len(ids)), ids...))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b port.ApprovalRow) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return rows, nil
}

func scanApproval(row scanner) (a port.ApprovalRow, err error) {
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
