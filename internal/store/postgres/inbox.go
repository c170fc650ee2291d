package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// InboxPage implements aggregate.Lists.
func (d database) InboxPage(ctx context.Context, p *storekit.InboxPlan) (port.Page[port.ApprovalRow], error) {
	page := func(part *storekit.InboxPlan) (port.Page[port.ApprovalRow], error) {
		return inboxPlan{part}.page(ctx, d.s)
	}
	out, err := p.Read(d.s.index(ctx), d.s.number(ctx), page)
	return out, explain(err)
}

// inboxPlan reads a page of the inbox.
type inboxPlan struct{ *storekit.InboxPlan }

func (p inboxPlan) page(ctx context.Context, s *Store) (out port.Page[port.ApprovalRow], err error) {
	if err := p.Choose(s.texts(ctx), s.number(ctx)); err != nil || p.Empty {
		return out, err
	}
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, !p.ByRun(), p.count(), p.read(), aggregate.ScanApproval)
	if err != nil {
		return out, err
	}
	if len(out.Items) > p.Limit {
		out.Items = out.Items[:p.Limit]
		out.Next = p.Place(&out.Items[p.Limit-1]).String()
	}
	out.Total = max(out.Total, int64(len(out.Items)))
	return out, nil
}

// keys are the sort columns, the id last, each with a prefix.
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

// order is the sort order of the keys.
func (p inboxPlan) order(prefix string) string {
	keys := p.keys(prefix)
	if storekit.Backwards(p.Sort) {
		keys = strings.ReplaceAll(keys, ", ", " DESC, ") + " DESC"
	}
	return ` ORDER BY ` + keys
}

// branches reads one index range per reader and status. A run has few approvals, so there the order does not
// matter and all are read. Look limits how many rows of a range are read; 0: no limit. Rest may have
// arguments.
func (p inboxPlan) branches(w *storekit.Where, columns, rest string, look int, args ...any) (c storekit.Cond) {
	if p.ByRun() {
		c = w.Then(`(SELECT `+columns+` FROM approvals a JOIN inbox i ON i.rank = -a.priority
			AND i.requested_at = a.requested_at AND i.approval = a.id AND i.status = a.status
			WHERE i.who = ANY(?::text[]) AND i.status = ANY(?::text[]) AND `, `) x`)
	} else {
		table, places := `inbox i`, `i.who = one.who AND i.status = two.status`
		if look > 0 {
			table, places = fmt.Sprintf(`(SELECT * FROM inbox i WHERE %s LIMIT %d) i`, places, look), `true`
		}
		c = w.Then(`unnest(?::text[]) AS one (who) CROSS JOIN unnest(?::text[]) AS two (status) CROSS JOIN LATERAL
			(SELECT `+columns+` FROM `+table+` WHERE `+places+` AND `, rest+`) x`, args...)
	}
	c.Args = append([]any{p.Who, p.Statuses}, c.Args...)
	return c
}

func (p inboxPlan) count() tally {
	if p.Uncounted {
		return tally{most: storekit.CountMax}
	}
	w := p.Filter()
	most, look := int64(storekit.CountMax), 0
	if p.Overlap { // an approval assigned both by name and by role counts once
		most = storekit.MergedMax
	}
	if !w.Empty() { // a rare match may require a long scan
		look = p.Look()
	}
	from := p.branches(w, "i.approval", fmt.Sprintf(" LIMIT %d", most+1), look)
	if p.Overlap {
		from.SQL = `(SELECT DISTINCT approval FROM ` + from.SQL + `) y`
	}
	t := counted(most, from)
	if look > 0 && !p.ByRun() {
		t.cut = p.branches(&storekit.Where{}, "1", fmt.Sprintf(" LIMIT %d", look+1), 0)
		t.cut.SQL = fmt.Sprintf(`SELECT count(*) > %d FROM (SELECT 1 FROM %s LIMIT %d) n`, look, t.cut.SQL, look+1)
	}
	return t
}

func (p inboxPlan) read() storekit.Cond {
	w := p.Filter()
	switch {
	case p.From == nil:
	case p.Sort == port.ByPriority:
		w.Add("("+p.keys("i.")+") > (?, ?, ?)", p.From.A, p.From.B, p.From.ID)
	case storekit.Backwards(p.Sort):
		w.Add("("+p.keys("i.")+") < (?, ?)", p.From.A, p.From.ID)
	default:
		w.Add("("+p.keys("i.")+") > (?, ?)", p.From.A, p.From.ID)
	}
	n := p.Limit + 1
	c := p.branches(w, p.keys("i."), p.order("i.")+` LIMIT ?`, 0, n)
	c.SQL = `SELECT ` + aggregate.ApprovalColumns + ` FROM (SELECT DISTINCT ` + p.keys("x.") + ` FROM ` + c.SQL +
		p.order("x.") + ` LIMIT ?) AS place JOIN approvals ON id = place.approval` + p.order("place.")
	c.Args = append(c.Args, n)
	return c
}
