package storekit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assent-run/assent/internal/seal"
)

// filePiece is the size of an encrypted piece, so that a reader of the end need not read everything.
const (
	filePiece = 64 << 10
	overhead  = int64(seal.Overhead)
)

// SealedSize is the length of a file written by WritePieces.
func SealedSize(size int64) int64 { return size + (size+filePiece-1)/filePiece*overhead }

// WritePieces writes a long value in pieces, each encrypted for its position.
func (v *Vault) WritePieces(w io.Writer, r io.Reader, id string) error {
	return writePieces(w, r, func(plain []byte, n int64) []byte { return v.Bytes(plain, AtBlob(id, n)) })
}

func writePieces(w io.Writer, r io.Reader, hide func(plain []byte, n int64) []byte) error {
	buf := make([]byte, filePiece)
	for n := int64(0); ; n++ {
		got, err := io.ReadFull(r, buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if _, err := w.Write(hide(buf[:got], n)); err != nil {
			return err
		}
	}
}

// ReadPieces reads the output of WritePieces, from any offset. It is not safe for concurrent use.
func (v *Vault) ReadPieces(f io.ReaderAt, id string, size int64) *io.SectionReader {
	return io.NewSectionReader(&pieces{f: f, size: size, held: -1, open: func(stored []byte, n int64) ([]byte, error) {
		return v.Open(stored, AtBlob(id, n))
	}}, 0, size)
}

type pieces struct {
	f    io.ReaderAt
	size int64
	open func(stored []byte, n int64) ([]byte, error)
	held int64 // number of the piece in data
	data []byte
}

func (p *pieces) ReadAt(b []byte, off int64) (int, error) {
	read := 0
	for read < len(b) {
		at := off + int64(read)
		if at >= p.size {
			return read, io.EOF
		}
		if n := at / filePiece; n != p.held {
			if err := p.load(n); err != nil {
				return read, err
			}
		}
		read += copy(b[read:], p.data[at%filePiece:])
	}
	return read, nil
}

func (p *pieces) load(n int64) error {
	p.held = -1
	long := min(filePiece, p.size-n*filePiece)
	stored := make([]byte, long+overhead)
	if _, err := p.f.ReadAt(stored, n*(filePiece+overhead)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	plain, err := p.open(stored, n)
	if err == nil && int64(len(plain)) != long {
		err = fmt.Errorf("piece %d has %d bytes, not %d", n, len(plain), long)
	}
	if err != nil {
		return err
	}
	p.held, p.data = n, plain
	return nil
}

// Spool keeps a long value in a file until its id is known. If values are encrypted, so is the file, with a
// temporary key.
type Spool struct {
	f    *os.File
	key  *seal.DataKey // nil: plain
	size int64
}

// NewSpool reads r to its end into an empty file.
func (v *Vault) NewSpool(f *os.File, r io.Reader) (*Spool, error) {
	s := &Spool{f: f}
	if v.On() {
		s.key = seal.Passing()
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err := writePieces(w, r, func(plain []byte, n int64) []byte {
		s.size += int64(len(plain))
		if s.key == nil {
			return plain
		}
		return s.key.Seal(plain, AtBlob("", n))
	})
	return s, errors.Join(err, w.Flush())
}

// Reader reads it from its beginning.
func (s *Spool) Reader() io.Reader {
	if s.key == nil {
		return io.NewSectionReader(s.f, 0, s.size)
	}
	open := func(stored []byte, n int64) ([]byte, error) { return s.key.Open(stored, AtBlob("", n)) }
	return io.NewSectionReader(&pieces{f: s.f, size: s.size, held: -1, open: open}, 0, s.size)
}
