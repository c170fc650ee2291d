package audit

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// events compares the events that an entry binds with the stored ones.
func (c *checking) events(ctx context.Context, e port.AuditEntry) error {
	b, err := readBound(e)
	if err != nil {
		return err
	}
	if c.bound < 0 {
		if c.bound, err = c.boundBefore(ctx, b.After); err != nil {
			return err
		}
	}
	if b.After > c.bound {
		return bad(e.N, "events %d to %d of the feed are not bound to an entry", c.bound+1, b.After)
	}
	// Payloads may be deleted while events are read: check again. A run loses them once, so a second mismatch
	// is real.
	for seen := map[string]bool{}; ; {
		id, err := c.compare(ctx, e.N, b)
		if _, isBad := asBad(err); !isBad || id == "" || seen[id] {
			c.bound = max(c.bound, b.Through)
			c.out.Events += b.Through - b.After
			return err
		}
		seen[id] = true
	}
}

// boundBefore is the last event bound by the entries before the check's start. It looks back only until it
// knows that all events up to enough are bound.
func (c *checking) boundBefore(ctx context.Context, enough int64) (bound int64, err error) {
	for end := c.after; end > 0 && bound < enough; end -= pageRows {
		from := max(end-pageRows, 0)
		rows, err := c.s.Store.AuditRows(ctx, from, int(end-from))
		if err != nil {
			return 0, err
		}
		for _, r := range rows {
			e, err := port.ReadAuditBody(r.Body)
			if err != nil || e.Action != ActionEvents {
				continue // a check from there reports what is wrong
			}
			if b, err := readBound(e); err == nil {
				bound = max(bound, b.Through)
			}
		}
	}
	return bound, nil
}

// compare names the first run whose events have changed.
func (c *checking) compare(ctx context.Context, n int64, b boundEvents) (id string, err error) {
	var seen []place
	now, err := c.s.read(ctx, b.After, b.Through, func(e *run.Event) error {
		seen = append(seen, place{e.Run, e.Seq})
		return c.compareNoted(ctx, e)
	})
	switch {
	case err != nil:
		return "", unread(ctx, err, n, b.After, b.Through)
	case now.through != b.Through:
		return "", bad(n, "it binds events up to %d of the feed, which ends at %d", b.Through, now.through)
	}
	if len(now.runs) != len(b.Runs) {
		return "", bad(n, "events %d to %d of the feed were moved to other runs", b.After+1, b.Through)
	}
	salts, err := c.s.Store.EventSalts(ctx, now.ids())
	if err != nil {
		return "", err
	}
	for i, was := range b.Runs {
		if err := c.compareRun(ctx, n, was, now.runs[i], salts[was.Run]); err != nil {
			return was.Run, err
		}
	}
	for _, at := range seen {
		delete(c.noted, at)
	}
	return "", nil
}

func (c *checking) compareRun(ctx context.Context, n int64, was boundRun, is runEvents, salt string) error {
	if is.run != was.Run || is.from != was.From || is.to != was.To {
		return bad(n, "events %d to %d of run %s were changed", was.From, was.To, was.Run)
	}
	if was.Events == is.whole || was.Salted != "" && was.Salted == is.salted(salt) {
		return nil
	}
	switch {
	case is.kept != was.Kept || is.whole != is.kept && (salt != "" || was.Salted == ""):
		return bad(n, "events %d to %d of run %s were changed", was.From, was.To, was.Run)
	case is.whole != is.kept:
		return bad(n, "events %d to %d of run %s cannot be compared: the salt of the run is missing",
			was.From, was.To, was.Run)
	}
	// Only payloads are missing. That must be recorded.
	removed, err := c.removed(ctx, was.Run)
	if err != nil {
		return err
	}
	if !removed {
		return bad(n, "events %d to %d of run %s lack their payloads, and no entry records their deletion",
			was.From, was.To, was.Run)
	}
	return nil
}

// unread reports that events cannot be read, unless there is another explanation.
func unread(ctx context.Context, err error, n, after, through int64) error {
	if _, isBad := asBad(err); isBad || ctx.Err() != nil || errors.Is(err, port.ErrUnavailable) {
		return err
	}
	return bad(n, "events %d to %d of the feed cannot be read: %v", after+1, through, err)
}

// conclude reports what the check does not vouch for. It concerns the whole log, so only a check up to its
// end reports it.
func (c *checking) conclude(ctx context.Context) error {
	head, err := c.s.Store.Head(ctx)
	if err != nil {
		return err
	}
	bound, err := c.s.lastBound(ctx)
	if err != nil {
		return err
	}
	if c.out.Unbound = max(head-bound, 0); bound == 0 && head > 0 {
		c.warn("no events of runs are bound to the log yet: start the server, which binds them within seconds")
	}
	if head < bound {
		return bad(c.total, "events up to %d of the feed were bound to the log, but the feed ends at %d", bound, head)
	}
	rest, err := c.s.read(ctx, bound, head, func(e *run.Event) error { return c.compareNoted(ctx, e) })
	if err != nil {
		return unread(ctx, err, c.total, bound, head)
	}
	if rest.through < head {
		return bad(c.total, "the feed ends at event %d, but the store records %d", rest.through, head)
	}
	if stray, err := c.s.Store.Strays(ctx); err != nil {
		return err
	} else if stray != "" {
		return bad(c.total, "%s", stray)
	}
	last, err := c.s.Store.LastAuditHead(ctx)
	if err != nil {
		return err
	}
	if last.N == 0 && c.total > 0 {
		if err := c.unsigned(ctx); err != nil {
			return err
		}
	}
	a, _, err := c.s.anchored()
	if err != nil {
		return err
	}
	return c.s.holdsTo(ctx, a, last) // without an anchor it is the zero one, which matches everything
}

// unsigned warns that nothing is signed.
func (c *checking) unsigned(ctx context.Context) error {
	keys, err := c.s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionKey, Limit: 1})
	if err != nil {
		return err
	}
	if c.out.HeadsMissing = len(keys.Items) > 0; c.out.HeadsMissing {
		c.warn("not signed: the log was signed once, but no signed head is left. " +
			"Entries at its end may have been removed; compare it with a head kept elsewhere")
	} else {
		c.warn("not signed yet, so entries removed from the end of the log would not be detected. " +
			"A server signs within seconds of its start; keep the output of assent audit head")
	}
	return nil
}

func (c *checking) warn(text string) { c.out.Warnings = append(c.out.Warnings, text) }
