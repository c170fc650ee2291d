package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/wire"
)

var _ seal.Keeper = (*Store)(nil)

// keyTable is a wire.KeyTable.
type keyTable struct{ s *Store }

const (
	keyColumns   = `id, master, wrapped, created_at`
	sqlDataKeys  = `SELECT ` + keyColumns + ` FROM data_keys ORDER BY created_at, id`
	sqlFreeKey   = `SELECT ` + keyColumns + ` FROM data_keys WHERE master = ? AND created_at >= ? AND claims < ? ORDER BY created_at DESC, id LIMIT 1`
	sqlClaimKey  = `UPDATE data_keys SET claims = claims + 1 WHERE id = ?`
	sqlAddKey    = `INSERT INTO data_keys (id, master, wrapped, claims, created_at) VALUES (?, ?, ?, 1, ?)`
	sqlRewrapKey = `UPDATE data_keys SET master = ?, wrapped = ? WHERE id = ?`
	sqlErase     = `PRAGMA secure_delete = ON` // what is replaced or deleted does not linger in the file
)

func scanKey(row scanner) (w seal.Wrapped, err error) {
	return w, row.Scan(&w.ID, &w.Master, &w.Body, &w.Created)
}

// DataKeys implements wire.KeyTable.
func (k keyTable) DataKeys(ctx context.Context) ([]seal.Wrapped, error) {
	keys, err := collect(func(r *sql.Rows) (seal.Wrapped, error) { return scanKey(r) })(k.s.read.QueryContext(ctx, sqlDataKeys))
	return keys, explain(err)
}

// ClaimKey implements wire.KeyTable.
func (k keyTable) ClaimKey(ctx context.Context, master string, since int64, fresh seal.Wrapped) (w seal.Wrapped, err error) {
	err = k.s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		if err := t.exec(sqlErase); err != nil {
			return err
		}
		q, err := t.stmt(sqlFreeKey)
		if err != nil {
			return err
		}
		w, err = scanKey(q.QueryRowContext(context.Background(), master, since, wire.ClaimsMax))
		if errors.Is(err, sql.ErrNoRows) {
			w = fresh
			return t.exec(sqlAddKey, w.ID, w.Master, w.Body, w.Created)
		}
		if err != nil {
			return err
		}
		return t.exec(sqlClaimKey, w.ID)
	}})
	return w, err
}

// RewrapKeys implements wire.KeyTable.
func (k keyTable) RewrapKeys(ctx context.Context, change func(seal.Wrapped) (seal.Wrapped, bool, error)) (changed int, err error) {
	err = k.s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		changed = 0
		q, err := t.stmt(sqlDataKeys)
		if err != nil {
			return err
		}
		keys, err := collect(func(r *sql.Rows) (seal.Wrapped, error) { return scanKey(r) })(q.QueryContext(context.Background()))
		if err != nil {
			return err
		}
		for _, w := range keys {
			w, differs, err := change(w)
			if err == nil && differs {
				changed++
				err = t.exec(sqlRewrapKey, w.Master, w.Body, w.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}})
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
