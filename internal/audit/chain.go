package audit

import (
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
)

// Bad names the first invalid entry.
type Bad struct {
	N   int64
	Why string
}

func (b *Bad) Error() string { return fmt.Sprintf("entry %d: %s", b.N, b.Why) }

func bad(n int64, format string, args ...any) error {
	return &Bad{N: n, Why: fmt.Sprintf(format, args...)}
}

// asBad extracts the entry that an error is about.
func asBad(err error) (*Bad, bool) {
	var b *Bad
	return b, errors.As(err, &b)
}

// Chain verifies entries one after the other.
type Chain struct {
	N    int64
	Hash string // of entry N
}

// NewChain begins after an entry; 0 is the start.
func NewChain(n int64, hash string) *Chain {
	if n == 0 {
		hash = port.AuditStart
	}
	return &Chain{N: n, Hash: hash}
}

// Add verifies the next entry.
func (c *Chain) Add(body []byte, hash string) (port.AuditEntry, error) {
	n := c.N + 1
	e, err := port.ReadAuditBody(body)
	switch {
	case err != nil:
		return e, bad(n, "%v", err)
	case e.N != n:
		return e, bad(n, "found entry %d instead", e.N)
	case e.Prev != c.Hash:
		return e, bad(n, "it does not continue the entry before it")
	case port.AuditHash(c.Hash, body) != hash:
		return e, bad(n, "its hash does not match its content")
	}
	e.Hash = hash
	c.N, c.Hash = n, hash
	return e, nil
}

// addRow verifies the next entry of a store: its columns must match its text. It also returns the values that
// are still kept.
func (c *Chain) addRow(r port.AuditRow) (e port.AuditEntry, open map[string]port.OpenedValue, err error) {
	n := c.N + 1
	if e, err = c.Add(r.Body, r.Hash); err != nil {
		return e, nil, err
	}
	if r.N != e.N || !r.At.Equal(e.At) || r.Actor != e.Actor.Name || r.Action != e.Action || r.Target != e.Target ||
		r.Run != e.Run || r.Outcome != string(e.Outcome) {
		return e, nil, bad(n, "its index columns in the store do not match its content")
	}
	if open, err = port.ReadOpen(r.Open, e.Sealed); err != nil {
		return e, nil, bad(n, "%v", err)
	}
	return e, open, nil
}
