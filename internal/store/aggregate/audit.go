package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// AuditColumns are the columns of an audit entry, in scan order.
const AuditColumns = `n, at, actor, action, target, run, outcome, body, hash, open`

const (
	sqlAuditHash       = `SELECT hash FROM audit WHERE n = ?`
	sqlAuditRows       = `SELECT ` + AuditColumns + ` FROM audit WHERE n > ? ORDER BY n LIMIT ?`
	sqlAuditLastHead   = `SELECT n, head FROM audit_heads ORDER BY n DESC LIMIT 1`
	sqlAuditHeads      = `SELECT n, head FROM audit_heads WHERE n >= ? ORDER BY n LIMIT ?`
	sqlInsertAuditHead = `INSERT INTO audit_heads (n, head) VALUES (?, ?)`
)

var auditPaging = paging[port.AuditRow]{
	table: "audit", columns: AuditColumns, keys: "n", scan: scanAudit,
	cursor: func(r *port.AuditRow) storekit.Cursor {
		return storekit.Cursor{List: storekit.AuditList, A: r.N, ID: "n"}
	},
}

// AuditEntries implements port.AuditLog.
func (a *Aggregates) AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error) {
	from, err := storekit.ParseCursor(q.Cursor, storekit.AuditList)
	if err != nil {
		return port.Page[port.AuditRow]{}, err
	}
	var behind []any
	if from != nil {
		behind = []any{from.A}
	}
	out, err := page(ctx, a, &auditPaging, auditFilter(&q), behind, storekit.PageSize(q.Limit))
	if err == nil {
		err = storekit.ShowAll(out.Items, a.vault.ShowAudit)
	}
	if err != nil {
		return port.Page[port.AuditRow]{}, fmt.Errorf("list the audit log: %w", err)
	}
	return out, nil
}

// auditFilter repeats the conditions of the partial indexes, so that they apply.
func auditFilter(q *port.AuditQuery) *storekit.Where {
	w := &storekit.Where{}
	w.Eq("actor", q.Actor)
	w.Eq("action", q.Action)
	w.Eq("outcome", q.Outcome)
	switch {
	case storekit.AboutRun(q.Target):
		w.Eq("run", q.Target)
		w.Add("run <> ''")
	case q.Target != "":
		w.Eq("target", q.Target)
		w.Add("target <> run")
	}
	if q.Action != "" && q.Action != "run.started" {
		w.Add("action <> 'run.started'")
	}
	if q.Outcome != "" && q.Outcome != string(port.AuditDone) {
		w.Add("outcome <> 'done'")
	}
	if !q.Since.IsZero() {
		w.Add("at >= ?", storekit.Nanos(q.Since))
	}
	if !q.Until.IsZero() {
		w.Add("at < ?", storekit.Nanos(q.Until))
	}
	return w
}

// AuditRows implements port.AuditLog.
func (a *Aggregates) AuditRows(ctx context.Context, after int64, limit int) ([]port.AuditRow, error) {
	rows, err := list(ctx, a, scanAudit, sqlAuditRows, after, storekit.PageSize(limit))
	if err == nil {
		err = storekit.ShowAll(rows, a.vault.ShowAudit)
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit log after %d: %w", after, err)
	}
	return rows, nil
}

// AuditEnd implements port.AuditLog.
func (a *Aggregates) AuditEnd(ctx context.Context) (n int64, hash string, err error) {
	if err := a.db.Row(ctx, a.dialect.AuditEnd).Scan(&n, &hash); err != nil {
		return 0, "", fmt.Errorf("read the end of the audit log: %w", err)
	}
	return n, hash, nil
}

// Strays implements port.AuditLog.
func (a *Aggregates) Strays(ctx context.Context) (what string, err error) {
	err = a.db.Row(ctx, a.dialect.AuditStrays).Scan(&what)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("look for stray rows in the audit log: %w", err)
	}
	return what, nil
}

// PutAuditHead implements port.AuditHeads.
func (a *Aggregates) PutAuditHead(ctx context.Context, h port.AuditHead) error {
	text, err := storekit.WriteHead(h)
	if err != nil {
		return err
	}
	err = a.db.WriteAlone(ctx, func(tx Tx) error {
		last, err := scanHead(tx.Row(sqlAuditLastHead))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var hash string
		if err := tx.Row(sqlAuditHash, h.N).Scan(&hash); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := storekit.CheckHead(h, last, hash); err != nil {
			return err
		}
		return tx.Exec(sqlInsertAuditHead, h.N, text)
	})
	if err != nil {
		return fmt.Errorf("keep a signed head: %w", err)
	}
	return nil
}

// AuditHeads implements port.AuditHeads.
func (a *Aggregates) AuditHeads(ctx context.Context, from int64, limit int) ([]port.AuditHead, error) {
	heads, err := list(ctx, a, scanHead, sqlAuditHeads, from, storekit.PageSize(limit))
	if err != nil {
		return nil, fmt.Errorf("read signed heads: %w", err)
	}
	return heads, nil
}

// LastAuditHead implements port.AuditHeads.
func (a *Aggregates) LastAuditHead(ctx context.Context) (port.AuditHead, error) {
	h, err := scanHead(a.db.Row(ctx, sqlAuditLastHead))
	if errors.Is(err, sql.ErrNoRows) {
		return port.AuditHead{}, nil
	}
	if err != nil {
		return port.AuditHead{}, fmt.Errorf("read the newest signed head: %w", err)
	}
	return h, nil
}

// EventSalts implements port.Salts.
func (a *Aggregates) EventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	return a.vault.EventSalts(readTx{ctx, a.db}, runs)
}

// MakeEventSalts implements port.Salts. No other transaction writes in the meantime, so payloads are deleted
// either before or after it.
func (a *Aggregates) MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	out, err := a.EventSalts(ctx, runs)
	missing := storekit.Saltless(runs, out)
	if err != nil || len(missing) == 0 {
		return out, err
	}
	err = a.db.WriteAlone(ctx, func(tx Tx) (err error) {
		if err = a.vault.MakeEventSalts(tx, missing); err == nil {
			out, err = a.vault.EventSalts(tx, runs)
		}
		return err
	})
	return out, err
}

func scanHead(row storekit.Row) (h port.AuditHead, err error) {
	var n int64
	var text string
	if err := row.Scan(&n, &text); err != nil {
		return h, err
	}
	return storekit.ReadHead(n, text)
}

func scanAudit(row storekit.Row) (r port.AuditRow, err error) {
	var at int64
	err = row.Scan(&r.N, &at, &r.Actor, &r.Action, &r.Target, &r.Run, &r.Outcome, &r.Body, &r.Hash, &r.Open)
	r.At = storekit.Time(at)
	return r, err
}
