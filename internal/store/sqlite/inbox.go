package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// Approvals implements port.Lists.
func (s *Store) Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) {
	plan, err := wire.PlanInbox(&q)
	switch {
	case err != nil || plan.Nothing:
		return port.Page[port.ApprovalRow]{}, err
	case plan.On() && s.vault.On():
		return wire.SiftApprovals(q, plan, func(q port.ApprovalQuery) (port.Page[port.ApprovalRow], error) { return s.Approvals(ctx, q) })
	}
	var page port.Page[port.ApprovalRow]
	err = s.snapshotRead(ctx, func(tx *sql.Tx) (err error) {
		if err := plan.Find(index(ctx, tx)); err != nil {
			return err
		}
		parts, err := plan.Parts(func(c wire.Cond) (n int, err error) {
			err = tx.QueryRowContext(ctx, c.SQL, c.Args...).Scan(&n)
			return n, err
		})
		if err != nil {
			return err
		}
		pages := make([]port.Page[port.ApprovalRow], len(parts))
		for i, part := range parts {
			r := inboxReading{part, ctx, tx}
			if pages[i], err = r.page(); err != nil {
				return err
			}
		}
		page = plan.Merge(pages)
		if plan.Uncounted {
			wire.AtLeast(&page, plan.From == nil)
		}
		return nil
	})
	if err == nil {
		err = wire.ShowAll(page.Items, s.vault.ShowApproval)
	}
	if err != nil {
		return port.Page[port.ApprovalRow]{}, fmt.Errorf("list approvals: %w", err)
	}
	return page, nil
}

// inboxReading reads one page of the inbox.
type inboxReading struct {
	*wire.InboxPlan
	ctx context.Context
	tx  *sql.Tx
}

func (r *inboxReading) page() (page port.Page[port.ApprovalRow], err error) {
	if err := r.narrow(); err != nil || r.Empty {
		return page, err
	}
	spots, err := r.spots()
	if err != nil {
		return page, err
	}
	if len(spots) > r.Limit {
		spots = spots[:r.Limit]
		last := spots[r.Limit-1]
		page.Next = wire.Cursor{List: r.List, A: last.a, B: last.b, ID: last.id}.String()
	}
	if page.Items, err = approvalsAt(r.ctx, r.tx, spots); err != nil {
		return page, err
	}
	if r.NoTotal || r.Uncounted {
		return page, nil
	}
	page.Total, page.AtLeast, err = r.count()
	page.Total = max(page.Total, int64(len(page.Items)))
	return page, err
}

// narrow looks up which facets match a filter, or are seen.
func (r *inboxReading) narrow() error {
	if r.Scoped() {
		return r.Sharpen(func(c wire.Cond) ([]string, error) { return r.words(c.SQL, c.Args) }, r.size)
	}
	if !r.Filtered() {
		return nil
	}
	w := &where{}
	w.add("who IN "+in(len(r.Who)), anys(r.Who)...)
	r.facet(w, "")
	facets, err := r.words(`SELECT DISTINCT facet FROM shares WHERE `+w.String()+` LIMIT ?`, append(w.args, wire.FacetsMax+1))
	if err != nil {
		return err
	}
	return r.Narrow(facets, r.size)
}

// words reads one column of text.
func (r *inboxReading) words(query string, args []any) ([]string, error) {
	return collect(func(rows *sql.Rows) (word string, err error) { return word, rows.Scan(&word) })(r.tx.QueryContext(r.ctx, query, args...))
}

// size counts what readers have, up to a bound.
func (r *inboxReading) size(who []string, most int) (n int, err error) {
	w := r.places(who)
	err = r.tx.QueryRowContext(r.ctx, `SELECT count(*) FROM (SELECT 1 FROM inbox i WHERE `+w.String()+` LIMIT ?)`, append(w.args, most)...).Scan(&n)
	return n, err
}

// facet adds conditions on what approvals have in common.
func (r *inboxReading) facet(w *where, prefix string) {
	w.eq(prefix+"workflow", r.Facet.Workflow)
	w.eq(prefix+"agent", r.Facet.Agent)
	w.eq(prefix+"tool", r.Facet.Tool)
	w.eq(prefix+"kind", r.Facet.Kind)
	w.eq(prefix+"risk", r.Facet.Risk)
}

// places are all that readers have, in the statuses that are wanted.
func (r *inboxReading) places(who []string) *where {
	w := &where{}
	w.add("i.who IN "+in(len(who)), anys(who)...)
	w.add("i.status IN "+in(len(r.Statuses)), anys(r.Statuses)...)
	return w
}

// filter is what leaves out places in the inbox.
func (r *inboxReading) filter() *where {
	w := &where{}
	w.eq("a.run", r.Run)
	r.facet(w, "i.")
	if r.Since != 0 {
		w.add("i.requested_at >= ?", r.Since)
	}
	if r.Before != 0 {
		w.add("i.requested_at < ?", r.Before)
	}
	if len(r.Among) > 0 {
		w.add(`EXISTS (SELECT 1 FROM inbox o WHERE o.who IN `+in(len(r.Among))+` AND o.status = i.status AND o.rank = i.rank
			AND o.requested_at = i.requested_at AND o.approval = i.approval)`, anys(r.Among)...)
	}
	for _, c := range r.Scope() {
		w.add(c.SQL, c.Args...)
	}
	return w
}

// table is where places are looked for. A run has few approvals, so that
// search begins with those.
func (r *inboxReading) table() string {
	if !r.ByRun() {
		return "inbox i"
	}
	return `approvals a CROSS JOIN inbox i ON i.rank = -a.priority AND i.requested_at = a.requested_at AND i.approval = a.id AND i.status = a.status`
}

// orders are how places are sorted, each by an index.
var orders = map[port.ApprovalSort]struct{ columns, key, by, behind string }{
	port.ByPriority: {"i.rank, i.requested_at, i.approval", "i.rank, i.requested_at, i.approval", "i.rank, i.requested_at, i.approval", ">"},
	port.ByAge:      {"i.requested_at, 0, i.approval", "i.requested_at, i.approval", "i.requested_at, i.approval", ">"},
	port.ByDeadline: {"i.due, 0, i.approval", "i.due, i.approval", "i.due, i.approval", ">"},
	port.BySettled:  {"i.due, 0, i.approval", "i.due, i.approval", "i.due DESC, i.approval DESC", "<"},
	port.ByNewest:   {"i.requested_at, 0, i.approval", "i.requested_at, i.approval", "i.requested_at DESC, i.approval DESC", "<"},
}

// spot is an approval's place in the order.
type spot struct {
	a, b int64
	id   string
}

func (x spot) compare(y spot) int {
	return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.id, y.id))
}

// spots are the places of a page and one more: the merge of one index range
// per reader and status.
func (r *inboxReading) spots() ([]spot, error) {
	w := r.filter()
	o := orders[r.Sort]
	if r.From != nil {
		from := []any{r.From.A, r.From.B, r.From.ID}
		if r.Sort != port.ByPriority {
			from = []any{r.From.A, r.From.ID}
		}
		w.add("("+o.key+") "+o.behind+" "+in(len(from)), from...)
	}
	ranges, reading := r.ranges()
	distinct := ""
	if r.Few && r.Overlap {
		distinct = "DISTINCT "
	}
	branch, err := r.tx.PrepareContext(r.ctx, `SELECT `+distinct+o.columns+` FROM `+r.table()+` WHERE `+reading+` AND `+w.String()+` ORDER BY `+o.by+` LIMIT ?`)
	if err != nil {
		return nil, err
	}
	defer branch.Close() //nolint:errcheck // it only read
	var spots []spot
	for _, one := range ranges {
		args := append(append(one, w.args...), r.Limit+1)
		more, err := collect(func(rows *sql.Rows) (x spot, err error) { return x, rows.Scan(&x.a, &x.b, &x.id) })(branch.QueryContext(r.ctx, args...))
		if err != nil {
			return nil, err
		}
		spots = append(spots, more...)
	}
	slices.SortFunc(spots, func(x, y spot) int {
		if o.behind == "<" {
			return y.compare(x)
		}
		return x.compare(y)
	})
	return slices.Compact(spots), nil // asked both by name and by role
}

// ranges are the arguments of one condition, one after the other. Few approvals
// are gone through once only.
func (r *inboxReading) ranges() (args [][]any, cond string) {
	if r.Few {
		w := r.places(r.Who)
		return [][]any{w.args}, w.String()
	}
	for _, who := range r.Who {
		for _, status := range r.Statuses {
			args = append(args, []any{who, status})
		}
	}
	return args, "i.who = ? AND i.status = ?"
}

// count counts what matches, as far as it is worth the time.
func (r *inboxReading) count() (total int64, atLeast bool, err error) {
	places, filter := r.places(r.Who), r.filter()
	from, cut := r.table()+` WHERE `+places.String(), false
	if len(filter.conds) > 0 && !r.ByRun() {
		// Much may have to be looked at to find little.
		_, cut, err = count(r.ctx, r.tx, int64(r.Look()), `SELECT 1 FROM `+from, places.args)
		if err != nil {
			return 0, false, err
		}
		from = fmt.Sprintf(`(SELECT * FROM %s LIMIT %d) i WHERE 1`, from, r.Look())
	}
	distinct, most := "", int64(wire.CountMax)
	if r.Overlap {
		distinct, most = "DISTINCT ", wire.MergedMax
	}
	total, atLeast, err = count(r.ctx, r.tx, most, `SELECT `+distinct+`i.approval FROM `+from+` AND `+filter.String(), append(places.args, filter.args...))
	return total, atLeast || cut, err
}
