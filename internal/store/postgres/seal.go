package postgres

import (
	"context"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

var _ seal.Keeper = (*Store)(nil)

const (
	keysChannel = `assent_keys` // channel that announces a new data key
	sqlLockKeys = `LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE`
	sqlTellKeys = `SELECT pg_notify('` + keysChannel + `', '')`
)

// keyTable reads keys on a connection of its own: the caller may be in the middle of a read, and hold the
// last connection of the pool.
func (s *Store) keyTable() storekit.KeyTable {
	query := func(ctx context.Context, query string, args []any, each func(storekit.Row) error) error {
		c, err := pgx.ConnectConfig(ctx, s.config)
		if err != nil {
			return explain(err)
		}
		defer closeConn(c)
		return explain(forEach(ctx, c, query, args, each))
	}
	lock := func(ctx context.Context, f func(aggregate.Tx) error) error {
		return database{s}.Write(ctx, 0, func(tx aggregate.Tx) error {
			if err := tx.Exec(sqlLockKeys); err != nil {
				return err
			}
			return f(tx)
		})
	}
	return aggregate.KeyTable{Query: query, Lock: lock}
}
