package audit

import (
	"context"
	"crypto/ed25519"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Check implements port.Audit. It keeps one page of entries in memory.
func (s *Service) Check(ctx context.Context, after int64, limit int) (port.AuditCheck, error) {
	total, hash, err := s.Store.AuditEnd(ctx)
	if err != nil {
		return port.AuditCheck{}, err
	}
	c := checking{
		s: s, total: total, bound: -1, removals: map[string]bool{}, noted: map[place][]recorded{},
		after: after, recalled: map[string]bool{}, caughtUp: after == 0, origins: map[string]origin{},
		out: port.AuditCheck{Total: total, Warnings: []string{}},
	}
	if err = c.run(ctx, after, limit); err == nil && c.chain.N == total {
		if err = c.conclude(ctx); err == nil && total > 0 && c.chain.Hash != hash {
			err = bad(total, "the store records another entry as the end of the log")
		}
	}
	c.out.OK = err == nil
	if b, ok := asBad(err); ok {
		c.out.FirstBad, c.out.Why = &b.N, b.Why
		err = nil
	}
	return c.out, err
}

type checking struct {
	s      *Service
	total  int64
	chain  *Chain
	heads  []port.AuditHead // still to come
	more   bool             // there may be more
	hashes []string         // since the newest head; nil: its position is unknown
	keys   map[string]ed25519.PublicKey
	// removals records whether the payloads of runs were deleted, as far as queried.
	removals map[string]bool
	// noted is what entries state about events that no entry so far binds.
	noted map[place][]recorded
	// after is the entry after which the check begins, and recalled are the runs for which earlier notes are
	// known. Entries are in the order of their events, so nothing has to be recalled once an event was found
	// whose entry comes later.
	after    int64
	recalled map[string]bool
	caughtUp bool
	began    *time.Time // see olderThan; nil: not queried
	origins  map[string]origin
	bound    int64 // the last event that an entry so far binds; -1: not looked up yet
	out      port.AuditCheck
}

func (c *checking) run(ctx context.Context, after int64, limit int) error {
	if err := c.begin(ctx, after); err != nil {
		return err
	}
	last := c.total
	if limit > 0 {
		last = min(last, after+int64(limit))
	}
	for c.chain.N < last {
		rows, err := c.s.Store.AuditRows(ctx, c.chain.N, int(min(pageRows, last-c.chain.N)))
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return bad(c.chain.N+1, "it is missing")
		}
		for _, r := range rows {
			err := c.entry(ctx, r)
			if err == nil {
				err = port.Pause(ctx) // it takes long: yield to other goroutines
			}
			if err != nil {
				return err
			}
		}
	}
	if last == c.total && len(c.heads) > 0 && c.heads[0].N > c.total {
		return bad(c.total+1, "entries up to %d were signed, and the log ends at %d", c.heads[0].N, c.total)
	}
	return nil
}

// begin finds the entry to begin after.
func (c *checking) begin(ctx context.Context, after int64) error {
	c.chain = NewChain(0, "")
	if after > 0 {
		rows, err := c.s.Store.AuditRows(ctx, after-1, 1)
		if err != nil {
			return err
		}
		if len(rows) == 0 || rows[0].N != after {
			return bad(after, "it is missing")
		}
		c.chain = NewChain(after, rows[0].Hash)
	} else {
		c.hashes, c.bound = []string{}, 0
	}
	c.out.Next, c.out.Head = c.chain.N, c.chain.Hash
	c.keys, c.more = map[string]ed25519.PublicKey{}, true
	return c.readHeads(ctx, after+1)
}

func (c *checking) readHeads(ctx context.Context, from int64) (err error) {
	c.heads, err = c.s.Store.AuditHeads(ctx, from, pageRows)
	c.more = len(c.heads) == pageRows
	return err
}

func (c *checking) entry(ctx context.Context, r port.AuditRow) error {
	e, open, err := c.chain.addRow(r)
	if err != nil {
		return err
	}
	if e.Action == ActionEvents {
		if err := c.events(ctx, e); err != nil {
			return err
		}
	}
	if err := c.values(ctx, e, open); err != nil {
		return err
	}
	if err := c.note(e, open); err != nil {
		return err
	}
	c.out.Entries++
	c.out.Next, c.out.Head = e.N, e.Hash
	if len(c.heads) == 0 {
		c.hashes = nil // nothing after this is signed
	}
	if c.hashes != nil {
		c.hashes = append(c.hashes, e.Hash)
	}
	if len(c.heads) == 0 || c.heads[0].N != e.N {
		if len(c.hashes) > segmentMax {
			return bad(e.N, "no head was signed for more than %d entries", segmentMax)
		}
		return nil
	}
	if err := c.head(ctx, c.heads[0], e.Hash); err != nil {
		return err
	}
	c.heads = c.heads[1:]
	if len(c.heads) == 0 && c.more {
		return c.readHeads(ctx, e.N+1)
	}
	return nil
}

// head compares a signed head with the entries it covers.
func (c *checking) head(ctx context.Context, h port.AuditHead, hash string) error {
	public, ok := c.keys[h.Key]
	if !ok {
		text, err := c.s.publicOf(ctx, h.Key)
		if err != nil {
			return bad(h.N, "it was signed with an unknown key")
		}
		if public, _, err = ParsePublic(text); err != nil {
			return bad(h.N, "%v", err)
		}
		c.keys[h.Key] = public
	}
	if err := checkSignature(h, public); err != nil {
		return bad(h.N, "%v", err)
	}
	if h.Hash != hash {
		return bad(h.N, "it is not the one that was signed")
	}
	if c.hashes != nil {
		if int64(len(c.hashes)) != h.N-h.From+1 {
			return bad(h.From, "the heads do not continue one another")
		}
		if got, err := rootOf(c.hashes); err != nil || got != h.Root {
			return bad(h.N, "the head does not match these entries")
		}
	}
	c.hashes = []string{}
	c.out.Signed = h.N
	return nil
}

// values checks that missing values were deleted by order.
func (c *checking) values(ctx context.Context, e port.AuditEntry, open map[string]port.OpenedValue) error {
	for name := range e.Sealed {
		o, there := open[name]
		if there && (len(o.Value) > 0 || elsewhere(e.Action, name)) {
			continue
		}
		c.out.Missing++
		removed, err := c.removalOf(ctx, e)
		if err != nil {
			return err
		}
		if !removed {
			return bad(e.N, "its value %q is missing, and no entry records its deletion", name)
		}
	}
	return nil
}

// elsewhere reports whether a value may be in the log of a run instead.
func elsewhere(action, name string) bool {
	return port.SealedPaths[action][name] != nil || action == "approval.decided" && name == "original"
}

// removalOf reports whether the payloads of the run that an entry belongs to were deleted.
func (c *checking) removalOf(ctx context.Context, e port.AuditEntry) (bool, error) {
	for _, id := range runsOf(e) {
		done, known := c.removals[id]
		if !known {
			var err error
			if done, err = c.removed(ctx, id); err != nil {
				return false, err
			}
			c.removals[id] = done
		}
		if done {
			return true, nil
		}
	}
	return false, nil
}

// removed reports whether the payloads of a run were deleted: an entry records it, and so does the event that the entry
// names.
func (c *checking) removed(ctx context.Context, id string) (bool, error) {
	page, err := c.s.Store.AuditEntries(ctx, port.AuditQuery{
		Target: id, Action: (*run.PayloadsRemoved)(nil).Type(), Outcome: string(port.AuditDone), Limit: 1,
	})
	if err != nil || len(page.Items) == 0 {
		return false, err
	}
	e, err := port.ReadAuditBody(page.Items[0].Body)
	if err != nil {
		return false, bad(page.Items[0].N, "%v", err)
	}
	seq, err := eventOf(e)
	if err != nil || seq == 0 || e.Run != id {
		return false, err
	}
	events, err := c.s.Store.Events(ctx, id, seq-1, 1)
	if err != nil || len(events) == 0 || events[0].Seq != seq {
		return false, err
	}
	_, is := events[0].Fact.(*run.PayloadsRemoved)
	return is, nil
}

// runsOf lists the runs that an entry may belong to: its own, or the one in the id of its approval or
// deliverable.
func runsOf(e port.AuditEntry) (ids []string) {
	if e.Run != "" {
		return []string{e.Run}
	}
	for _, word := range []string{"apr_", "dlv_"} {
		if rest, ok := strings.CutPrefix(e.Target, word); ok {
			for i := range rest {
				if rest[i] == '_' {
					ids = append(ids, "run_"+rest[:i])
				}
			}
		}
	}
	return ids
}
