package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// Run implements port.Lists.
func (s *Store) Run(ctx context.Context, id string) (port.RunRow, error) {
	if !wire.Word(id) {
		return port.RunRow{}, wire.NotFound("run", id)
	}
	q, err := s.prepared(ctx, sqlRun)
	if err != nil {
		return port.RunRow{}, fmt.Errorf("read run %s: %w", id, explain(err))
	}
	r, err := scanRun(q.QueryRowContext(ctx, id))
	if errors.Is(err, sql.ErrNoRows) {
		return port.RunRow{}, wire.NotFound("run", id)
	}
	if err == nil {
		err = s.vault.ShowRun(&r)
	}
	if err != nil {
		return port.RunRow{}, fmt.Errorf("read run %s: %w", id, explain(err))
	}
	return r, nil
}

// Runs implements port.Lists.
func (s *Store) Runs(ctx context.Context, q port.RunQuery) (port.Page[port.RunRow], error) {
	var page port.Page[port.RunRow]
	plan, err := wire.PlanRuns(&q)
	switch {
	case err != nil || plan.Nothing:
		return page, err
	case plan.On() && s.vault.On():
		return wire.SiftRuns(q, func(q port.RunQuery) (port.Page[port.RunRow], error) { return s.Runs(ctx, q) })
	}
	err = s.snapshotRead(ctx, func(tx *sql.Tx) error {
		found, err := foundRuns(ctx, tx, plan, &page)
		switch {
		case err != nil || found:
			return err
		case plan.Sight != nil:
			err = seenRuns(ctx, tx, plan, &page)
		default:
			err = runPage(ctx, tx, plan, &page)
		}
		if plan.Uncounted() {
			wire.AtLeast(&page, plan.From == nil)
		}
		return err
	})
	if err == nil {
		err = wire.ShowAll(page.Items, s.vault.ShowRun)
	}
	if err != nil {
		return port.Page[port.RunRow]{}, fmt.Errorf("list runs: %w", err)
	}
	return page, nil
}

func runPage(ctx context.Context, tx *sql.Tx, q *wire.RunPlan, page *port.Page[port.RunRow]) error {
	limit, from := q.Limit, q.From
	statuses := wire.Statuses(q.Status)
	base := runFilter(q)
	all := base.clone()
	if len(statuses) > 0 {
		all.add("status IN "+in(len(statuses)), anys(statuses)...)
	}
	if !q.Uncounted() {
		var err error
		if page.Total, page.AtLeast, err = count(ctx, tx, wire.CountMax, `SELECT 1 FROM runs WHERE `+all.String(), all.args); err != nil {
			return err
		}
	}
	if from != nil {
		base.add("(started_at, id) < (?, ?)", from.A, from.ID)
	}
	// One index range per status keeps the order without sorting.
	branches := []*where{base}
	if len(statuses) > 0 {
		branches = nil
		for _, status := range statuses {
			b := base.clone()
			b.add("status = ?", status)
			branches = append(branches, b)
		}
	}
	for _, b := range branches {
		query := `SELECT ` + runColumns + ` FROM runs WHERE ` + b.String() + ` ORDER BY started_at DESC, id DESC LIMIT ?`
		rows, err := collect(scanRuns)(tx.QueryContext(ctx, query, append(b.args, limit+1)...))
		if err != nil {
			return err
		}
		page.Items = append(page.Items, rows...)
	}
	if len(branches) > 1 {
		wire.InOrder(page.Items)
	}
	cutRuns(page, limit)
	return nil
}

// cutRuns ends a page of which one row more was read.
func cutRuns(page *port.Page[port.RunRow], limit int) {
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		last := page.Items[limit-1]
		page.Next = wire.Cursor{List: wire.RunList, A: wire.Nanos(last.StartedAt), ID: last.ID}.String()
	}
}

// runFilter is all but the status.
func runFilter(q *wire.RunPlan) *where {
	w := &where{}
	for _, c := range q.Filter() {
		w.add(c.SQL, c.Args...)
	}
	return w
}

// Due implements port.Lists.
func (s *Store) Due(ctx context.Context, until time.Time, limit int) ([]port.DueRun, error) {
	due, err := collect(func(r *sql.Rows) (d port.DueRun, err error) {
		var at int64
		err = r.Scan(&d.Run, &at)
		d.At = wire.Time(at)
		return d, err
	})(s.read.QueryContext(ctx, sqlDue, wire.Nanos(until), wire.ReadSize(limit)))
	if err != nil {
		return nil, fmt.Errorf("list due runs: %w", explain(err))
	}
	return due, nil
}

// Busy implements port.Lists.
func (s *Store) Busy(ctx context.Context, after string, limit int) ([]string, error) {
	ids, err := collect(func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })(
		s.read.QueryContext(ctx, sqlBusy, wire.Text(after), wire.ReadSize(limit)))
	if err != nil {
		return nil, fmt.Errorf("list busy runs: %w", explain(err))
	}
	return ids, nil
}

type scanner interface{ Scan(...any) error }

func scanRuns(rows *sql.Rows) (port.RunRow, error) { return scanRun(rows) }

func scanRun(row scanner) (r port.RunRow, err error) {
	var labels, status string
	var started, updated, ended, due, test int64
	if err := row.Scan(&r.ID, &r.Workflow, &r.Version, &r.Definition, &status, &r.Owner, &labels, &r.Seq, &r.StepsDone, &r.StepsTotal,
		&r.Pending, &r.Error, &r.CostUSD, &r.Parent, &r.RetryOf, &r.ForkedFrom, &started, &updated, &ended, &due, &r.Busy, &r.SnapshotSeq, &r.Cancelling, &r.Subject, &test); err != nil {
		return r, err
	}
	r.Status, r.TestMode = run.Status(status), test == 1
	r.StartedAt, r.UpdatedAt, r.EndedAt, r.DueAt = wire.Time(started), wire.Time(updated), wire.Time(ended), wire.Time(due)
	r.Labels, err = wire.ParseLabels(labels)
	return r, err
}
