package postgres

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// auditArrays are the columns of many entries.
type auditArrays struct {
	n, at                                     []int64
	actor, action, target, run, outcome, hash []string
	body, open                                [][]byte
}

func (a *auditArrays) add(r port.AuditRow) {
	a.n, a.at = append(a.n, r.N), append(a.at, storekit.Nanos(r.At))
	a.actor, a.action, a.target = append(a.actor, r.Actor), append(a.action, r.Action), append(a.target, r.Target)
	a.run, a.outcome, a.hash = append(a.run, r.Run), append(a.outcome, r.Outcome), append(a.hash, r.Hash)
	a.body, a.open = append(a.body, r.Body), append(a.open, r.Open)
}

func (a *auditArrays) args() []any {
	return []any{a.n, a.at, a.actor, a.action, a.target, a.run, a.outcome, a.body, a.hash, a.open}
}

// flushAudit stores the entries of a group. The lock on head makes this process the only one that appends to
// the chain.
func (g *state) flushAudit(b *pgx.Batch) {
	if len(g.audit.n) == 0 {
		return
	}
	queueRows(b, sqlInsertAuditMany, g.audit.args()...)
}

// lockAudit excludes all other writers until the transaction ends. A transaction that locks rows which groups
// of writes also change has to do this first.
func lockAudit(ctx context.Context, tx pgx.Tx) (c storekit.Chain, err error) {
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

// AppendAudit implements port.AuditLog. It is committed with other writes.
func (s *Store) AppendAudit(ctx context.Context, entries ...port.AuditDraft) (int64, error) {
	forms, err := storekit.Forms(entries)
	if err != nil {
		return 0, err
	}
	j := &job{forms: forms, entriesOnly: true}
	if err := s.writer.queue.Do(ctx, j); err != nil {
		return 0, fmt.Errorf("append to the audit log: %w", err)
	}
	return j.entry, nil
}
