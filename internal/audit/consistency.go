package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// consistency proves that one signed head follows another: every head between them begins with an entry that
// contains the hash at which the previous one ended.
type consistency struct {
	Version int              `json:"assent_consistency"`
	From    port.AuditHead   `json:"from"`
	Then    []following      `json:"then"`
	Keys    []string         `json:"keys"`            // public keys of the heads
	Links   []port.AuditLink `json:"links,omitempty"` // between consecutive keys
}

// following is a head with its first entry, and the inclusion proofs of its first and last entry.
type following struct {
	Head  port.AuditHead  `json:"head"`
	First json.RawMessage `json:"first"`
	Path  []string        `json:"path"`
	Last  []string        `json:"last"`
}

const (
	consistencyVersion = 1
	consistencyMax     = 10_000 // heads in one proof
)

// IsConsistency reports whether a file begins like a consistency proof.
func IsConsistency(start []byte) bool {
	return bytes.HasPrefix(start, []byte(`{"assent_consistency":`))
}

// Follow implements port.Audit.
func (s *Service) Follow(ctx context.Context, from, to int64, w io.Writer) error {
	if _, err := s.Cut(ctx); err != nil {
		return err
	}
	heads, err := s.headsBetween(ctx, from, to)
	if err != nil {
		return err
	}
	c := consistency{Version: consistencyVersion, From: heads[0], Then: []following{}}
	for _, h := range heads[1:] {
		f, err := s.following(ctx, h)
		if err != nil {
			return err
		}
		c.Then = append(c.Then, f)
	}
	if err := s.addKeys(ctx, &c); err != nil {
		return err
	}
	out, err := value.Marshal(c)
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// headsBetween reads the heads from one entry to another; 0: to the newest.
func (s *Service) headsBetween(ctx context.Context, from, to int64) (heads []port.AuditHead, err error) {
	for next := from; ; {
		page, err := s.Store.AuditHeads(ctx, next, pageRows)
		if err != nil {
			return nil, err
		}
		for _, h := range page {
			if len(heads) == 0 && h.N != from {
				return nil, fault.Newf(fault.NotFound, "no head was signed at entry %d", from)
			}
			if to > 0 && h.N > to {
				return nil, fault.Newf(fault.NotFound, "no head was signed at entry %d", to)
			}
			if heads = append(heads, h); len(heads) > consistencyMax {
				return nil, fault.Newf(fault.TooLarge, "more than %d heads were signed between these: prove it in parts",
					consistencyMax)
			}
			if h.N == to {
				return heads, nil
			}
			next = h.N + 1
		}
		switch {
		case len(page) > 0:
		case len(heads) == 0:
			return nil, fault.Newf(fault.NotFound, "no head was signed at entry %d", from)
		case to > 0:
			return nil, fault.Newf(fault.NotFound, "no head was signed at entry %d", to)
		default:
			return heads, nil
		}
	}
}

func (s *Service) following(ctx context.Context, h port.AuditHead) (following, error) {
	leafs, err := s.leavesOf(ctx, h)
	if err != nil {
		return following{}, err
	}
	rows, err := s.Store.AuditRows(ctx, h.From-1, 1)
	if err != nil || len(rows) != 1 {
		return following{}, errors.Join(err, bad(h.From, "it is missing"))
	}
	return following{Head: h, First: rows[0].Body, Path: inHex(path(leafs, 0)), Last: inHex(path(leafs, len(leafs)-1))},
		nil
}

func inHex(hashes [][]byte) []string {
	out := make([]string, len(hashes))
	for i, h := range hashes {
		out[i] = hex.EncodeToString(h)
	}
	return out
}

// addKeys adds the keys of all heads, and the links between them.
func (s *Service) addKeys(ctx context.Context, c *consistency) error {
	seen := map[string]bool{}
	for _, h := range append([]following{{Head: c.From}}, c.Then...) {
		if seen[h.Head.Key] {
			continue
		}
		seen[h.Head.Key] = true
		public, err := s.publicOf(ctx, h.Head.Key)
		if err != nil {
			return err
		}
		c.Keys = append(c.Keys, public)
	}
	keys, err := s.keysOnRecord(ctx)
	for _, k := range keys {
		if k.Link != nil {
			c.Links = append(c.Links, *k.Link)
		}
	}
	return err
}

// VerifyConsistency verifies the output of Follow. A head that the caller kept must be one of those it
// covers.
func VerifyConsistency(file []byte, x Expected) (Result, error) {
	want, err := x.parse()
	if err != nil {
		return Result{}, err
	}
	r := Result{Pinned: x.Public != ""}
	var c consistency
	err = readCanonical(file, &c, "consistency proof", func() error {
		if c.Version != consistencyVersion {
			return fmt.Errorf("the proof has version %d, this release supports %d", c.Version, consistencyVersion)
		}
		return nil
	})
	if err != nil {
		return r.failed(err), nil
	}
	last, err := c.verify(x, want)
	if err != nil {
		return r.failed(err), nil
	}
	r.OK, r.From, r.Head, r.Key, r.SignedAt = true, FormatHead(c.From.N, c.From.Hash), FormatHead(last.N, last.Hash),
		last.Key, last.At
	r.Entries = last.N - c.From.N
	return r, nil
}

func (c *consistency) verify(x Expected, want known) (last port.AuditHead, err error) {
	keys := map[string]ed25519.PublicKey{}
	for _, text := range c.Keys {
		public, id, err := ParsePublic(text)
		if err != nil {
			return last, err
		}
		if err := expectKey(public, x, c.Links); err != nil {
			return last, err
		}
		keys[id] = public
	}
	met := want.n == 0
	look := func(h port.AuditHead) error {
		public, ok := keys[h.Key]
		if !ok {
			return bad(h.N, "the key %s of its head is missing", shorten(h.Key))
		}
		if err := checkSignature(h, public); err != nil {
			return bad(h.N, "%v", err)
		}
		met = met || h.N == want.n
		return want.compare(h.N, h.Hash)
	}
	if err := look(c.From); err != nil {
		return last, err
	}
	last = c.From
	for _, f := range c.Then {
		if err := look(f.Head); err != nil {
			return last, err
		}
		if err := f.follows(last); err != nil {
			return last, err
		}
		last = f.Head
	}
	if !met {
		return last, bad(want.n, "the head that you kept is not covered by this proof")
	}
	return last, nil
}

// follows checks that a head begins where another one ended.
func (f *following) follows(before port.AuditHead) error {
	h := f.Head
	e, err := port.ReadAuditBody(f.First)
	if err != nil {
		return bad(h.From, "%v", err)
	}
	size := h.N - h.From + 1
	if h.From != before.N+1 || size < 1 || size > segmentMax || e.N != h.From || e.Prev != before.Hash {
		return bad(h.From, "the head at %d does not continue the one at %d", h.N, before.N)
	}
	for _, end := range []struct {
		hash string
		at   int
		way  []string
	}{{port.AuditHash(before.Hash, f.First), 0, f.Path}, {h.Hash, int(size) - 1, f.Last}} {
		if err := leadsTo(h.Root, end.hash, end.at, int(size), end.way); err != nil {
			return bad(h.From+int64(end.at), "%v", err)
		}
	}
	return nil
}

// leadsTo verifies the inclusion proof of an entry.
func leadsTo(root, hash string, i, n int, way []string) error {
	leaf, err := leafHash(hash)
	if err != nil {
		return err
	}
	neighbours := make([][]byte, len(way))
	for i, text := range way {
		if neighbours[i], err = hex.DecodeString(text); err != nil || hex.EncodeToString(neighbours[i]) != text {
			return errors.New("its inclusion proof cannot be read")
		}
	}
	top, err := climb(leaf, i, n, neighbours)
	if err != nil || hex.EncodeToString(top) != root {
		return errors.New("it is not among the signed entries")
	}
	return nil
}
