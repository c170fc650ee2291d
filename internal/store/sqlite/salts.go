package sqlite

import (
	"context"

	"github.com/assent-run/assent/internal/store/wire"
)

// EventSalts implements port.AuditLog.
func (s *Store) EventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	out, err := s.vault.EventSalts(readTx{ctx, s}, runs)
	return out, explain(err)
}

// MakeEventSalts implements port.AuditLog. The one writer makes them, so that
// removing payloads comes either before or after.
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
