package postgres

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const (
	sqlPiecesAfter = `SELECT pieces FROM blobs WHERE pieces > ? ORDER BY pieces LIMIT ?`
	sqlPiecesOf    = `SELECT id FROM blobs WHERE pieces = $1 FOR UPDATE`
	sqlPieceHeads  = `SELECT n, substr(data, 1, ?) FROM blob_pieces WHERE pieces = ? ORDER BY n`
	sqlSetPiece    = `UPDATE blob_pieces SET data = $3 WHERE pieces = $1 AND n = $2`
)

// Rewrite implements seal.Keeper.
func (s *Store) Rewrite(ctx context.Context, all bool) (seal.Rewriting, error) {
	done, err := s.vault.Rewrite(ctx, rewriter{s}, all)
	return done, explain(err)
}

// rewriter is a storekit.Rewriter.
type rewriter struct{ s *Store }

// Rewriting implements storekit.Rewriter.
func (r rewriter) Rewriting(ctx context.Context, f func(storekit.RewriteTx) error) error {
	return database(r).WriteAlone(ctx, func(tx aggregate.Tx) error { return f(tx) })
}

// Renewed implements storekit.Rewriter.
func (r rewriter) Renewed(ctx context.Context) error {
	_, err := r.s.pool.Exec(ctx, sqlTellKeys)
	return err
}

// Apart implements storekit.Rewriter.
func (r rewriter) Apart() []storekit.Apart {
	return []storekit.Apart{{List: r.list, Redo: r.pieces}}
}

func (r rewriter) list(ctx context.Context, after int64, limit int) ([]int64, error) {
	scan := func(row storekit.Row) (n int64, err error) { return n, row.Scan(&n) }
	return list(ctx, r.s.pool, scan, storekit.Cond{SQL: sqlPiecesAfter, Args: []any{after, limit}})
}

// pieces re-encrypts the pieces of a blob. Deleting blobs waits.
func (r rewriter) pieces(ctx context.Context, pieces int64, old storekit.Old) (done bool, err error) {
	err = r.s.transact(ctx, func(tx pgx.Tx) error {
		done = false
		var id string
		if err := tx.QueryRow(ctx, sqlPiecesOf, pieces).Scan(&id); errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		var todo []int64
		err := forEach(ctx, tx, sqlPieceHeads, []any{seal.Head, pieces}, func(row storekit.Row) error {
			var n int64
			var head []byte
			err := row.Scan(&n, &head)
			if err == nil && old(head) {
				todo = append(todo, n)
			}
			return err
		})
		for _, n := range todo {
			if err == nil {
				done = true
				err = r.piece(ctx, tx, id, pieces, n)
			}
		}
		return err
	})
	return done && err == nil, err
}

func (r rewriter) piece(ctx context.Context, tx pgx.Tx, id string, pieces, n int64) error {
	var data []byte
	err := tx.QueryRow(ctx, sqlPiece, pieces, n).Scan(&data)
	if err == nil {
		data, err = r.s.vault.Open(data, storekit.AtBlob(id, n))
	}
	if err == nil {
		_, err = tx.Exec(ctx, sqlSetPiece, pieces, n, r.s.vault.Bytes(data, storekit.AtBlob(id, n)))
	}
	return err
}
