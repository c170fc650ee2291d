package postgres

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

const (
	sqlPiecesAfter = `SELECT pieces FROM blobs WHERE pieces > $1 ORDER BY pieces LIMIT $2`
	sqlPiecesOf    = `SELECT id FROM blobs WHERE pieces = $1 FOR UPDATE`
	sqlPieceHeads  = `SELECT n, substr(data, 1, $2) FROM blob_pieces WHERE pieces = $1 ORDER BY n`
	sqlSetPiece    = `UPDATE blob_pieces SET data = $3 WHERE pieces = $1 AND n = $2`
)

// Rewrite implements seal.Keeper.
func (s *Store) Rewrite(ctx context.Context, all bool) (seal.Rewriting, error) {
	done, err := s.vault.Rewrite(ctx, rewriter{s}, all)
	return done, explain(err)
}

// rewriter is a wire.Rewriter.
type rewriter struct{ s *Store }

// Rewriting implements wire.Rewriter. The lock that every writer needs keeps the
// others out, other processes and other callers of this among them.
func (r rewriter) Rewriting(ctx context.Context, f func(wire.RewriteTx) error) error {
	return r.s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := lockAudit(ctx, tx); err != nil {
			return err
		}
		return f(rewriteTx{ctx, tx})
	})
}

// Renewed implements wire.Rewriter.
func (r rewriter) Renewed(ctx context.Context) error {
	_, err := r.s.pool.Exec(ctx, sqlTellKeys)
	return err
}

type rewriteTx struct {
	ctx context.Context
	tx  pgx.Tx
}

// Query implements wire.RewriteTx.
func (r rewriteTx) Query(sql string, args []any, each func(wire.Row) error) error {
	w := &where{}
	w.add(sql, args...)
	rows, err := r.tx.Query(r.ctx, w.String(), w.args...)
	if err != nil {
		return err
	}
	_, err = collect(rows, func(row pgx.Row) (struct{}, error) { return struct{}{}, each(row) })
	return err
}

// Exec implements wire.RewriteTx.
func (r rewriteTx) Exec(sql string, args ...any) error {
	w := &where{}
	w.add(sql, args...)
	_, err := r.tx.Exec(r.ctx, w.String(), w.args...)
	return err
}

// Apart implements wire.Rewriter.
func (r rewriter) Apart() []wire.Apart {
	return []wire.Apart{{List: r.list, Redo: r.pieces}}
}

func (r rewriter) list(ctx context.Context, after int64, limit int) ([]int64, error) {
	return list(ctx, r.s, func(row pgx.Row) (n int64, err error) { return n, row.Scan(&n) }, sqlPiecesAfter, after, limit)
}

// pieces seals the pieces of a blob anew. Whoever removes blobs waits.
func (r rewriter) pieces(ctx context.Context, pieces int64, old wire.Old) (done bool, err error) {
	err = r.s.transact(ctx, func(tx pgx.Tx) error {
		done = false
		var id string
		if err := tx.QueryRow(ctx, sqlPiecesOf, pieces).Scan(&id); errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sqlPieceHeads, pieces, seal.Head)
		if err != nil {
			return err
		}
		todo, err := collect(rows, func(row pgx.Row) (n int64, err error) {
			var head []byte
			if err = row.Scan(&n, &head); err == nil && !old(head) {
				n = -1
			}
			return n, err
		})
		for _, n := range todo {
			if err == nil && n >= 0 {
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
		data, err = r.s.vault.Open(data, wire.AtBlob(id, n))
	}
	if err == nil {
		_, err = tx.Exec(ctx, sqlSetPiece, pieces, n, r.s.vault.Bytes(data, wire.AtBlob(id, n)))
	}
	return err
}
