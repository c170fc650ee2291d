package postgres

import (
	"context"

	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// EventSalts implements port.AuditLog.
func (s *Store) EventSalts(ctx context.Context, runs []string) (out map[string]string, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) (err error) {
		out, err = s.vault.EventSalts(rewriteTx{ctx, tx}, runs)
		return err
	})
	return out, err
}

// MakeEventSalts implements port.AuditLog. The lock that every writer needs keeps
// removing payloads either before or after it.
func (s *Store) MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	out, err := s.EventSalts(ctx, runs)
	missing := wire.Saltless(runs, out)
	if err != nil || len(missing) == 0 {
		return out, err
	}
	err = rewriter{s}.Rewriting(ctx, func(tx wire.RewriteTx) (err error) {
		if err = s.vault.MakeEventSalts(tx, missing); err == nil {
			out, err = s.vault.EventSalts(tx, runs)
		}
		return err
	})
	return out, explain(err)
}
