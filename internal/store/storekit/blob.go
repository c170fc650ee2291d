package storekit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

const blobPrefix = "sha256:"

// BlobHex extracts the hash from a blob's id.
func BlobHex(id string) (string, bool) {
	name, ok := strings.CutPrefix(id, blobPrefix)
	if !ok || len(name) != 2*sha256.Size || strings.Trim(name, "0123456789abcdef") != "" {
		return "", false
	}
	return name, true
}

// blobsMax is the maximum number of references in one write. References beyond any sensible number are not
// tracked.
const blobsMax = 10_000

var (
	refMark  = []byte(`$blob`)
	blobMark = []byte(blobPrefix)
)

// BlobsIn lists the blobs that events refer to, each once: {"$blob":"sha256:…"} at any position, including
// inside texts. An extra id does no harm.
func BlobsIn(body []byte) []string {
	if !bytes.Contains(body, refMark) {
		return nil
	}
	var out []string
	known := map[string]bool{}
	for len(out) < blobsMax {
		at := bytes.Index(body, blobMark)
		if at < 0 {
			break
		}
		body = body[at:]
		id := string(body[:min(len(blobPrefix)+2*sha256.Size, len(body))])
		if _, ok := BlobHex(id); ok && !known[id] {
			known[id] = true
			out = append(out, id)
		}
		body = body[len(blobPrefix):]
	}
	return out
}

// Hasher reads a blob and computes its id and size.
type Hasher struct {
	ctx  context.Context
	r    io.Reader
	h    hash.Hash
	size int64
	max  int64
}

// NewHasher reads r, at most max bytes; more is fault.TooLarge.
func NewHasher(ctx context.Context, r io.Reader, max int64) *Hasher {
	return &Hasher{ctx: ctx, r: r, h: sha256.New(), max: max}
}

func (h *Hasher) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := h.r.Read(p)
	h.h.Write(p[:n])
	h.size += int64(n)
	if h.size > h.max {
		return n, fault.Newf(fault.TooLarge, "more than %d bytes", h.max)
	}
	return n, err
}

// Hex is the hash of the data read.
func (h *Hasher) Hex() string { return hex.EncodeToString(h.h.Sum(nil)) }

// ID is the id of the data read.
func (h *Hasher) ID() string { return blobPrefix + h.Hex() }

// Size is the number of bytes read.
func (h *Hasher) Size() int64 { return h.size }

// CheckBundle validates a bundle.
func CheckBundle(digest string, bundle json.RawMessage) error {
	switch {
	case !Word(digest):
		return fault.New(fault.Invalid, "a bundle needs a digest", "")
	case len(bundle) == 0:
		return fault.New(fault.Invalid, "a bundle is not empty", "")
	case len(bundle) > BodyMax:
		return fault.Newf(fault.TooLarge, "a bundle of %d bytes is larger than %d", len(bundle), BodyMax)
	}
	return nil
}

// Inline is a blob in memory.
type Inline struct{ *bytes.Reader }

// Close implements io.Closer.
func (Inline) Close() error { return nil }
