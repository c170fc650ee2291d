package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Run implements port.Lists.
func (s *Store) Run(ctx context.Context, id string) (port.RunRow, error) {
	if !wire.Word(id) {
		return port.RunRow{}, wire.NotFound("run", id)
	}
	r, err := scanRun(s.pool.QueryRow(ctx, sqlRun, id))
	if errors.Is(err, pgx.ErrNoRows) {
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
	var out port.Page[port.RunRow]
	plan, err := wire.PlanRuns(&q)
	switch {
	case err != nil || plan.Nothing:
		return out, err
	case plan.On() && s.vault.On():
		return wire.SiftRuns(q, func(q port.RunQuery) (port.Page[port.RunRow], error) { return s.Runs(ctx, q) })
	}
	if out, found, err := s.foundRuns(ctx, plan); err != nil || found {
		return out, err
	}
	limit := plan.Limit
	count, read := countRuns(plan), readRuns(plan, limit+1)
	if plan.Sight != nil {
		if count, read, err = seenRuns(ctx, s, plan, limit+1); err != nil || read.sql == "" {
			return out, err
		}
	}
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, count, read, scanRun)
	if err == nil {
		err = wire.ShowAll(out.Items, s.vault.ShowRun)
	}
	if err != nil {
		return port.Page[port.RunRow]{}, fmt.Errorf("list runs: %w", err)
	}
	if len(out.Items) > limit {
		out.Items = out.Items[:limit]
		last := out.Items[limit-1]
		out.Next = wire.Cursor{List: wire.RunList, A: wire.Nanos(last.StartedAt), ID: last.ID}.String()
	}
	if plan.Uncounted() {
		wire.AtLeast(&out, plan.From == nil)
	}
	return out, nil
}

func countRuns(q *wire.RunPlan) tally {
	if q.Uncounted() {
		return tally{query{sql: `SELECT 0`}, wire.CountMax, `SELECT false`}
	}
	w := runFilter(q)
	if len(q.Status) > 0 {
		w.add("status = ANY(?::text[])", words(wire.Statuses(q.Status)))
	}
	return counted(wire.CountMax, `runs WHERE `+w.String(), w.args)
}

// readRuns reads one index range per status, which keeps the order without
// sorting all of them.
func readRuns(q *wire.RunPlan, limit int) query {
	w := runFilter(q)
	if from := q.From; from != nil {
		w.add("(started_at, id) < (?, ?)", from.A, from.ID)
	}
	const order = ` ORDER BY started_at DESC, id DESC LIMIT `
	if len(q.Status) == 0 {
		return query{`SELECT ` + runColumns + ` FROM runs WHERE ` + w.String() + order + w.arg(limit), w.args}
	}
	w.add("status = one.status")
	n := w.arg(limit)
	sql := `SELECT r.* FROM unnest(` + w.arg(words(wire.Statuses(q.Status))) + `::text[]) AS one (status) CROSS JOIN LATERAL
		(SELECT ` + runColumns + ` FROM runs WHERE ` + w.String() + order + n + `) r` + order + n
	return query{sql, w.args}
}

// words drops what no column can hold.
func words(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !wire.Word(s) })
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
	due, err := list(ctx, s, func(r pgx.Row) (d port.DueRun, err error) {
		var at int64
		err = r.Scan(&d.Run, &at)
		d.At = wire.Time(at)
		return d, err
	}, sqlDue, wire.Nanos(until), wire.ReadSize(limit))
	if err != nil {
		return nil, fmt.Errorf("list due runs: %w", err)
	}
	return due, nil
}

// Busy implements port.Lists.
func (s *Store) Busy(ctx context.Context, after string, limit int) ([]string, error) {
	ids, err := list(ctx, s, func(r pgx.Row) (id string, err error) { return id, r.Scan(&id) }, sqlBusy, wire.Text(after), wire.ReadSize(limit))
	if err != nil {
		return nil, fmt.Errorf("list busy runs: %w", err)
	}
	return ids, nil
}

func scanRun(row pgx.Row) (r port.RunRow, err error) {
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
