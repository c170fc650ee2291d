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

// The events of runs are bound to the log after the fact: an entry contains digests of the events since the
// previous such entry, by run. So appending an event costs nothing, and events after the newest of these
// entries are not covered yet.

// ActionEvents is the entry that binds events of runs to the log.
const ActionEvents = "events.sealed"

const (
	eventsMax    = 500 // in one entry
	eventsPage   = 100 // per page
	sealEvery    = time.Second
	sealAfter    = 5 * time.Second // at the latest, while events keep coming
	sealClosing  = 10 * time.Second
	sealTick     = 20_000 // events bound at once; the rest follow
	sealRestTime = 3      // multiple of the time that binding took, so that it never uses more than a quarter of a core
)

// boundEvents is the detail of such an entry. Numbers are those of the feed.
type boundEvents struct {
	After   int64      `json:"after"`
	Through int64      `json:"through"`
	Runs    []boundRun `json:"runs"` // in the order of their first event
}

// boundRun describes the events of one run among them. Salted is the digest of the events with the run's
// salt, which is deleted with the run's payloads: an entry is permanent, and without the salt its content
// cannot be guessed. Kept is the digest of what remains then, which contains nothing to guess.
type boundRun struct {
	Run  string `json:"run"`
	From int64  `json:"from"` // sequence numbers
	To   int64  `json:"to"`
	// Events is the digest without a salt, as in early entries.
	Events string `json:"events,omitempty"`
	// Salted is empty if the payloads were already deleted when the entry was written.
	Salted string `json:"salted,omitempty"`
	Kept   string `json:"kept"`
}

// runEvents are the stored events of one run.
type runEvents struct {
	run         string
	from, to    int64
	whole, kept string
}

// stretch are consecutive events of the feed, by run.
type stretch struct {
	through int64
	runs    []runEvents // in the order of their first event
}

func (s *stretch) ids() []string {
	out := make([]string, len(s.runs))
	for i := range s.runs {
		out[i] = s.runs[i].run
	}
	return out
}

// add adds the run's next event.
func (b *runEvents) add(e *run.Event) error {
	whole, err := eventDigest(e, e.Fact)
	if err != nil {
		return err
	}
	kept, err := eventDigest(e, run.Strip(e.Fact))
	if err != nil {
		return err
	}
	if b.from == 0 {
		b.from = e.Seq
	}
	b.to = e.Seq
	b.whole = value.Digest([]byte(b.whole), []byte(whole))
	b.kept = value.Digest([]byte(b.kept), []byte(kept))
	return nil
}

// salted is the entry's digest of the events; empty without a salt.
func (b *runEvents) salted(salt string) string {
	if salt == "" {
		return ""
	}
	return value.Digest([]byte(salt), []byte(b.run), []byte(b.whole))
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

// read reads the events after one number of the feed, up to another, and passes each to see, if set.
func (s *Service) read(ctx context.Context, after, through int64, show func(*run.Event) error) (stretch, error) {
	out := stretch{through: after}
	at := map[string]int{}
	for out.through < through {
		records, next, err := s.Store.Feed(ctx, out.through, int(min(eventsPage, through-out.through)), port.FeedFilter{})
		if err != nil {
			return out, err
		}
		if next == out.through {
			return out, nil // the feed ends here
		}
		for i := range records {
			e := &records[i].Event
			if want := out.through + int64(i) + 1; records[i].Feed != want {
				return out, fmt.Errorf("event %d of the feed is in the place of event %d", records[i].Feed, want)
			}
			if _, known := at[e.Run]; !known {
				at[e.Run] = len(out.runs)
				out.runs = append(out.runs, runEvents{run: e.Run})
			}
			if err := out.runs[at[e.Run]].add(e); err != nil {
				return out, err
			}
			if show != nil {
				if err := show(e); err != nil {
					return out, err
				}
			}
		}
		out.through = next
		if err := port.Pause(ctx); err != nil {
			return out, err
		}
	}
	return out, nil
}

// bind computes an entry for the events after one number of the feed, up to another. The salts are stored
// before the entry. If payloads are deleted concurrently, their run has no salt, or loses it.
func (s *Service) bind(ctx context.Context, after, through int64) (boundEvents, error) {
	read, err := s.read(ctx, after, through, nil)
	out := boundEvents{After: after, Through: read.through}
	if err != nil || len(read.runs) == 0 {
		return out, err
	}
	salts, err := s.Store.MakeEventSalts(ctx, read.ids())
	if err != nil {
		return out, err
	}
	for i := range read.runs {
		r := &read.runs[i]
		bound := boundRun{Run: r.run, From: r.from, To: r.to, Salted: r.salted(salts[r.run]), Kept: r.kept}
		out.Runs = append(out.Runs, bound)
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
	if err := json.Unmarshal(e.Detail, &b); err != nil || b.Through <= b.After || b.After < 0 ||
		b.Through-b.After > eventsMax {
		return b, bad(e.N, "it does not name the events it binds")
	}
	return b, nil
}

// Bind binds the events of all runs so far to the log, up to a maximum. It is idempotent.
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
	head  int64     // end of the feed at the last check
	bound int64     // number of the last bound event then
	since time.Time // when something new was first seen; zero: there is nothing new
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

// keepBinding does so until Stop, and once more at the end.
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
			if b.led {
				s.tellOnce(s.noteTip(s.ctx))
			}
			continue
		case <-s.ctx.Done():
		}
		if b.led || s.Leads == nil || s.Leads() {
			ctx, end := context.WithTimeout(context.Background(), sealClosing)
			tell(s.Bind(ctx, sealTick))
			_, err := s.Cut(ctx) // nothing checks the end of the log after this
			tell(err)
			end()
		}
		return
	}
}

// tellOnce reports a problem with the log once, not every second.
func (s *Service) tellOnce(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, port.ErrUnavailable) {
		return
	}
	if text := err.Error(); text != s.untold {
		s.untold = text
		s.Log.Error("store the end of the audit log outside the database", "error", err)
	}
}
