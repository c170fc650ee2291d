package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// OrderRemoval implements port.Payloads.
func (s *Store) OrderRemoval(ctx context.Context, r port.Removal) (port.Removal, error) {
	kept := r
	err := rewriter{s}.Rewriting(ctx, func(tx wire.RewriteTx) (err error) {
		kept, err = s.vault.OrderRemoval(tx, r)
		return err
	})
	return kept, aboutRemoval(err)
}

// DropRemoval implements port.Payloads.
func (s *Store) DropRemoval(ctx context.Context, run string) error {
	return aboutRemoval(rewriter{s}.Rewriting(ctx, func(tx wire.RewriteTx) error { return wire.DropRemoval(tx, run) }))
}

// OpenRemovals implements port.Payloads.
func (s *Store) OpenRemovals(ctx context.Context, limit int) (out []port.Removal, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) (err error) {
		out, err = s.vault.OpenRemovals(rewriteTx{ctx, tx}, wire.PageSize(limit))
		return err
	})
	return out, aboutRemoval(err)
}

// Removable implements port.Payloads.
func (s *Store) Removable(ctx context.Context, ended time.Time, limit int) (out []string, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) (err error) {
		out, err = wire.Removable(rewriteTx{ctx, tx}, ended, wire.PageSize(limit))
		return err
	})
	return out, aboutRemoval(err)
}

// Relatives implements port.Payloads.
func (s *Store) Relatives(ctx context.Context, run string) (subs, copies []string, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) (err error) {
		subs, copies, err = wire.Relatives(rewriteTx{ctx, tx}, run)
		return err
	})
	return subs, copies, aboutRemoval(err)
}

// RemovePayloads implements port.Payloads. Everything is in the tables; what was
// replaced is gone from the disk once the server has vacuumed them.
func (s *Store) RemovePayloads(ctx context.Context, run string) error {
	return aboutRemoval(rewriter{s}.Rewriting(ctx, func(tx wire.RewriteTx) error {
		_, err := s.vault.RemovePayloads(tx, run, wire.Apartment{DropBlobs: dropBlobs})
		return err
	}))
}

func dropBlobs(tx wire.RewriteTx, ids []string) error {
	for _, id := range ids {
		if err := tx.Exec(`DELETE FROM blob_pieces WHERE pieces IN (SELECT pieces FROM blobs WHERE id = ? AND pieces IS NOT NULL)`, id); err != nil {
			return err
		}
		if err := tx.Exec(`DELETE FROM blobs WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

func aboutRemoval(err error) error {
	if err != nil {
		return fmt.Errorf("remove what a run held: %w", explain(err))
	}
	return nil
}
