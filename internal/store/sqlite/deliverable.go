package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

func storeDeliverable(t *tx, d *port.DeliverableRow) error {
	return t.exec(sqlPutDeliverable, d.ID, d.Run, d.Workflow, d.Step, d.Agent, d.Name, d.Type, d.Status, d.MIME,
		d.Description, d.Blob, d.URL, d.Size, d.Version, d.Newest, wire.Nanos(d.CreatedAt), wire.Nanos(d.UpdatedAt))
}

func storeMark(t *tx, run string, m *port.DeliverableMark) error {
	if m.Outdated {
		if err := t.exec(sqlOutdateDeliverable, m.ID, run); err != nil {
			return err
		}
	}
	if m.Status == "" {
		return nil
	}
	return t.exec(sqlMarkDeliverable, m.Status, wire.Nanos(m.At), m.ID, run)
}

// Deliverable implements port.Lists.
func (s *Store) Deliverable(ctx context.Context, id string) (port.DeliverableRow, error) {
	if !wire.Word(id) {
		return port.DeliverableRow{}, wire.NotFound("deliverable", id)
	}
	d, err := scanDeliverable(s.one(ctx, sqlDeliverable, id))
	if errors.Is(err, sql.ErrNoRows) {
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
	var page port.Page[port.DeliverableRow]
	from, err := wire.ParseCursor(q.Cursor, wire.DeliverableList)
	if err != nil {
		return page, err
	}
	sight, err := wire.See(q.Scope)
	if err != nil {
		return page, err
	}
	err = s.snapshotRead(ctx, func(tx *sql.Tx) error { return deliverablePage(ctx, tx, &q, sight, from, &page) })
	if err == nil {
		err = wire.ShowAll(page.Items, s.vault.ShowDeliverable)
	}
	if err != nil {
		return port.Page[port.DeliverableRow]{}, fmt.Errorf("list deliverables: %w", err)
	}
	return page, nil
}

func deliverablePage(ctx context.Context, tx *sql.Tx, q *port.DeliverableQuery, sight *wire.Sight, from *wire.Cursor, page *port.Page[port.DeliverableRow]) error {
	limit := wire.PageSize(q.Limit)
	w := &where{}
	w.eq("run", q.Run)
	w.eq("agent", q.Agent)
	w.eq("type", q.Type)
	w.eq("status", q.Status)
	w.eq("name", q.Name)
	if !q.All {
		w.add("newest = 1")
	}
	err := measure(ctx, tx, sight)
	if err != nil {
		return err
	}
	if sight != nil {
		seen := sight.OfRun("deliverables")
		w.add(seen.SQL, seen.Args...)
	}
	if page.Total, page.AtLeast, err = count(ctx, tx, wire.CountMax, `SELECT 1 FROM deliverables WHERE `+w.String(), w.args); err != nil {
		return err
	}
	if from != nil {
		w.add("(created_at, id) < (?, ?)", from.A, from.ID)
	}
	query := `SELECT ` + deliverableColumns + ` FROM deliverables WHERE ` + w.String() + ` ORDER BY created_at DESC, id DESC LIMIT ?`
	page.Items, err = collect(func(r *sql.Rows) (port.DeliverableRow, error) { return scanDeliverable(r) })(
		tx.QueryContext(ctx, query, append(w.args, limit+1)...))
	if err != nil {
		return err
	}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		last := page.Items[limit-1]
		page.Next = wire.Cursor{List: wire.DeliverableList, A: wire.Nanos(last.CreatedAt), ID: last.ID}.String()
	}
	return nil
}

// Drafts implements port.Lists.
func (s *Store) Drafts(ctx context.Context, runs []string) (map[string]int, error) {
	out := map[string]int{}
	ids, err := json.Marshal(runs)
	if err != nil {
		return nil, err
	}
	query, err := s.prepared(ctx, sqlDrafts)
	if err == nil {
		_, err = collect(func(r *sql.Rows) (struct{}, error) {
			var run string
			var count int
			err := r.Scan(&run, &count)
			out[run] = count
			return struct{}{}, err
		})(query.QueryContext(ctx, string(ids)))
	}
	if err != nil {
		return nil, fmt.Errorf("count drafts: %w", explain(err))
	}
	return out, nil
}

func scanDeliverable(row scanner) (d port.DeliverableRow, err error) {
	var created, updated int64
	err = row.Scan(&d.ID, &d.Run, &d.Workflow, &d.Step, &d.Agent, &d.Name, &d.Type, &d.Status, &d.MIME, &d.Description, &d.Blob, &d.URL,
		&d.Size, &d.Version, &d.Newest, &created, &updated)
	d.CreatedAt, d.UpdatedAt = wire.Time(created), wire.Time(updated)
	return d, err
}
