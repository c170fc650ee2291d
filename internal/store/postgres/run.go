package postgres

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// RunPage implements aggregate.Lists.
func (d database) RunPage(ctx context.Context, p *storekit.RunPlan) (out port.Page[port.RunRow], err error) {
	spots := func(c storekit.Cond) ([]storekit.Spot, error) { return list(ctx, d.s.pool, aggregate.ScanSpot, c) }
	named := func(ids []string) ([]port.RunRow, error) {
		return list(ctx, d.s.pool, aggregate.ScanRun, storekit.Cond{SQL: sqlRunsIn, Args: []any{ids}})
	}
	if out, found, err := p.Found(d.s.index(ctx), spots, named); err != nil || found {
		return out, err
	}
	count, read := countRuns(p), readRuns(p)
	if p.Sight != nil {
		seen, err := storekit.ReadRuns(p, d.s.texts(ctx))
		if err != nil {
			return out, err
		}
		some := false
		if count.Cond, some = seen.Count(); !some {
			return out, nil
		}
		read = seen.Rows(aggregate.RunColumns, p.From, p.Limit+1)
	}
	out.Items, out.Total, out.AtLeast, err = page(ctx, d.s, false, count, read, aggregate.ScanRun)
	return out, err
}

func countRuns(p *storekit.RunPlan) tally {
	if p.Uncounted() {
		return tally{most: storekit.CountMax}
	}
	w := p.Filter()
	if len(p.Status) > 0 {
		w.Add("status = ANY(?::text[])", words(storekit.Statuses(p.Status)))
	}
	return counted(storekit.CountMax, w.Then(`runs WHERE `, ""))
}

// readRuns reads one index range per status, which keeps the order without sorting all of them.
func readRuns(p *storekit.RunPlan) storekit.Cond {
	const (
		start = `SELECT ` + aggregate.RunColumns + ` FROM runs WHERE `
		order = ` ORDER BY started_at DESC, id DESC LIMIT ?`
	)
	w, n := p.Filter(), p.Limit+1
	if p.From != nil {
		w.Add("(started_at, id) < (?, ?)", p.From.A, p.From.ID)
	}
	if len(p.Status) == 0 {
		return w.Then(start, order, n)
	}
	w.Add("status = one.status")
	c := w.Then(`SELECT r.* FROM unnest(?::text[]) AS one (status) CROSS JOIN LATERAL (`+start, order+`) r`+order, n, n)
	c.Args = append([]any{words(storekit.Statuses(p.Status))}, c.Args...)
	return c
}

// words drops values that no column can contain.
func words(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !storekit.Word(s) })
}
