package aggregate

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// RunColumns are the columns of a run, in the order of ScanRun.
const RunColumns = `id, workflow, version, definition, status, owner, labels, seq, steps_done, steps_total, pending,
	error, cost_usd, parent, retry_of, forked_from, started_at, updated_at, ended_at, due_at, busy, snapshot_seq,
	cancelling, subject, test_mode`

const sqlRun = `SELECT ` + RunColumns + ` FROM runs WHERE id = ?`

// Run implements port.Lists.
func (a *Aggregates) Run(ctx context.Context, id string) (port.RunRow, error) {
	return one(ctx, a, ScanRun, a.vault.ShowRun, sqlRun, "run", id)
}

// Runs implements port.Lists.
func (a *Aggregates) Runs(ctx context.Context, q port.RunQuery) (port.Page[port.RunRow], error) {
	plan, err := storekit.PlanRuns(&q)
	switch {
	case err != nil || plan.Nothing:
		return port.Page[port.RunRow]{}, err
	case plan.On() && a.vault.On():
		return storekit.SiftRuns(q, func(q port.RunQuery) (port.Page[port.RunRow], error) { return a.Runs(ctx, q) })
	}
	out, err := a.runs(ctx, plan)
	if err != nil {
		return port.Page[port.RunRow]{}, fmt.Errorf("list runs: %w", err)
	}
	return out, nil
}

func (a *Aggregates) runs(ctx context.Context, plan *storekit.RunPlan) (out port.Page[port.RunRow], err error) {
	if err := a.Measure(ctx, plan.Sight); err != nil {
		return out, err
	}
	if out, err = a.db.RunPage(ctx, plan); err != nil {
		return out, err
	}
	if len(out.Items) > plan.Limit {
		out.Items = out.Items[:plan.Limit]
		last := out.Items[plan.Limit-1]
		out.Next = storekit.Cursor{List: storekit.RunList, A: storekit.Nanos(last.StartedAt), ID: last.ID}.String()
	}
	if plan.Uncounted() {
		storekit.AtLeast(&out, plan.From == nil)
	}
	return out, storekit.ShowAll(out.Items, a.vault.ShowRun)
}

// ScanSpot reads the columns started_at and id.
func ScanSpot(row storekit.Row) (s storekit.Spot, err error) { return s, row.Scan(&s.At, &s.ID) }

// Due implements port.Agenda.
func (a *Aggregates) Due(ctx context.Context, until time.Time, limit int) ([]port.DueRun, error) {
	var due []port.DueRun
	var id string
	var at int64
	args, to := []any{storekit.Nanos(until), storekit.ReadSize(limit)}, []any{&id, &at}
	err := a.db.Query(ctx, a.dialect.Due, args, func(r storekit.Row) error {
		err := r.Scan(to...)
		due = append(due, port.DueRun{Run: id, At: storekit.Time(at)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list due runs: %w", err)
	}
	return due, nil
}

// Busy implements port.Agenda.
func (a *Aggregates) Busy(ctx context.Context, after string, limit int) ([]string, error) {
	var ids []string
	var id string
	args, to := []any{storekit.Text(after), storekit.ReadSize(limit)}, []any{&id}
	err := a.db.Query(ctx, a.dialect.Busy, args, func(r storekit.Row) error {
		err := r.Scan(to...)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list busy runs: %w", err)
	}
	return ids, nil
}

// ScanText reads a single column of text.
func ScanText(row storekit.Row) (s string, err error) { return s, row.Scan(&s) }

// ScanRun reads RunColumns.
func ScanRun(row storekit.Row) (r port.RunRow, err error) {
	var labels, status string
	var started, updated, ended, due, test int64
	err = row.Scan(&r.ID, &r.Workflow, &r.Version, &r.Definition, &status, &r.Owner, &labels, &r.Seq, &r.StepsDone,
		&r.StepsTotal, &r.Pending, &r.Error, &r.CostUSD, &r.Parent, &r.RetryOf, &r.ForkedFrom, &started, &updated,
		&ended, &due, &r.Busy, &r.SnapshotSeq, &r.Cancelling, &r.Subject, &test)
	if err != nil {
		return r, err
	}
	r.Status, r.TestMode = run.Status(status), test == 1
	r.StartedAt, r.UpdatedAt = storekit.Time(started), storekit.Time(updated)
	r.EndedAt, r.DueAt = storekit.Time(ended), storekit.Time(due)
	r.Labels, err = storekit.ParseLabels(labels)
	return r, err
}
