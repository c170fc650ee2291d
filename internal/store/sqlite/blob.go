package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/store/wire"
)

// PutBlob implements port.Blobs. Small blobs are rows. A large one becomes a
// file first and a row only when the file is safe, so whatever a row names is
// whole; a crash in between leaves a file that nobody knows.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, max int64) (string, int64, error) {
	id, size, err := s.putBlob(ctx, wire.NewHasher(ctx, r, max))
	if err != nil {
		return "", 0, fmt.Errorf("store a blob: %w", explain(err))
	}
	return id, size, nil
}

func (s *Store) putBlob(ctx context.Context, h *wire.Hasher) (string, int64, error) {
	first, err := io.ReadAll(io.LimitReader(h, wire.InlineMax+1))
	if err != nil {
		return "", 0, err
	}
	if len(first) <= wire.InlineMax {
		return h.ID(), h.Size(), s.putRow(ctx, h, first)
	}
	d, err := s.blobs.draft()
	if err != nil {
		return "", 0, err
	}
	if _, err := d.Write(first); err != nil {
		return "", 0, errors.Join(err, d.drop())
	}
	if _, err := io.Copy(d.File, h); err != nil {
		return "", 0, errors.Join(err, d.drop())
	}
	s.filing.RLock()
	defer s.filing.RUnlock()
	if err := d.keep(h.Hex()); err != nil {
		return "", 0, err
	}
	return h.ID(), h.Size(), s.putRow(ctx, h, nil)
}

func (s *Store) putRow(ctx context.Context, h *wire.Hasher, data []byte) error {
	id, size, at := h.ID(), h.Size(), wire.Nanos(time.Now())
	return s.writer.queue.Do(ctx, &job{Job: wire.Job{Bytes: len(data)}, do: func(t *tx) error { return t.exec(sqlPutBlob, id, size, blobOrNull(data), at) }})
}

// OpenBlob implements port.Blobs.
func (s *Store) OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error) {
	name, ok := wire.BlobHex(id)
	if !ok {
		return nil, 0, wire.NotFound("blob", id)
	}
	var size int64
	var data []byte
	err := s.read.QueryRowContext(ctx, sqlBlob, id).Scan(&size, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, wire.NotFound("blob", id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read blob %s: %w", id, explain(err))
	}
	if data != nil || size == 0 {
		return inline{bytes.NewReader(data)}, size, nil
	}
	f, err := os.Open(s.blobs.of(name))
	if errors.Is(err, os.ErrNotExist) && s.dropped(ctx, id) {
		return nil, 0, wire.NotFound("blob", id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open blob %s: %w", id, explain(err))
	}
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return nil, 0, errors.Join(fault.Newf(fault.Invalid, "blob %s is damaged: its file does not have %d bytes", id, size), err, f.Close())
	}
	return f, size, nil
}

// dropped reports whether a blob went between looking at its row and at its file.
func (s *Store) dropped(ctx context.Context, id string) bool {
	var size int64
	var data []byte
	return errors.Is(s.read.QueryRowContext(ctx, sqlBlob, id).Scan(&size, &data), sql.ErrNoRows)
}

type inline struct{ *bytes.Reader }

func (inline) Close() error { return nil }
