package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

const pieceSize = 1 << 20

const (
	sqlTouchBlob = `UPDATE blobs SET stored_at = greatest(stored_at, $2) WHERE id = $1 RETURNING size`

	sqlPutBlob = `INSERT INTO blobs (id, size, data, stored_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET stored_at = greatest(blobs.stored_at, excluded.stored_at)`

	sqlNewPieces = `SELECT nextval('blob_pieces_no')`

	sqlPutPiece = `INSERT INTO blob_pieces (pieces, n, data) VALUES ($1, $2, $3)`

	sqlPutBlobInPieces = `INSERT INTO blobs (id, size, pieces, stored_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO NOTHING`

	sqlBlob = `SELECT size, data, coalesce(pieces, 0) FROM blobs WHERE id = $1`

	sqlPiece = `SELECT data FROM blob_pieces WHERE pieces = $1 AND n = $2`
)

// PutBlob implements port.Blobs. A large blob is read into a temporary file first: only then is its id known,
// and a slow sender keeps no transaction open.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, max int64) (string, int64, error) {
	if err := s.vault.Refresh(ctx); err != nil {
		return "", 0, fmt.Errorf("store a blob: %w", err)
	}
	h := storekit.NewHasher(ctx, r, max)
	if err := s.putBlob(ctx, h); err != nil {
		return "", 0, fmt.Errorf("store a blob: %w", explain(err))
	}
	return h.ID(), h.Size(), nil
}

func (s *Store) putBlob(ctx context.Context, h *storekit.Hasher) (err error) {
	first, err := io.ReadAll(io.LimitReader(h, storekit.InlineMax+1))
	if err != nil {
		return err
	}
	if len(first) <= storekit.InlineMax {
		_, err := s.pool.Exec(ctx, sqlPutBlob, h.ID(), h.Size(), s.vault.Bytes(first, storekit.AtBlob(h.ID(), 0)),
			storekit.Nanos(time.Now()))
		return err
	}
	f, err := os.CreateTemp("", "assent-blob-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	spool, err := s.vault.NewSpool(f, io.MultiReader(bytes.NewReader(first), h))
	if err != nil {
		return err
	}
	return s.putPieces(ctx, spool, h)
}

func (s *Store) putPieces(ctx context.Context, spool *storekit.Spool, h *storekit.Hasher) error {
	var size int64
	now := storekit.Nanos(time.Now())
	err := s.pool.QueryRow(ctx, sqlTouchBlob, h.ID(), now).Scan(&size)
	if !errors.Is(err, pgx.ErrNoRows) {
		return err // it exists, or we cannot know
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		f := spool.Reader()
		var pieces int64
		if err := tx.QueryRow(ctx, sqlNewPieces).Scan(&pieces); err != nil {
			return err
		}
		buf := make([]byte, pieceSize)
		for n := 0; ; n++ {
			got, err := io.ReadFull(f, buf)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				return err
			}
			if _, err := tx.Exec(ctx, sqlPutPiece, pieces, n, s.vault.Bytes(buf[:got], storekit.AtBlob(h.ID(),
				int64(n)))); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, sqlPutBlobInPieces, h.ID(), h.Size(), pieces, now)
		if err == nil && tag.RowsAffected() == 0 {
			return errThere
		}
		return err
	})
	if errors.Is(err, errThere) {
		return nil
	}
	return err
}

// errThere rolls back: another process stored the same content in the meantime.
var errThere = errors.New("it is there already")

// OpenBlob implements port.Blobs.
func (s *Store) OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error) {
	if _, ok := storekit.BlobHex(id); !ok {
		return nil, 0, storekit.NotFound("blob", id)
	}
	var size, pieces int64
	var data []byte
	err := s.pool.QueryRow(ctx, sqlBlob, id).Scan(&size, &data, &pieces)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, storekit.NotFound("blob", id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read blob %s: %w", id, explain(err))
	}
	if pieces == 0 {
		if data, err = s.vault.Open(data, storekit.AtBlob(id, 0)); err != nil {
			return nil, 0, fmt.Errorf("read blob %s: %w", id, err)
		}
		return storekit.Inline{Reader: bytes.NewReader(data)}, size, nil
	}
	p := &pieceReader{ctx: ctx, s: s, id: id, pieces: pieces, held: -1}
	return &blobReader{io.NewSectionReader(p, 0, size)}, size, nil
}

type blobReader struct{ *io.SectionReader }

func (*blobReader) Close() error { return nil }

// pieceReader reads a blob one piece at a time.
type pieceReader struct {
	ctx    context.Context
	s      *Store
	id     string
	pieces int64
	held   int64 // number of the piece in data
	data   []byte
}

func (p *pieceReader) ReadAt(b []byte, off int64) (int, error) {
	read := 0
	for read < len(b) {
		n := (off + int64(read)) / pieceSize
		if n != p.held {
			p.held = -1
			if err := p.s.pool.QueryRow(p.ctx, sqlPiece, p.pieces, n).Scan(&p.data); err != nil {
				return read, fmt.Errorf("read piece %d of blob %s: %w", n, p.id, explain(err))
			}
			var err error
			if p.data, err = p.s.vault.Open(p.data, storekit.AtBlob(p.id, n)); err != nil {
				return read, fmt.Errorf("read piece %d of blob %s: %w", n, p.id, err)
			}
			p.held = n
		}
		at := (off + int64(read)) % pieceSize
		if at >= int64(len(p.data)) {
			return read, io.EOF
		}
		read += copy(b[read:], p.data[at:])
	}
	return read, nil
}
