package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

const (
	sqlDropLooks = `DELETE FROM second_looks WHERE run = ? AND step = ?`
	sqlDropLook  = sqlDropLooks + ` AND idx = ?`
	sqlAddLook   = `INSERT INTO second_looks (` + wire.LookColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
)

// storeLooks keeps which results of a write deserve a second look.
func (e *entry) storeLooks(t *tx) error {
	var l wire.Looks
	l.Add(&e.Write)
	for _, g := range l.Gone {
		query, args := sqlDropLook, []any{g.Run, g.Step, g.Index}
		if g.Whole() {
			query, args = sqlDropLooks, args[:2]
		}
		if err := t.exec(query, args...); err != nil {
			return fmt.Errorf("drop a second look: %w", err)
		}
	}
	for _, r := range l.Rows {
		if err := t.exec(sqlAddLook, r.ID, r.Run, r.Workflow, r.Step, r.Agent, r.Index, r.Confidence, r.At); err != nil {
			return fmt.Errorf("store a second look: %w", err)
		}
	}
	return nil
}

// SecondLooks implements port.Lists.
func (s *Store) SecondLooks(ctx context.Context, q port.SecondLookQuery) (page port.Page[port.SecondLook], err error) {
	from, err := wire.ParseCursor(q.Cursor, wire.SecondLookList)
	if err != nil {
		return page, err
	}
	sight, err := wire.See(q.Scope)
	if err != nil {
		return page, err
	}
	err = s.snapshotRead(ctx, func(tx *sql.Tx) error {
		page, err = lookPage(ctx, tx, &q, sight, from)
		return err
	})
	if err != nil {
		return port.Page[port.SecondLook]{}, fmt.Errorf("list results for a second look: %w", err)
	}
	return page, nil
}

func lookPage(
	ctx context.Context, tx *sql.Tx, q *port.SecondLookQuery, sight *wire.Sight, from *wire.Cursor,
) (page port.Page[port.SecondLook], err error) {
	w := &where{}
	w.eq("run", q.Run)
	w.eq("workflow", q.Workflow)
	w.eq("agent", q.Agent)
	if err := measure(ctx, tx, sight); err != nil {
		return page, err
	}
	if sight != nil {
		seen := sight.OfRun("second_looks")
		w.add(seen.SQL, seen.Args...)
	}
	total, atLeast, err := count(ctx, tx, wire.CountMax, `SELECT 1 FROM second_looks WHERE `+w.String(), w.args)
	if err != nil {
		return page, err
	}
	if from != nil {
		w.add("(at, id) < (?, ?)", from.A, from.ID)
	}
	limit := wire.PageSize(q.Limit)
	query := `SELECT ` + wire.LookColumns + ` FROM second_looks WHERE ` + w.String() + ` ORDER BY at DESC, id DESC LIMIT ?`
	rows, err := collect(func(r *sql.Rows) (l wire.LookRow, err error) { return l, r.Scan(l.Fields()...) })(
		tx.QueryContext(ctx, query, append(w.args, limit+1)...))
	if err != nil {
		return page, err
	}
	page = wire.LookPage(rows, limit)
	page.Total, page.AtLeast = total, atLeast
	return page, nil
}
