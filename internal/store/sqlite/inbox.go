package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// InboxPage implements aggregate.Lists.
func (d database) InboxPage(ctx context.Context, p *storekit.InboxPlan) (page port.Page[port.ApprovalRow], err error) {
	err = d.s.snapshotRead(ctx, func(tx *sql.Tx) error {
		r := inboxReading{p, ctx, tx}
		part := func(p *storekit.InboxPlan) (port.Page[port.ApprovalRow], error) {
			return (&inboxReading{p, ctx, tx}).page()
		}
		page, err = p.Read(index(ctx, tx), r.number, part)
		return err
	})
	return page, err
}

// inboxReading reads one page of the inbox.
type inboxReading struct {
	*storekit.InboxPlan
	ctx context.Context
	tx  *sql.Tx
}

func (r *inboxReading) page() (page port.Page[port.ApprovalRow], err error) {
	if err := r.Choose(r.words, r.number); err != nil || r.Empty {
		return page, err
	}
	spots, err := r.spots()
	if err != nil {
		return page, err
	}
	if len(spots) > r.Limit {
		spots = spots[:r.Limit]
		last := spots[r.Limit-1]
		page.Next = storekit.Cursor{List: r.List, A: last.a, B: last.b, ID: last.id}.String()
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

// words reads one column of text.
func (r *inboxReading) words(c storekit.Cond) ([]string, error) {
	return collect(aggregate.ScanText)(r.tx.QueryContext(r.ctx, steady(c.SQL), c.Args...))
}

// number reads a number.
func (r *inboxReading) number(c storekit.Cond) (n int, err error) {
	err = r.tx.QueryRowContext(r.ctx, c.SQL, c.Args...).Scan(&n)
	return n, err
}

// places are all rows that readers have, in the requested statuses.
func (r *inboxReading) places() storekit.Cond {
	w := &storekit.Where{}
	w.Add("i.who IN "+in(len(r.Who)), anys(r.Who)...)
	w.Add("i.status IN "+in(len(r.Statuses)), anys(r.Statuses)...)
	return w.Cond()
}

// table is where rows are searched. A run has few approvals, so that search begins with those.
func (r *inboxReading) table() string {
	if !r.ByRun() {
		return "inbox i"
	}
	return `approvals a CROSS JOIN inbox i ON i.rank = -a.priority AND i.requested_at = a.requested_at
		AND i.approval = a.id AND i.status = a.status`
}

// orders are the sort orders, each by an index.
var orders = map[port.ApprovalSort]struct{ columns, key, by, behind string }{
	port.ByPriority: {"i.rank, i.requested_at, i.approval", "i.rank, i.requested_at, i.approval",
		"i.rank, i.requested_at, i.approval", ">"},
	port.ByAge:      {"i.requested_at, 0, i.approval", "i.requested_at, i.approval", "i.requested_at, i.approval", ">"},
	port.ByDeadline: {"i.due, 0, i.approval", "i.due, i.approval", "i.due, i.approval", ">"},
	port.BySettled:  {"i.due, 0, i.approval", "i.due, i.approval", "i.due DESC, i.approval DESC", "<"},
	port.ByNewest: {"i.requested_at, 0, i.approval", "i.requested_at, i.approval",
		"i.requested_at DESC, i.approval DESC", "<"},
}

// spot is an approval's position in the order.
type spot struct {
	a, b int64
	id   string
}

func (x spot) compare(y spot) int {
	return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.id, y.id))
}

// spots are the rows of a page and one more: the merge of one index range per reader and status.
func (r *inboxReading) spots() ([]spot, error) {
	w := r.Filter()
	o := orders[r.Sort]
	if r.From != nil {
		from := []any{r.From.A, r.From.B, r.From.ID}
		if r.Sort != port.ByPriority {
			from = []any{r.From.A, r.From.ID}
		}
		w.Add("("+o.key+") "+o.behind+" "+in(len(from)), from...)
	}
	ranges, reading := r.ranges()
	distinct := ""
	if r.Few && r.Overlap {
		distinct = "DISTINCT "
	}
	read := w.Then(`SELECT `+distinct+o.columns+` FROM `+r.table()+` WHERE `+reading+` AND `,
		` ORDER BY `+o.by+` LIMIT ?`, r.Limit+1)
	branch, err := r.tx.PrepareContext(r.ctx, steady(read.SQL))
	if err != nil {
		return nil, err
	}
	defer branch.Close() //nolint:errcheck // it only read
	var spots []spot
	var x spot
	to := []any{&x.a, &x.b, &x.id}
	for _, one := range ranges {
		err := forEach(func(row storekit.Row) error {
			err := row.Scan(to...)
			spots = append(spots, x)
			return err
		})(branch.QueryContext(r.ctx, append(one, read.Args...)...))
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(spots, func(x, y spot) int {
		if o.behind == "<" {
			return y.compare(x)
		}
		return x.compare(y)
	})
	return slices.Compact(spots), nil // assigned both by name and by role
}

// ranges are the arguments of one condition, one after the other. A few approvals are scanned only once.
func (r *inboxReading) ranges() (args [][]any, cond string) {
	if r.Few {
		c := r.places()
		return [][]any{c.Args}, c.SQL
	}
	for _, who := range r.Who {
		for _, status := range r.Statuses {
			args = append(args, []any{who, status})
		}
	}
	return args, "i.who = ? AND i.status = ?"
}

// count counts matches, up to a limit.
func (r *inboxReading) count() (total int64, atLeast bool, err error) {
	places, filter := r.places(), r.Filter()
	from, cut := r.table()+` WHERE `+places.SQL, false
	if !filter.Empty() && !r.ByRun() {
		// A rare match may require a long scan.
		looked := storekit.Cond{SQL: `SELECT 1 FROM ` + from, Args: places.Args}
		_, cut, err = count(r.ctx, r.tx, int64(r.Look()), looked)
		if err != nil {
			return 0, false, err
		}
		from = fmt.Sprintf(`(SELECT * FROM %s LIMIT %d) i WHERE 1`, from, r.Look())
	}
	distinct, most := "", int64(storekit.CountMax)
	if r.Overlap {
		distinct, most = "DISTINCT ", storekit.MergedMax
	}
	all := filter.Then(`SELECT `+distinct+`i.approval FROM `+from+` AND `, "")
	all.Args = append(places.Args, all.Args...)
	total, atLeast, err = count(r.ctx, r.tx, most, all)
	return total, atLeast || cut, err
}
