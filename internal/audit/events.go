package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// The events of runs are bound to the log after they happened: an entry holds
// digests of the events behind the last such entry, by run. So appending an
// event costs nothing, and what follows the newest of these entries is not
// covered yet.

// ActionEvents is the entry that binds events of runs to the log.
const ActionEvents = "events.sealed"

const (
	eventsMax    = 500 // under one entry
	eventsPage   = 100 // read at once
	sealEvery    = time.Second
	sealAfter    = 5 * time.Second // at the latest, while events keep coming
	sealClosing  = 10 * time.Second
	sealTick     = 20_000 // events bound in one go; the rest follow
	sealRestTime = 3      // times as long as sealing took, so that it never takes more than a quarter of a core
)

// boundEvents is the detail of such an entry. Numbers are those of the feed.
type boundEvents struct {
	After   int64      `json:"after"`
	Through int64      `json:"through"`
	Runs    []boundRun `json:"runs"` // in the order of their first event
}

// boundRun are the events of one run among them. Kept is the digest of what is
// left when the run's payloads are removed.
type boundRun struct {
	Run    string `json:"run"`
	From   int64  `json:"from"` // sequence numbers
	To     int64  `json:"to"`
	Events string `json:"events"`
	Kept   string `json:"kept"`
}

// add takes the run's next event.
func (b *boundRun) add(e *run.Event) error {
	whole, err := eventDigest(e, e.Fact)
	if err != nil {
		return err
	}
	kept, err := eventDigest(e, run.Strip(e.Fact))
	if err != nil {
		return err
	}
	if b.From == 0 {
		b.From = e.Seq
	}
	b.To = e.Seq
	b.Events = value.Digest([]byte(b.Events), []byte(whole))
	b.Kept = value.Digest([]byte(b.Kept), []byte(kept))
	return nil
}

func eventDigest(e *run.Event, f run.Fact) (string, error) {
	data, err := run.EncodeFact(f)
	if err != nil {
		return "", fmt.Errorf("event %d of run %s: %w", e.Seq, e.Run, err)
	}
	head, err := value.Marshal([]any{e.Run, e.Seq, e.At, f.Type(), e.Actor, e.Cause})
	if err != nil {
		return "", err
	}
	return value.Digest(head, value.Canonical(data)), nil
}

// bind reads the events behind a number of the feed, up to another one.
func (s *Service) bind(ctx context.Context, after, through int64) (boundEvents, error) {
	out := boundEvents{After: after, Through: after}
	at := map[string]int{}
	for out.Through < through {
		records, next, err := s.Store.Feed(ctx, out.Through, int(min(eventsPage, through-out.Through)), port.FeedFilter{})
		if err != nil {
			return out, err
		}
		if next == out.Through {
			return out, nil // the feed ends here
		}
		for i := range records {
			e := &records[i].Event
			if _, known := at[e.Run]; !known {
				at[e.Run] = len(out.Runs)
				out.Runs = append(out.Runs, boundRun{Run: e.Run})
			}
			if err := out.Runs[at[e.Run]].add(e); err != nil {
				return out, err
			}
		}
		out.Through = next
		if err := port.Pause(ctx); err != nil {
			return out, err
		}
	}
	return out, nil
}

// lastBound is the newest event that is bound to the log.
func (s *Service) lastBound(ctx context.Context) (int64, error) {
	page, err := s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionEvents, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return 0, err
	}
	e, err := port.ReadAuditBody(page.Items[0].Body)
	if err != nil {
		return 0, bad(page.Items[0].N, "%v", err)
	}
	b, err := readBound(e)
	return b.Through, err
}

func readBound(e port.AuditEntry) (b boundEvents, err error) {
	if err := json.Unmarshal(e.Detail, &b); err != nil || b.Through <= b.After || b.After < 0 || b.Through-b.After > eventsMax {
		return b, bad(e.N, "it does not say which events it binds")
	}
	return b, nil
}

// Bind binds the events of all runs up to now to the log; at most so many.
// Doing so twice does no harm.
func (s *Service) Bind(ctx context.Context, most int64) error {
	head, err := s.Store.Head(ctx)
	if err != nil {
		return err
	}
	after, err := s.lastBound(ctx)
	if err != nil {
		return err
	}
	for last := min(head, after+most); after < last; {
		began := s.Now()
		b, err := s.bind(ctx, after, min(last, after+eventsMax))
		if err != nil {
			return fmt.Errorf("bind events to the audit log: %w", err)
		}
		if b.Through == after {
			return nil
		}
		_, err = s.Store.AppendAudit(ctx, port.AuditDraft{
			At: s.Now(), Actor: run.Actor{Kind: run.System, Name: "audit"}, Action: ActionEvents, Target: "events", Detail: b,
		})
		if err != nil {
			return err
		}
		if after = b.Through; after < last {
			rest(ctx, sealRestTime*s.Now().Sub(began))
		}
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(min(d, sealAfter)):
	case <-ctx.Done():
	}
}

// binding binds events to the log once no more come, or after a while.
type binding struct {
	head  int64     // of the feed when it was last looked at
	bound int64     // what was bound then
	since time.Time // when something new was first seen; zero: there is nothing
	led   bool
}

func (s *Service) bindIfDue(ctx context.Context, b *binding) error {
	if b.led = s.Leads == nil || s.Leads(); !b.led {
		return nil
	}
	head, err := s.Store.Head(ctx)
	if err != nil || head == b.bound {
		return err
	}
	if b.since.IsZero() {
		b.since = s.Now()
	}
	quiet := head == b.head
	if b.head = head; !quiet && s.Now().Sub(b.since) < sealAfter {
		return nil
	}
	if err := s.Bind(ctx, sealTick); err != nil {
		return err
	}
	b.since = time.Time{}
	b.bound, err = s.lastBound(ctx)
	return err
}

// keepBinding does so until Stop, and once more then.
func (s *Service) keepBinding() {
	var b binding
	tell := func(err error) {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, port.ErrUnavailable) {
			s.Log.Error("bind events to the audit log", "error", err)
		}
	}
	for {
		select {
		case <-time.After(sealEvery):
			tell(s.bindIfDue(s.ctx, &b))
			continue
		case <-s.ctx.Done():
		}
		if b.led || s.Leads == nil || s.Leads() {
			ctx, end := context.WithTimeout(context.Background(), sealClosing)
			tell(s.Bind(ctx, sealTick))
			end()
		}
		return
	}
}

// events compares the events that an entry binds with those that are stored.
func (c *checking) events(ctx context.Context, e port.AuditEntry) error {
	b, err := readBound(e)
	if err != nil {
		return err
	}
	if c.bound >= 0 && b.After > c.bound {
		return bad(e.N, "the events %d to %d of the feed are bound to no entry", c.bound+1, b.After)
	}
	// Payloads may be removed while events are read: look again.
	if err = c.compare(ctx, e.N, b); err != nil {
		if _, isBad := asBad(err); isBad {
			err = c.compare(ctx, e.N, b)
		}
	}
	c.bound = max(c.bound, b.Through)
	c.out.Events += b.Through - b.After
	return err
}

func (c *checking) compare(ctx context.Context, n int64, b boundEvents) error {
	now, err := c.s.bind(ctx, b.After, b.Through)
	switch {
	case ctx.Err() != nil || errors.Is(err, port.ErrUnavailable):
		return err
	case err != nil:
		return bad(n, "the events %d to %d of the feed cannot be read: %v", b.After+1, b.Through, err)
	case now.Through != b.Through:
		return bad(n, "it binds the events up to %d of the feed, and there are %d", b.Through, now.Through)
	}
	if len(now.Runs) != len(b.Runs) {
		return bad(n, "the events %d to %d of the feed belong to other runs than they did", b.After+1, b.Through)
	}
	for i, was := range b.Runs {
		is := now.Runs[i]
		if is == was {
			continue
		}
		if is.Run != was.Run || is.From != was.From || is.To != was.To || is.Events != is.Kept || is.Kept != was.Kept {
			return bad(n, "events %d to %d of run %s are not as they were", was.From, was.To, was.Run)
		}
		// All that is missing are payloads. That has to be on record.
		page, err := c.s.Store.AuditEntries(ctx, port.AuditQuery{Target: was.Run, Action: (*run.PayloadsRemoved)(nil).Type(), Limit: 1})
		if err != nil {
			return err
		}
		if len(page.Items) == 0 {
			return bad(n, "events %d to %d of run %s lack what people and agents sent, and no entry says that it was removed", was.From, was.To, was.Run)
		}
	}
	return nil
}

// conclude says what the check does not vouch for. It is about the whole log,
// so only a check up to its end says it.
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
		c.warn("no event of a run is bound to the log: start the server, which does so within seconds")
	}
	if head < bound {
		return bad(c.total, "events up to %d of the feed were bound to the log, and there are %d", bound, head)
	}
	if c.total == 0 {
		return nil
	}
	last, err := c.s.Store.LastAuditHead(ctx)
	if err != nil || last.N > 0 {
		return err
	}
	keys, err := c.s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionKey, Limit: 1})
	if err != nil {
		return err
	}
	if c.out.HeadsMissing = len(keys.Items) > 0; c.out.HeadsMissing {
		c.warn("nothing is signed: the log says that it was signed with a key, and no signed head is left. Entries at its end may have been removed; compare it with a head kept elsewhere")
	} else {
		c.warn("nothing is signed yet, so entries removed from the end of the log would not be noticed. A server signs within seconds of its start; keep what assent audit head prints")
	}
	return nil
}

func (c *checking) warn(text string) { c.out.Warnings = append(c.out.Warnings, text) }
