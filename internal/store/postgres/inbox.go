package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Approvals implements port.Lists.
func (s *Store) Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	var out port.Page[port.ApprovalRow]
	plan, err := wire.PlanInbox(&q)
	switch {
	case err != nil || plan.Nothing:
		return out, err
	case plan.On() && s.vault.On():
		return wire.SiftApprovals(q, plan, func(q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) { return s.Approvals(ctx, q) })
	}
	if err := plan.Find(s.index(ctx)); err != nil {
		return out, fmt.Errorf("list approvals: %w", explain(err))
	}
	parts, err := plan.Parts(func(c wire.Cond) (n int, err error) {
		q := numbered(c)
		err = s.pool.QueryRow(ctx, q.sql, q.args...).Scan(&n)
		return n, err
	})
	if err != nil {
		return out, fmt.Errorf("list approvals: %w", explain(err))
	}
	pages := make([]port.Page[port.ApprovalRow], len(parts))
	for i, part := range parts {
		if pages[i], err = (inboxPlan{part}).page(ctx, s); err != nil {
			return out, fmt.Errorf("list approvals: %w", explain(err))
		}
	}
	out = plan.Merge(pages)
	if plan.Uncounted {
		wire.AtLeast(&out, plan.From == nil)
	}
	return out, nil
}

// inboxPlan reads a page of the inbox.
type inboxPlan struct{ *wire.InboxPlan }

func (p inboxPlan) page(ctx context.Context, s *Store) (out port.Page[port.ApprovalRow], err error) {
	if err := p.narrow(ctx, s); err != nil || p.Empty {
		return out, err
	}
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, p.count(), p.read(), scanApproval)
	if err == nil {
		err = wire.ShowAll(out.Items, s.vault.ShowApproval)
	}
	if err != nil {
		return port.Page[port.ApprovalRow]{}, err
	}
	if len(out.Items) > p.Limit {
		out.Items = out.Items[:p.Limit]
		out.Next = p.Place(&out.Items[p.Limit-1]).String()
	}
	out.Total = max(out.Total, int64(len(out.Items)))
	return out, nil
}

// narrow looks up which facets match a filter, or are seen.
func (p inboxPlan) narrow(ctx context.Context, s *Store) error {
	word := func(r pgx.Row) (word string, err error) { return word, r.Scan(&word) }
	size := func(who []string, most int) (n int, err error) {
		err = s.pool.QueryRow(ctx, sqlInboxSize, who, p.Statuses, most).Scan(&n)
		return n, err
	}
	if p.Scoped() {
		return p.Sharpen(func(c wire.Cond) ([]string, error) {
			q := numbered(c)
			return list(ctx, s, word, q.sql, q.args...)
		}, size)
	}
	if !p.Filtered() {
		return nil
	}
	w := &where{}
	w.add("who = ANY(?::text[])", p.Who)
	p.facet(w, "")
	n := w.arg(wire.FacetsMax + 1)
	facets, err := list(ctx, s, word, `SELECT DISTINCT facet FROM shares WHERE `+w.String()+` LIMIT `+n, w.args...)
	if err != nil {
		return err
	}
	return p.Narrow(facets, size)
}

// facet adds conditions on what approvals have in common.
func (p inboxPlan) facet(w *where, prefix string) {
	w.eq(prefix+"workflow", p.Facet.Workflow)
	w.eq(prefix+"agent", p.Facet.Agent)
	w.eq(prefix+"tool", p.Facet.Tool)
	w.eq(prefix+"kind", p.Facet.Kind)
	w.eq(prefix+"risk", p.Facet.Risk)
}

// keys are the sort columns, the id last, each behind a prefix.
func (p inboxPlan) keys(prefix string) string {
	columns := []string{"rank", "requested_at", "approval"}
	switch p.Sort {
	case port.ByAge, port.ByNewest:
		columns = columns[1:]
	case port.ByDeadline, port.BySettled:
		columns = []string{"due", "approval"}
	}
	return prefix + strings.Join(columns, ", "+prefix)
}

// order is how the keys are sorted.
func (p inboxPlan) order(prefix string) string {
	keys := p.keys(prefix)
	if wire.Backwards(p.Sort) {
		keys = strings.ReplaceAll(keys, ", ", " DESC, ") + " DESC"
	}
	return ` ORDER BY ` + keys
}

// filter is what leaves out places in the inbox.
func (p inboxPlan) filter() *where {
	w := &where{}
	w.eq("a.run", p.Run)
	p.facet(w, "i.")
	if p.Since != 0 {
		w.add("i.requested_at >= ?", p.Since)
	}
	if p.Before != 0 {
		w.add("i.requested_at < ?", p.Before)
	}
	if len(p.Among) > 0 {
		w.add(`EXISTS (SELECT 1 FROM inbox o WHERE o.who = ANY(?::text[]) AND o.status = i.status AND o.rank = i.rank
			AND o.requested_at = i.requested_at AND o.approval = i.approval)`, p.Among)
	}
	for _, c := range p.Scope() {
		w.add(c.SQL, c.Args...)
	}
	return w
}

// branches reads one index range per reader and status. A run has few
// approvals, so there the order does not matter and all are read. Look bounds
// how many places of a range are looked at; 0: as many as it takes.
func (p inboxPlan) branches(w *where, columns, rest string, look int) string {
	who, statuses := w.arg(p.Who), w.arg(p.Statuses)
	if p.ByRun() {
		return `(SELECT ` + columns + ` FROM approvals a JOIN inbox i ON i.rank = -a.priority AND i.requested_at = a.requested_at
			AND i.approval = a.id AND i.status = a.status
			WHERE i.who = ANY(` + who + `::text[]) AND i.status = ANY(` + statuses + `::text[]) AND ` + w.String() + `) x`
	}
	table, places := `inbox i`, `i.who = one.who AND i.status = two.status`
	if look > 0 {
		table, places = fmt.Sprintf(`(SELECT * FROM inbox i WHERE %s LIMIT %d) i`, places, look), `true`
	}
	return `unnest(` + who + `::text[]) AS one (who) CROSS JOIN unnest(` + statuses + `::text[]) AS two (status) CROSS JOIN LATERAL
		(SELECT ` + columns + ` FROM ` + table + ` WHERE ` + places + ` AND ` + w.String() + rest + `) x`
}

func (p inboxPlan) count() tally {
	if p.Uncounted {
		return tally{query{sql: `SELECT 0`}, wire.CountMax, `SELECT false`}
	}
	w := p.filter()
	most, look := int64(wire.CountMax), 0
	if p.Overlap { // asked both by name and by role, an approval counts once
		most = wire.MergedMax
	}
	if len(w.conds) > 0 { // much may have to be looked at to find little
		look = p.Look()
	}
	from := p.branches(w, "i.approval", fmt.Sprintf(" LIMIT %d", most+1), look)
	if p.Overlap {
		from = `(SELECT DISTINCT approval FROM ` + from + `) y`
	}
	t := counted(most, from, w.args)
	if look > 0 && !p.ByRun() {
		all := &where{args: w.args}
		t.cut = fmt.Sprintf(`SELECT count(*) > %d FROM (SELECT 1 FROM %s LIMIT %d) n`, look, p.branches(all, "1", fmt.Sprintf(" LIMIT %d", look+1), 0), look+1)
		t.args = all.args
	}
	return t
}

func (p inboxPlan) read() query {
	w := p.filter()
	switch {
	case p.From == nil:
	case p.Sort == port.ByPriority:
		w.add("("+p.keys("i.")+") > (?, ?, ?)", p.From.A, p.From.B, p.From.ID)
	case wire.Backwards(p.Sort):
		w.add("("+p.keys("i.")+") < (?, ?)", p.From.A, p.From.ID)
	default:
		w.add("("+p.keys("i.")+") > (?, ?)", p.From.A, p.From.ID)
	}
	n := w.arg(p.Limit + 1)
	from := p.branches(w, p.keys("i."), p.order("i.")+` LIMIT `+n, 0)
	sql := `SELECT ` + approvalColumns + ` FROM (SELECT DISTINCT ` + p.keys("x.") + ` FROM ` + from + p.order("x.") + ` LIMIT ` + n + `) AS place
		JOIN approvals ON id = place.approval` + p.order("place.")
	return query{sql, w.args}
}
