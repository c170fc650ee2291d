package sqlite

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// audit appends entries to the chain. Only the single writer does, so their order is that of the commits.
// They are stored with the commit.
func (t *tx) audit(forms []*port.AuditForm) {
	for _, f := range forms {
		t.entries = append(t.entries, t.chain.Next(f))
	}
}

// storeAudit stores the entries of all jobs, many per statement, which is considerably cheaper than one each.
func (t *tx) storeAudit() error {
	for rows := t.entries; len(rows) > 0; {
		n, query := 1, sqlInsertAudit
		if len(rows) >= auditAtOnce {
			n, query = auditAtOnce, sqlInsertAuditMany
		}
		args := t.args[:0]
		for _, r := range rows[:n] {
			r = t.s.vault.HideAudit(r)
			args = append(args, r.N, storekit.Nanos(r.At), r.Actor, r.Action, r.Target, r.Run, r.Outcome, r.Body,
				r.Hash, blobOrNull(r.Open))
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
	forms, err := storekit.Forms(entries)
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
