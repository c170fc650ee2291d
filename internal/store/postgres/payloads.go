package postgres

import (
	"context"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// RemovePayloads implements port.Payloads. Everything is in the tables; replaced data is gone from the disk
// after the server has vacuumed them.
func (s *Store) RemovePayloads(ctx context.Context, run string) error {
	return aggregate.AboutRemoval(database{s}.WriteAlone(ctx, func(tx aggregate.Tx) error {
		_, err := s.vault.RemovePayloads(tx, run, storekit.RunFiles{DropBlobs: dropBlobs})
		return err
	}))
}

func dropBlobs(tx storekit.RewriteTx, ids []string) error {
	for _, id := range ids {
		if err := tx.Exec(`DELETE FROM blob_pieces WHERE pieces IN (SELECT pieces FROM blobs WHERE id = ?
			AND pieces IS NOT NULL)`, id); err != nil {
			return err
		}
		if err := tx.Exec(`DELETE FROM blobs WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
