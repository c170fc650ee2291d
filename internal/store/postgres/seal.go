package postgres

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

var _ seal.Keeper = (*Store)(nil)

// keyTable is a wire.KeyTable.
type keyTable struct{ s *Store }

const (
	keysChannel = `assent_keys` // where it is told that there is a new data key
	keyColumns  = `id, master, wrapped, created_at`
	sqlDataKeys = `SELECT ` + keyColumns + ` FROM data_keys ORDER BY created_at, id`
	sqlLockKeys = `LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE`
	sqlClaimKey = `UPDATE data_keys SET claims = claims + 1 WHERE id = (SELECT id FROM data_keys
		WHERE master = $1 AND created_at >= $2 AND claims < $3 ORDER BY created_at DESC, id LIMIT 1) RETURNING ` + keyColumns
	sqlAddKey    = `INSERT INTO data_keys (id, master, wrapped, claims, created_at) VALUES ($1, $2, $3, 1, $4)`
	sqlRewrapKey = `UPDATE data_keys SET master = $1, wrapped = $2 WHERE id = $3`
	sqlTellKeys  = `SELECT pg_notify('` + keysChannel + `', '')`
)

func scanKey(row pgx.Row) (w seal.Wrapped, err error) {
	return w, row.Scan(&w.ID, &w.Master, &w.Body, &w.Created)
}

// DataKeys implements wire.KeyTable. It has a connection of its own: whoever
// needs a key may be in the middle of reading, and hold the last one of the pool.
func (k keyTable) DataKeys(ctx context.Context) ([]seal.Wrapped, error) {
	c, err := pgx.ConnectConfig(ctx, k.s.config)
	if err != nil {
		return nil, explain(err)
	}
	defer closeConn(c)
	keys, err := dataKeys(ctx, c)
	return keys, explain(err)
}

func dataKeys(ctx context.Context, q interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}) ([]seal.Wrapped, error) {
	rows, err := q.Query(ctx, sqlDataKeys)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanKey)
}

// ClaimKey implements wire.KeyTable.
func (k keyTable) ClaimKey(ctx context.Context, master string, since int64, fresh seal.Wrapped) (w seal.Wrapped, err error) {
	err = k.s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLockKeys); err != nil {
			return err
		}
		w, err = scanKey(tx.QueryRow(ctx, sqlClaimKey, master, since, wire.ClaimsMax))
		if errors.Is(err, pgx.ErrNoRows) {
			w = fresh
			_, err = tx.Exec(ctx, sqlAddKey, w.ID, w.Master, w.Body, w.Created)
		}
		return err
	})
	return w, err
}

// RewrapKeys implements wire.KeyTable.
func (k keyTable) RewrapKeys(ctx context.Context, change func(seal.Wrapped) (seal.Wrapped, bool, error)) (changed int, err error) {
	err = k.s.transact(ctx, func(tx pgx.Tx) error {
		changed = 0
		if _, err := tx.Exec(ctx, sqlLockKeys); err != nil {
			return err
		}
		keys, err := dataKeys(ctx, tx)
		if err != nil {
			return err
		}
		for _, w := range keys {
			w, differs, err := change(w)
			if err == nil && differs {
				changed++
				_, err = tx.Exec(ctx, sqlRewrapKey, w.Master, w.Body, w.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return changed, err
}

// EncryptionKeys implements seal.Keeper.
func (s *Store) EncryptionKeys(ctx context.Context) ([]seal.KeyState, error) {
	return s.vault.Keys(ctx)
}

// RotateKeys implements seal.Keeper.
func (s *Store) RotateKeys(ctx context.Context, keys []seal.Key) (int, error) {
	return s.vault.Rotate(ctx, keys)
}
