package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// auditArrays are the columns of many entries.
type auditArrays struct {
	n, at                                     []int64
	actor, action, target, run, outcome, hash []string
	body, open                                [][]byte
}

func (a *auditArrays) add(r port.AuditRow) {
	a.n, a.at = append(a.n, r.N), append(a.at, wire.Nanos(r.At))
	a.actor, a.action, a.target = append(a.actor, r.Actor), append(a.action, r.Action), append(a.target, r.Target)
	a.run, a.outcome, a.hash = append(a.run, r.Run), append(a.outcome, r.Outcome), append(a.hash, r.Hash)
	a.body, a.open = append(a.body, r.Body), append(a.open, r.Open)
}

func (a *auditArrays) args() []any {
	return []any{a.n, a.at, a.actor, a.action, a.target, a.run, a.outcome, a.body, a.hash, a.open}
}

// flushAudit stores the entries of a group. The lock on head makes this process
// the only one that adds to the chain.
func (g *state) flushAudit(b *pgx.Batch) {
	if len(g.audit.n) == 0 {
		return
	}
	b.Queue(sqlInsertAuditMany, g.audit.args()...)
	b.Queue(sqlSetAudit, g.chain.N, g.chain.Hash)
}

// lockAudit keeps every other writer out until the transaction ends. Whoever
// locks rows that groups of writes change, too, has to do this first.
func lockAudit(ctx context.Context, tx pgx.Tx) (c wire.Chain, err error) {
	return c, tx.QueryRow(ctx, sqlLockAudit).Scan(&c.N, &c.Hash)
}

// audit appends entries in a transaction.
func (s *Store) audit(ctx context.Context, tx pgx.Tx, forms []*port.AuditForm) (last int64, err error) {
	if len(forms) == 0 {
		return 0, nil
	}
	chain, err := lockAudit(ctx, tx)
	if err != nil {
		return 0, err
	}
	var a auditArrays
	for _, f := range forms {
		a.add(s.vault.HideAudit(chain.Next(f)))
	}
	if _, err = tx.Exec(ctx, sqlInsertAuditMany, a.args()...); err == nil {
		_, err = tx.Exec(ctx, sqlSetAudit, chain.N, chain.Hash)
	}
	return chain.N, err
}

// AppendAudit implements port.AuditLog. It goes with the writes of others.
func (s *Store) AppendAudit(ctx context.Context, entries ...port.AuditDraft) (int64, error) {
	forms, err := wire.Forms(entries)
	if err != nil {
		return 0, err
	}
	j := &job{forms: forms, entriesOnly: true}
	if err := s.writer.queue.Do(ctx, j); err != nil {
		return 0, fmt.Errorf("append to the audit log: %w", err)
	}
	return j.entry, nil
}

// AuditEntries implements port.AuditLog.
func (s *Store) AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error) {
	var out port.Page[port.AuditRow]
	from, err := wire.ParseCursor(q.Cursor, wire.AuditList)
	if err != nil {
		return out, err
	}
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
	count := counted(wire.CountMax, `audit WHERE `+w.String(), w.args)
	w = w.clone()
	if from != nil {
		w.add("n < ?", from.A)
	}
	sql := `SELECT ` + auditColumns + ` FROM audit WHERE ` + w.String() + ` ORDER BY n DESC LIMIT ` + w.arg(limit+1)
	out.Items, out.Total, out.AtLeast, err = page(ctx, s, count, query{sql, w.args}, scanAudit)
	if err == nil {
		err = wire.ShowAll(out.Items, s.vault.ShowAudit)
	}
	if err != nil {
		return port.Page[port.AuditRow]{}, fmt.Errorf("list the audit log: %w", err)
	}
	if len(out.Items) > limit {
		out.Items = out.Items[:limit]
		out.Next = wire.Cursor{List: wire.AuditList, A: out.Items[limit-1].N, ID: "n"}.String()
	}
	return out, nil
}

// AuditRows implements port.AuditLog.
func (s *Store) AuditRows(ctx context.Context, after int64, limit int) ([]port.AuditRow, error) {
	rows, err := list(ctx, s, scanAudit, sqlAuditRows, after, wire.PageSize(limit))
	if err == nil {
		err = wire.ShowAll(rows, s.vault.ShowAudit)
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit log behind %d: %w", after, err)
	}
	return rows, nil
}

// AuditEnd implements port.AuditLog.
func (s *Store) AuditEnd(ctx context.Context) (n int64, hash string, err error) {
	if err := s.pool.QueryRow(ctx, sqlAuditEnd).Scan(&n, &hash); err != nil {
		return 0, "", fmt.Errorf("read the end of the audit log: %w", explain(err))
	}
	return n, hash, nil
}

// Strays implements port.AuditLog.
func (s *Store) Strays(ctx context.Context) (what string, err error) {
	err = s.pool.QueryRow(ctx, sqlStrays).Scan(&what)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
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
	err = s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := lockAudit(ctx, tx); err != nil {
			return err
		}
		last, err := scanHead(tx.QueryRow(ctx, sqlAuditLastHead))
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		var hash string
		if err := tx.QueryRow(ctx, sqlAuditHash, h.N).Scan(&hash); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if err := wire.CheckHead(h, last, hash); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlInsertAuditHead, h.N, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep a signed head: %w", err)
	}
	return nil
}

// AuditHeads implements port.AuditLog.
func (s *Store) AuditHeads(ctx context.Context, from int64, limit int) ([]port.AuditHead, error) {
	heads, err := list(ctx, s, scanHead, sqlAuditHeads, from, wire.PageSize(limit))
	if err != nil {
		return nil, fmt.Errorf("read signed heads: %w", err)
	}
	return heads, nil
}

// LastAuditHead implements port.AuditLog.
func (s *Store) LastAuditHead(ctx context.Context) (port.AuditHead, error) {
	h, err := scanHead(s.pool.QueryRow(ctx, sqlAuditLastHead))
	if errors.Is(err, pgx.ErrNoRows) {
		return port.AuditHead{}, nil
	}
	if err != nil {
		return port.AuditHead{}, fmt.Errorf("read the newest signed head: %w", explain(err))
	}
	return h, nil
}

func scanHead(row pgx.Row) (h port.AuditHead, err error) {
	var n int64
	var text string
	if err := row.Scan(&n, &text); err != nil {
		return h, err
	}
	return wire.ReadHead(n, text)
}

func scanAudit(row pgx.Row) (r port.AuditRow, err error) {
	var at int64
	err = row.Scan(&r.N, &at, &r.Actor, &r.Action, &r.Target, &r.Run, &r.Outcome, &r.Body, &r.Hash, &r.Open)
	r.At = wire.Time(at)
	return r, err
}
