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
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	sqlPutBlob = `INSERT INTO blobs (id, size, data, stored_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET stored_at = max(stored_at, excluded.stored_at)`

	sqlBlob = `SELECT size, data FROM blobs WHERE id = ?`
)

// PutBlob implements port.Blobs. Small blobs are rows. A large one becomes a file first and a row only when
// the file is durable, so a row always refers to a complete file; a crash in between leaves an unreferenced
// file.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, max int64) (string, int64, error) {
	err := s.vault.Refresh(ctx)
	if err != nil {
		return "", 0, fmt.Errorf("store a blob: %w", err)
	}
	id, size, err := s.putBlob(ctx, storekit.NewHasher(ctx, r, max))
	if err != nil {
		return "", 0, fmt.Errorf("store a blob: %w", explain(err))
	}
	return id, size, nil
}

func (s *Store) putBlob(ctx context.Context, h *storekit.Hasher) (string, int64, error) {
	first, err := io.ReadAll(io.LimitReader(h, storekit.InlineMax+1))
	if err != nil {
		return "", 0, err
	}
	if len(first) <= storekit.InlineMax {
		return h.ID(), h.Size(), s.putRow(ctx, h, first)
	}
	d, err := s.blobDraft(h, io.MultiReader(bytes.NewReader(first), h))
	if err != nil {
		return "", 0, s.files.Note(explain(err))
	}
	s.filing.RLock()
	defer s.filing.RUnlock()
	if err := s.files.Note(explain(d.keep(h.Hex()))); err != nil {
		return "", 0, err
	}
	return h.ID(), h.Size(), s.putRow(ctx, h, nil)
}

// blobDraft writes a large blob to a file. Its hash has to be known before it can be encrypted, so it is read
// once before, and even then not left readable.
func (s *Store) blobDraft(h *storekit.Hasher, r io.Reader) (*draft, error) {
	if !s.vault.On() {
		return s.blobs.filled(func(w io.Writer) error { _, err := io.Copy(w, r); return err })
	}
	first, err := s.blobs.draft()
	if err != nil {
		return nil, err
	}
	spool, err := s.vault.NewSpool(first.File, r)
	if err != nil {
		return nil, errors.Join(err, first.drop())
	}
	d, err := s.blobs.filled(func(w io.Writer) error { return s.vault.WritePieces(w, spool.Reader(), h.ID()) })
	return d, errors.Join(err, first.drop())
}

func (s *Store) putRow(ctx context.Context, h *storekit.Hasher, data []byte) error {
	id, size, at := h.ID(), h.Size(), storekit.Nanos(time.Now())
	data = s.vault.Bytes(data, storekit.AtBlob(id, 0))
	return s.writer.queue.Do(ctx, &job{Job: commit.Job{Bytes: len(data)},
		do: func(t *tx) error { return t.exec(sqlPutBlob, id, size, blobOrNull(data), at) }})
}

// OpenBlob implements port.Blobs.
func (s *Store) OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error) {
	name, ok := storekit.BlobHex(id)
	if !ok {
		return nil, 0, storekit.NotFound("blob", id)
	}
	var size int64
	var data []byte
	err := s.read.QueryRowContext(ctx, sqlBlob, id).Scan(&size, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, storekit.NotFound("blob", id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read blob %s: %w", id, explain(err))
	}
	if data != nil || size == 0 {
		if data, err = s.vault.Open(data, storekit.AtBlob(id, 0)); err != nil {
			return nil, 0, fmt.Errorf("read blob %s: %w", id, err)
		}
		return storekit.Inline{Reader: bytes.NewReader(data)}, size, nil
	}
	f, err := os.Open(s.blobs.of(name))
	if errors.Is(err, os.ErrNotExist) && s.dropped(ctx, id) {
		return nil, 0, storekit.NotFound("blob", id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open blob %s: %w", id, explain(err))
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.Size() == size:
		return f, size, nil
	case err == nil && info.Size() == storekit.SealedSize(size):
		return sealedFile{s.vault.ReadPieces(f, id, size), f}, size, nil
	}
	return nil, 0, errors.Join(fault.Newf(fault.Invalid, "blob %s is damaged: its file does not have %d bytes", id,
		size), err, f.Close())
}

// dropped reports whether a blob was deleted between reading its row and its file.
func (s *Store) dropped(ctx context.Context, id string) bool {
	var size int64
	var data []byte
	return errors.Is(s.read.QueryRowContext(ctx, sqlBlob, id).Scan(&size, &data), sql.ErrNoRows)
}

// sealedFile reads an encrypted blob and closes its file.
type sealedFile struct {
	*io.SectionReader
	io.Closer
}
