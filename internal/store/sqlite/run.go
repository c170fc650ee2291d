package sqlite

import (
	"context"
	"database/sql"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// RunPage implements aggregate.Lists.
func (d database) RunPage(ctx context.Context, p *storekit.RunPlan) (page port.Page[port.RunRow], err error) {
	err = d.s.snapshotRead(ctx, func(tx *sql.Tx) error {
		r := runReading{p, ctx, tx}
		var found bool
		switch page, found, err = p.Found(index(ctx, tx), r.spots, r.named); {
		case err != nil || found:
			return err
		case p.Sight != nil:
			page, err = r.seen()
		default:
			page, err = r.all()
		}
		return err
	})
	return page, err
}

// runReading reads one page of runs.
type runReading struct {
	*storekit.RunPlan
	ctx context.Context
	tx  *sql.Tx
}

func (r *runReading) rows(c storekit.Cond) ([]port.RunRow, error) {
	return collect(aggregate.ScanRun)(r.tx.QueryContext(r.ctx, steady(c.SQL), c.Args...))
}

func (r *runReading) spots(c storekit.Cond) ([]storekit.Spot, error) {
	return collect(aggregate.ScanSpot)(r.tx.QueryContext(r.ctx, steady(c.SQL), c.Args...))
}

func (r *runReading) named(ids []string) ([]port.RunRow, error) {
	return r.rows(storekit.Cond{SQL: sqlRunsIn + in(len(ids)), Args: anys(ids)})
}

// seen reads runs that a reader with a limited scope sees.
func (r *runReading) seen() (page port.Page[port.RunRow], err error) {
	read, err := storekit.ReadRuns(r.RunPlan, func(c storekit.Cond) ([]string, error) {
		return collect(aggregate.ScanText)(r.tx.QueryContext(r.ctx, steady(c.SQL), c.Args...))
	})
	if err != nil {
		return page, err
	}
	count, some := read.Count()
	if !some {
		return page, nil
	}
	if err := r.tx.QueryRowContext(r.ctx, count.SQL, count.Args...).Scan(&page.Total); err != nil {
		return page, err
	}
	page.Total, page.AtLeast = min(page.Total, storekit.CountMax), page.Total > storekit.CountMax
	page.Items, err = r.rows(read.Rows(aggregate.RunColumns, r.From, r.Limit+1))
	return page, err
}

// all reads one index range per status, which keeps the order without sorting.
func (r *runReading) all() (page port.Page[port.RunRow], err error) {
	const start = `SELECT ` + aggregate.RunColumns + ` FROM runs WHERE `
	statuses := storekit.Statuses(r.Status)
	base := r.Filter()
	if !r.Uncounted() {
		counted := base.Clone()
		if len(statuses) > 0 {
			counted.Add("status IN "+in(len(statuses)), anys(statuses)...)
		}
		all := counted.Then(`SELECT 1 FROM runs WHERE `, "")
		page.Total, page.AtLeast, err = count(r.ctx, r.tx, storekit.CountMax, all)
		if err != nil {
			return page, err
		}
	}
	if r.From != nil {
		base.Add("(started_at, id) < (?, ?)", r.From.A, r.From.ID)
	}
	branches := []*storekit.Where{base}
	if len(statuses) > 0 {
		branches = nil
		for _, status := range statuses {
			b := base.Clone()
			b.Add("status = ?", status)
			branches = append(branches, b)
		}
	}
	for _, b := range branches {
		rows, err := r.rows(b.Then(start, ` ORDER BY started_at DESC, id DESC LIMIT ?`, r.Limit+1))
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, rows...)
	}
	if len(branches) > 1 {
		storekit.InOrder(page.Items)
	}
	return page, nil
}
