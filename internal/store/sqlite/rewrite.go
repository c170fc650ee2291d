package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Rewrite implements seal.Keeper.
func (s *Store) Rewrite(ctx context.Context, all bool) (seal.Rewriting, error) {
	s.rewriting.Lock()
	defer s.rewriting.Unlock()
	done, err := s.vault.Rewrite(ctx, rewriter{s}, all)
	if err == nil && done.Done { // replaced data must not stay in the write-ahead log
		_, err = s.read.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	return done, explain(err)
}

// rewriter is a storekit.Rewriter: the single writer does it between its other jobs.
type rewriter struct{ s *Store }

// Rewriting implements storekit.Rewriter.
func (r rewriter) Rewriting(ctx context.Context, f func(storekit.RewriteTx) error) error {
	return database(r).WriteAlone(ctx, func(tx aggregate.Tx) error { return f(tx) })
}

// Renewed implements storekit.Rewriter: there is no other process.
func (r rewriter) Renewed(context.Context) error { return nil }

const (
	sqlBatchFiles = `SELECT last_feed FROM batches WHERE file IS NOT NULL AND last_feed > ? ORDER BY last_feed
		LIMIT ?`
	sqlBatchFile     = `SELECT run, last_seq, file FROM batches WHERE file IS NOT NULL AND last_feed = ?`
	sqlSnapshotFiles = `SELECT no FROM snapshots WHERE file IS NOT NULL AND no > ? ORDER BY no LIMIT ?`
	sqlSnapshotFile  = `SELECT run, seq, file FROM snapshots WHERE file IS NOT NULL AND no = ?`
	sqlBlobFiles     = `SELECT no FROM blobs WHERE data IS NULL AND size > 0 AND no > ? ORDER BY no LIMIT ?`
	sqlBlobFile      = `SELECT id, size FROM blobs WHERE data IS NULL AND size > 0 AND no = ?`
)

// Apart implements storekit.Rewriter. A file is replaced under its own name, so that a reader or a backup
// finds either the old or the new one.
func (r rewriter) Apart() []storekit.Apart {
	return []storekit.Apart{
		{List: r.list(sqlBatchFiles), Redo: r.body(sqlBatchFile, "batches.body")},
		{List: r.list(sqlSnapshotFiles), Redo: r.body(sqlSnapshotFile, "snapshots.state")},
		{List: r.list(sqlBlobFiles), Redo: r.blob},
	}
}

func (r rewriter) list(query string) func(context.Context, int64, int) ([]int64, error) {
	return func(ctx context.Context, after int64, limit int) ([]int64, error) {
		scan := func(row storekit.Row) (n int64, err error) { return n, row.Scan(&n) }
		return collect(scan)(r.s.read.QueryContext(ctx, steady(query), after, limit))
	}
}

// body re-encrypts a body. Only the writer may: no other goroutine changes it in the meantime.
func (r rewriter) body(query, table string) func(context.Context, int64, storekit.Old) (bool, error) {
	return func(ctx context.Context, n int64, old storekit.Old) (done bool, err error) {
		err = r.s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
			done = false
			p := seal.Place{Table: table}
			var name string
			if found, err := t.queryRow(query, []any{n}, &p.ID, &p.N, &name); err != nil || !found {
				return err
			}
			stored, err := r.s.bodies.get(name)
			if err != nil || !old(stored) {
				return err
			}
			plain, err := r.s.vault.Open(stored, p)
			if err != nil {
				return err
			}
			d, err := r.s.bodies.filled(func(w io.Writer) error {
				_, err := w.Write(r.s.vault.Bytes(plain,
					p))
				return err
			})
			if err == nil {
				err = d.keep(name)
			}
			done = err == nil
			return err
		}})
		return done, err
	}
}

// blob re-encrypts a blob. It cannot be deleted in the meantime.
func (r rewriter) blob(ctx context.Context, n int64, old storekit.Old) (done bool, err error) {
	s := r.s
	s.filing.RLock()
	defer s.filing.RUnlock()
	var id string
	var size int64
	err = s.read.QueryRowContext(ctx, sqlBlobFile, n).Scan(&id, &size)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	name, _ := storekit.BlobHex(id) // it would not be there otherwise
	f, err := os.Open(s.blobs.of(name))
	if err != nil {
		return false, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	head := make([]byte, seal.Head)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	from := io.NewSectionReader(f, 0, size)
	switch sealed := info.Size() == storekit.SealedSize(size); {
	case !sealed && info.Size() != size:
		return false, &seal.DamagedError{Place: storekit.AtBlob(id, 0)}
	case sealed && !old(head):
		return false, nil
	case sealed:
		from = s.vault.ReadPieces(f, id, size)
	}
	d, err := s.blobs.filled(func(w io.Writer) error { return s.vault.WritePieces(w, from, id) })
	if err != nil {
		return false, err
	}
	err = d.keep(name)
	return err == nil, err
}
