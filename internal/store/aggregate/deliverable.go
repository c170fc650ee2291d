package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// DeliverableColumns are the columns of a deliverable, in scan order.
const DeliverableColumns = `id, run, workflow, step, agent, name, type, status, mime, description, blob, url, size,
	version, newest, created_at, updated_at`

const sqlDeliverable = `SELECT ` + DeliverableColumns + ` FROM deliverables WHERE id = ?`

// Deliverable implements port.Lists.
func (a *Aggregates) Deliverable(ctx context.Context, id string) (port.DeliverableRow, error) {
	return one(ctx, a, scanDeliverable, a.vault.ShowDeliverable, sqlDeliverable, "deliverable", id)
}

var deliverablePaging = paging[port.DeliverableRow]{
	table: "deliverables", columns: DeliverableColumns, keys: "created_at, id", scan: scanDeliverable,
	cursor: func(d *port.DeliverableRow) storekit.Cursor {
		return storekit.Cursor{List: storekit.DeliverableList, A: storekit.Nanos(d.CreatedAt), ID: d.ID}
	},
}

// Deliverables implements port.Lists.
func (a *Aggregates) Deliverables(
	ctx context.Context, q port.DeliverableQuery,
) (out port.Page[port.DeliverableRow], err error) {
	from, err := storekit.ParseCursor(q.Cursor, storekit.DeliverableList)
	if err != nil {
		return out, err
	}
	w := &storekit.Where{}
	w.Eq("run", q.Run)
	w.Eq("agent", q.Agent)
	w.Eq("type", q.Type)
	w.Eq("status", q.Status)
	w.Eq("name", q.Name)
	if !q.Since.IsZero() {
		w.Add("created_at >= ?", storekit.Nanos(q.Since))
	}
	if !q.Until.IsZero() {
		w.Add("created_at < ?", storekit.Nanos(q.Until))
	}
	if !q.All {
		w.Add("newest = " + a.dialect.True)
	}
	if err = a.seen(ctx, w, q.Scope, "deliverables"); err == nil {
		out, err = page(ctx, a, &deliverablePaging, w, after(from), storekit.PageSize(q.Limit))
	}
	if err == nil {
		err = storekit.ShowAll(out.Items, a.vault.ShowDeliverable)
	}
	if err != nil {
		return port.Page[port.DeliverableRow]{}, fmt.Errorf("list deliverables: %w", err)
	}
	return out, nil
}

// Drafts implements port.Lists.
func (a *Aggregates) Drafts(ctx context.Context, runs []string) (map[string]int, error) {
	among := a.dialect.Among("run", runs)
	out, err := a.counts(ctx, `SELECT run, count(*) FROM deliverables WHERE `+among.SQL+
		` AND newest = `+a.dialect.True+` AND status = 'draft' GROUP BY run`, among.Args...)
	if err != nil {
		return nil, fmt.Errorf("count drafts: %w", err)
	}
	return out, nil
}

func scanDeliverable(row storekit.Row) (d port.DeliverableRow, err error) {
	var created, updated int64
	err = row.Scan(&d.ID, &d.Run, &d.Workflow, &d.Step, &d.Agent, &d.Name, &d.Type, &d.Status, &d.MIME,
		&d.Description, &d.Blob, &d.URL, &d.Size, &d.Version, &d.Newest, &created, &updated)
	d.CreatedAt, d.UpdatedAt = storekit.Time(created), storekit.Time(updated)
	return d, err
}
