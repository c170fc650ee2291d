package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// audit appends entries to the chain. The one writer is the only one who does,
// so their order is that of the commits. They are stored with the commit.
func (t *tx) audit(forms []*port.AuditForm) {
	for _, f := range forms {
		t.entries = append(t.entries, t.chain.Next(f))
	}
}

// storeAudit stores the entries of all jobs, many with one statement: that costs
// a good part less than one each.
func (t *tx) storeAudit() error {
	for rows := t.entries; len(rows) > 0; {
		n, query := 1, sqlInsertAudit
		if len(rows) >= auditAtOnce {
			n, query = auditAtOnce, sqlInsertAuditMany
		}
		args := t.args[:0]
		for _, r := range rows[:n] {
			r = t.s.vault.HideAudit(r)
			args = append(args, r.N, wire.Nanos(r.At), r.Actor, r.Action, r.Target, r.Run, r.Outcome, r.Body, r.Hash, blobOrNull(r.Open))
		}
		t.args = args
		if err := t.exec(query, args...); err != nil {
			return fmt.Errorf("store audit entries: %w", err)
		}
		rows = rows[n:]
	}
	return nil
}

// AppendAudit implements port.AuditLog.
func (s *Store) AppendAudit(ctx context.Context, entries ...port.AuditDraft) (n int64, err error) {
	forms, err := wire.Forms(entries)
	if err != nil {
		return 0, err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		t.audit(forms)
		n = t.chain.N
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("append to the audit log: %w", err)
	}
	return n, nil
}

// AuditEntries implements port.AuditLog.
func (s *Store) AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error) {
	var page port.Page[port.AuditRow]
	from, err := wire.ParseCursor(q.Cursor, wire.AuditList)
	if err != nil {
		return page, err
	}
	err = s.snapshotRead(ctx, func(tx *sql.Tx) error { return auditPage(ctx, tx, &q, from, &page) })
	if err == nil {
		err = wire.ShowAll(page.Items, s.vault.ShowAudit)
	}
	if err != nil {
		return port.Page[port.AuditRow]{}, fmt.Errorf("list the audit log: %w", err)
	}
	return page, nil
}

func auditPage(ctx context.Context, tx *sql.Tx, q *port.AuditQuery, from *wire.Cursor, page *port.Page[port.AuditRow]) (err error) {
	limit := wire.PageSize(q.Limit)
	w := &where{}
	w.eq("actor", q.Actor)
	w.eq("action", q.Action)
	w.eq("outcome", q.Outcome)
	switch {
	case wire.AboutRun(q.Target):
		w.eq("run", q.Target)
		w.add("run <> ''") // as the index says
	case q.Target != "":
		w.eq("target", q.Target)
		w.add("target <> run")
	}
	if q.Action != "" && q.Action != "run.started" {
		w.add("action <> 'run.started'") // as the index says
	}
	if q.Outcome != "" && q.Outcome != string(port.AuditDone) {
		w.add("outcome <> 'done'")
	}
	if !q.Since.IsZero() {
		w.add("at >= ?", wire.Nanos(q.Since))
	}
	if !q.Until.IsZero() {
		w.add("at < ?", wire.Nanos(q.Until))
	}
	if page.Total, page.AtLeast, err = count(ctx, tx, wire.CountMax, `SELECT 1 FROM audit WHERE `+w.String(), w.args); err != nil {
		return err
	}
	if from != nil {
		w.add("n < ?", from.A)
	}
	page.Items, err = collect(func(r *sql.Rows) (port.AuditRow, error) { return scanAudit(r) })(
		tx.QueryContext(ctx, `SELECT `+auditColumns+` FROM audit WHERE `+w.String()+` ORDER BY n DESC LIMIT ?`, append(w.args, limit+1)...))
	if err == nil && len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.Next = wire.Cursor{List: wire.AuditList, A: page.Items[limit-1].N, ID: "n"}.String()
	}
	return err
}

// AuditRows implements port.AuditLog.
func (s *Store) AuditRows(ctx context.Context, after int64, limit int) ([]port.AuditRow, error) {
	rows, err := collect(func(r *sql.Rows) (port.AuditRow, error) { return scanAudit(r) })(
		s.read.QueryContext(ctx, sqlAuditRows, after, wire.PageSize(limit)))
	if err == nil {
		err = wire.ShowAll(rows, s.vault.ShowAudit)
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit log behind %d: %w", after, explain(err))
	}
	return rows, nil
}

// AuditEnd implements port.AuditLog.
func (s *Store) AuditEnd(ctx context.Context) (n int64, hash string, err error) {
	if err := s.one(ctx, sqlAuditEnd).Scan(&n, &hash); err != nil {
		return 0, "", fmt.Errorf("read the end of the audit log: %w", explain(err))
	}
	return n, hash, nil
}

// Strays implements port.AuditLog.
func (s *Store) Strays(ctx context.Context) (what string, err error) {
	err = s.one(ctx, sqlStrays).Scan(&what)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("look for strays in the audit log: %w", explain(err))
	}
	return what, nil
}

// PutAuditHead implements port.AuditLog.
func (s *Store) PutAuditHead(ctx context.Context, h port.AuditHead) error {
	text, err := wire.WriteHead(h)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		var last port.AuditHead
		var lastN int64
		var old, hash string
		found, err := t.queryRow(sqlAuditLastHead, nil, &lastN, &old)
		if err == nil && found {
			last, err = wire.ReadHead(lastN, old)
		}
		if err == nil {
			_, err = t.queryRow(sqlAuditHash, []any{h.N}, &hash)
		}
		if err == nil {
			err = wire.CheckHead(h, last, hash)
		}
		if err == nil {
			err = t.exec(sqlInsertAuditHead, h.N, text)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("keep a signed head: %w", err)
	}
	return nil
}

// AuditHeads implements port.AuditLog.
func (s *Store) AuditHeads(ctx context.Context, from int64, limit int) ([]port.AuditHead, error) {
	heads, err := collect(func(r *sql.Rows) (port.AuditHead, error) { return scanHead(r) })(
		s.read.QueryContext(ctx, sqlAuditHeads, from, wire.PageSize(limit)))
	if err != nil {
		return nil, fmt.Errorf("read signed heads: %w", explain(err))
	}
	return heads, nil
}

// LastAuditHead implements port.AuditLog.
func (s *Store) LastAuditHead(ctx context.Context) (port.AuditHead, error) {
	h, err := scanHead(s.read.QueryRowContext(ctx, sqlAuditLastHead))
	if errors.Is(err, sql.ErrNoRows) {
		return port.AuditHead{}, nil
	}
	if err != nil {
		return port.AuditHead{}, fmt.Errorf("read the newest signed head: %w", explain(err))
	}
	return h, nil
}

func scanHead(row scanner) (h port.AuditHead, err error) {
	var n int64
	var text string
	if err := row.Scan(&n, &text); err != nil {
		return h, err
	}
	return wire.ReadHead(n, text)
}

func scanAudit(row scanner) (r port.AuditRow, err error) {
	var at int64
	err = row.Scan(&r.N, &at, &r.Actor, &r.Action, &r.Target, &r.Run, &r.Outcome, &r.Body, &r.Hash, &r.Open)
	r.At = wire.Time(at)
	return r, err
}
