package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Deliverable implements port.Lists.
func (s *Store) Deliverable(ctx context.Context, id string) (port.DeliverableRow, error) {
	if !wire.Word(id) {
		return port.DeliverableRow{}, wire.NotFound("deliverable", id)
	}
	d, err := scanDeliverable(s.pool.QueryRow(ctx, sqlDeliverable, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return port.DeliverableRow{}, wire.NotFound("deliverable", id)
	}
	if err == nil {
		err = s.vault.ShowDeliverable(&d)
	}
	if err != nil {
		return port.DeliverableRow{}, fmt.Errorf("read deliverable %s: %w", id, explain(err))
	}
	return d, nil
}

// Deliverables implements port.Lists.
func (s *Store) Deliverables(ctx context.Context, q port.DeliverableQuery) (port.Page[port.DeliverableRow], error) {
	var out port.Page[port.DeliverableRow]
	from, err := wire.ParseCursor(q.Cursor, wire.DeliverableList)
	if err != nil {
		return out, err
	}
	limit := wire.PageSize(q.Limit)
	w := &where{}
	w.eq("run", q.Run)
	w.eq("agent", q.Agent)
	w.eq("type", q.Type)
	w.eq("status", q.Status)
	w.eq("name", q.Name)
	if !q.All {
		w.add("newest")
	}
	sight, err := wire.See(q.Scope)
	if err == nil {
		err = measure(ctx, s, sight)
	}
	if err != nil {
		return out, fmt.Errorf("list deliverables: %w", err)
	}
	if sight != nil {
		seen := sight.OfRun("deliverables")
		w.add(seen.SQL, seen.Args...)
	}
	count := counted(wire.CountMax, `deliverables WHERE `+w.String(), w.args)
	w = w.clone()
	if from != nil {
		w.add("(created_at, id) < (?, ?)", from.A, from.ID)
	}
	sql := `SELECT ` + deliverableColumns + ` FROM deliverables WHERE ` + w.String() + ` ORDER BY created_at DESC, id DESC LIMIT ` + w.arg(limit+1)
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, count, query{sql, w.args}, scanDeliverable)
	if err == nil {
		err = wire.ShowAll(out.Items, s.vault.ShowDeliverable)
	}
	if err != nil {
		return port.Page[port.DeliverableRow]{}, fmt.Errorf("list deliverables: %w", err)
	}
	if len(out.Items) > limit {
		out.Items = out.Items[:limit]
		last := out.Items[limit-1]
		out.Next = wire.Cursor{List: wire.DeliverableList, A: wire.Nanos(last.CreatedAt), ID: last.ID}.String()
	}
	return out, nil
}

// Drafts implements port.Lists.
func (s *Store) Drafts(ctx context.Context, runs []string) (map[string]int, error) {
	out := map[string]int{}
	_, err := list(ctx, s, func(row pgx.Row) (struct{}, error) {
		var run string
		var count int
		err := row.Scan(&run, &count)
		out[run] = count
		return struct{}{}, err
	}, sqlDrafts, runs)
	if err != nil {
		return nil, fmt.Errorf("count drafts: %w", err)
	}
	return out, nil
}

func scanDeliverable(row pgx.Row) (d port.DeliverableRow, err error) {
	var created, updated int64
	err = row.Scan(&d.ID, &d.Run, &d.Workflow, &d.Step, &d.Agent, &d.Name, &d.Type, &d.Status, &d.MIME, &d.Description, &d.Blob, &d.URL,
		&d.Size, &d.Version, &d.Newest, &created, &updated)
	d.CreatedAt, d.UpdatedAt = wire.Time(created), wire.Time(updated)
	return d, err
}
