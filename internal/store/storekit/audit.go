package storekit

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Limits of the audit log.
const (
	AuditMax   = 30_000 // entries of one write
	AuditBytes = 1 << 20
	AuditList  = "audit"
)

// Chain is the end of the audit log, while a single writer may append to it.
type Chain struct {
	N    int64
	Hash string // empty: that of the start
}

// Next assigns an entry its position and advances.
func (c *Chain) Next(f *port.AuditForm) port.AuditRow {
	row := f.AuditRow
	if c.Hash == "" {
		c.Hash = port.AuditStart
	}
	row.N = c.N + 1
	row.Body, row.Hash = f.Link(row.N, c.Hash)
	c.N, c.Hash = row.N, row.Hash
	return row
}

// Forms precomputes the parts of entries that do not depend on their position.
func Forms(drafts []port.AuditDraft) ([]*port.AuditForm, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	if len(drafts) > AuditMax {
		return nil, fault.Newf(fault.TooLarge, "%d audit entries at once are more than %d", len(drafts), AuditMax)
	}
	forms := make([]*port.AuditForm, len(drafts))
	var c checker
	for i := range drafts {
		d := &drafts[i]
		c.in("audit", i)
		if d.Action == "" {
			c.add("action", "is missing")
		}
		if d.At.IsZero() {
			c.add("at", "is missing")
		}
		c.time("at", d.At)
		for _, s := range d.Sealed {
			if len(s.Value) > 0 && !json.Valid(s.Value) {
				c.add("sealed."+s.Name, "is not JSON")
			}
		}
		var err error
		if forms[i], err = d.Form(); err != nil {
			return nil, err
		}
		if n := len(forms[i].Open); n > AuditBytes {
			return nil, fault.Newf(fault.TooLarge, "an audit entry of %d bytes is larger than %d", n, AuditBytes)
		}
	}
	return forms, c.result("the audit entry")
}

// AboutRun reports whether a target is a run: it then includes everything that belongs to the run.
func AboutRun(target string) bool { return strings.HasPrefix(target, "run_") }

// CheckHead validates a signed head, given the newest stored one and the hash of its last entry.
func CheckHead(h, last port.AuditHead, hash string) error {
	switch {
	case h.From != last.N+1 || h.N < h.From:
		return fault.Newf(fault.Conflict, "a head from entry %d to %d does not follow the one that ends at %d", h.From,
			h.N, last.N)
	case hash == "" || hash != h.Hash:
		return fault.Newf(fault.Conflict, "entry %d is not the one that was signed", h.N)
	}
	return nil
}

// WriteHead encodes a head for storage.
func WriteHead(h port.AuditHead) (string, error) {
	b, err := json.Marshal(h)
	return string(b), err
}

// ReadHead decodes the output of WriteHead for the head's last entry, and nothing else.
func ReadHead(n int64, text string) (h port.AuditHead, err error) {
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return h, fmt.Errorf("the signed head at %d: %w", n, err)
	}
	if again, err := WriteHead(h); err != nil || again != text || h.N != n {
		return h, fmt.Errorf("the signed head at %d is not in canonical form", n)
	}
	return h, nil
}

// What retention deletes.
const (
	RemovedRuns     = "deliverables/ended"    // all deliverables of runs that ended long ago
	RemovedArchived = "deliverables/archived" // all versions of archived ones
)

// Removed is the audit entry for what retention deleted.
func Removed(what string, names []string, count int) port.AuditDraft {
	return port.AuditDraft{
		At: time.Now(), Actor: run.Actor{Kind: run.System, Name: "retention"},
		Action: "retention.removed", Target: what,
		Detail: map[string]any{"count": count, "names": names},
	}
}
