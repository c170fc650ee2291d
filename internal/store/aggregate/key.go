package aggregate

import (
	"context"
	"database/sql"
	"errors"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	keyColumns = `id, master, wrapped, created_at`

	sqlDataKeys = `SELECT ` + keyColumns + ` FROM data_keys ORDER BY created_at, id`

	sqlFreeKey = `SELECT ` + keyColumns + ` FROM data_keys WHERE master = ? AND created_at >= ? AND claims < ?
		ORDER BY created_at DESC, id LIMIT 1`
	sqlClaimKey  = `UPDATE data_keys SET claims = claims + 1 WHERE id = ?`
	sqlAddKey    = `INSERT INTO data_keys (id, master, wrapped, claims, created_at) VALUES (?, ?, ?, 1, ?)`
	sqlRewrapKey = `UPDATE data_keys SET master = ?, wrapped = ? WHERE id = ?`
)

// KeyTable is a storekit.KeyTable.
type KeyTable struct {
	Query func(ctx context.Context, query string, args []any, each func(storekit.Row) error) error
	// Lock runs f in a transaction that keeps others from adding keys.
	Lock func(ctx context.Context, f func(Tx) error) error
}

// DataKeys implements storekit.KeyTable.
func (t KeyTable) DataKeys(ctx context.Context) ([]seal.Wrapped, error) {
	return readKeys(func(each func(storekit.Row) error) error { return t.Query(ctx, sqlDataKeys, nil, each) })
}

func readKeys(query func(each func(storekit.Row) error) error) (keys []seal.Wrapped, err error) {
	err = query(func(r storekit.Row) error {
		w, err := scanKey(r)
		keys = append(keys, w)
		return err
	})
	return keys, err
}

// ClaimKey implements storekit.KeyTable.
func (t KeyTable) ClaimKey(
	ctx context.Context, master string, since int64, fresh seal.Wrapped,
) (w seal.Wrapped, err error) {
	err = t.Lock(ctx, func(tx Tx) error {
		w, err = scanKey(tx.Row(sqlFreeKey, master, since, storekit.ClaimsMax))
		if errors.Is(err, sql.ErrNoRows) {
			w = fresh
			return tx.Exec(sqlAddKey, w.ID, w.Master, w.Body, w.Created)
		}
		if err != nil {
			return err
		}
		return tx.Exec(sqlClaimKey, w.ID)
	})
	return w, err
}

// RewrapKeys implements storekit.KeyTable.
func (t KeyTable) RewrapKeys(
	ctx context.Context, change func(seal.Wrapped) (seal.Wrapped, bool, error),
) (changed int, err error) {
	err = t.Lock(ctx, func(tx Tx) error {
		changed = 0
		keys, err := readKeys(func(each func(storekit.Row) error) error { return tx.Query(sqlDataKeys, nil, each) })
		for _, w := range keys {
			var differs bool
			if err == nil {
				w, differs, err = change(w)
			}
			if err == nil && differs {
				changed++
				err = tx.Exec(sqlRewrapKey, w.Master, w.Body, w.ID)
			}
		}
		return err
	})
	return changed, err
}

func scanKey(row storekit.Row) (w seal.Wrapped, err error) {
	return w, row.Scan(&w.ID, &w.Master, &w.Body, &w.Created)
}

// EncryptionKeys implements seal.Keeper.
func (a *Aggregates) EncryptionKeys(ctx context.Context) ([]seal.KeyState, error) {
	return a.vault.Keys(ctx)
}

// RotateKeys implements seal.Keeper.
func (a *Aggregates) RotateKeys(ctx context.Context, keys []seal.Key) (int, error) {
	return a.vault.Rotate(ctx, keys)
}
