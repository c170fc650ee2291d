package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// An entry about an event is stored with it, and the entry that binds the event comes later. So a check finds
// the entry first, keeps it, and compares it when it reads the event.

// place is the position of an event.
type place struct {
	run string
	seq int64
}

// recorded is an entry's statement about an event.
type recorded struct {
	entry port.AuditEntry
	open  map[string]port.OpenedValue
}

// note keeps an entry's statement about an event until the event is read.
func (c *checking) note(e port.AuditEntry, open map[string]port.OpenedValue) error {
	seq, err := eventOf(e)
	if err != nil || seq == 0 || e.Run == "" {
		return err
	}
	at := place{e.Run, seq}
	c.noted[at] = append(c.noted[at], recorded{e, open})
	return nil
}

// recall notes statements about a run in entries before the first checked one: its events may only be bound
// later.
func (c *checking) recall(ctx context.Context, id string) error {
	if c.caughtUp || c.recalled[id] {
		return nil
	}
	c.recalled[id] = true
	rows, err := c.s.entriesOf(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.N > c.after {
			break
		}
		e, err := port.ReadAuditBody(r.Body)
		if err != nil {
			return bad(r.N, "%v", err)
		}
		open, err := port.ReadOpen(r.Open, e.Sealed)
		if err != nil {
			return bad(r.N, "%v", err)
		}
		if err := c.note(e, open); err != nil {
			return err
		}
	}
	return nil
}

// compareNoted compares an event with the statements about it.
func (c *checking) compareNoted(ctx context.Context, e *run.Event) error {
	if err := c.recall(ctx, e.Run); err != nil {
		return err
	}
	about := c.noted[place{e.Run, e.Seq}]
	if len(about) == 0 {
		return c.unrecorded(ctx, e)
	}
	c.caughtUp = c.caughtUp || about[0].entry.N > c.after
	data, err := run.EncodeFact(e.Fact)
	if err != nil {
		return err
	}
	for _, r := range about {
		was := r.entry
		if was.Action != e.Fact.Type() || was.Actor != e.Actor || !was.At.Equal(e.At) {
			return bad(was.N, "event %d of run %s is not what it recorded", e.Seq, e.Run)
		}
		for name, o := range r.open {
			values, err := c.valuesOf(ctx, was, e, data, name)
			if err != nil {
				return err
			}
			// Without one the payloads are deleted, which the digests show.
			recorded := func(v json.RawMessage) bool { return port.SealDigest(o.Salt, name, v) == was.Sealed[name] }
			if len(values) > 0 && !slices.ContainsFunc(values, recorded) {
				return bad(was.N, "the value %q of event %d of run %s is not the one that was recorded", name, e.Seq, e.Run)
			}
		}
	}
	return nil
}

// valuesOf are the candidates for a sealed value in an event.
func (c *checking) valuesOf(
	ctx context.Context, was port.AuditEntry, e *run.Event, data []byte, name string,
) ([]json.RawMessage, error) {
	if where := port.SealedPaths[was.Action][name]; where != nil {
		if v, ok := value.Get(data, where...); ok {
			return []json.RawMessage{v}, nil
		}
		return nil, nil
	}
	if e.Fact.Type() != (*run.ApprovalDecided)(nil).Type() {
		return nil, nil
	}
	var out []json.RawMessage
	for after := int64(0); after < e.Seq-1; {
		records, err := c.s.Store.Events(ctx, e.Run, after, int(min(pageRows, e.Seq-1-after)))
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return nil, bad(was.N, "event %d of run %s is missing", after+1, e.Run)
		}
		for _, r := range records {
			data, err := run.EncodeFact(r.Fact)
			if err != nil {
				return nil, err
			}
			out = append(out, proposals(data, was.Target)...)
			after = r.Seq
		}
	}
	return out, nil
}

// proposals are an event's proposals in an approval: as requested, or as changed by a decision.
func proposals(data json.RawMessage, approval string) (out []json.RawMessage) {
	for _, at := range [][2][]string{{{"request", "id"}, {"request", "proposed"}}, {{"id"}, {"decision", "proposed"}}} {
		id, _ := value.Get(data, at[0]...)
		about, _ := value.Text(id)
		if got, ok := value.Get(data, at[1]...); ok && about == approval {
			out = append(out, got)
		}
	}
	return out
}

// unrecorded determines why an event has no entry: it may need none, be older than the log or part of a
// fork's history, or its entry may come before the checked ones.
func (c *checking) unrecorded(ctx context.Context, e *run.Event) error {
	if !slices.Contains(port.AlwaysAudited, e.Fact.Type()) {
		return nil
	}
	known, ok := c.origins[e.Run]
	if !ok || !known.explains(e) {
		var err error
		if known, err = c.originOf(ctx, e); err != nil {
			return err
		}
		if len(c.origins) >= originsMax {
			clear(c.origins)
		}
		c.origins[e.Run] = known
	}
	if known.explains(e) || known.entry {
		return nil
	}
	return bad(c.chain.N, "event %d of run %s (%s) is not recorded in the log: it was inserted from outside",
		e.Seq, e.Run, e.Fact.Type())
}

const originsMax = 10_000 // runs to remember

// origin is what explains events of a run without an entry. What is in the events themselves does not count: they are
// what is being checked.
type origin struct {
	copied int64     // the last event of a fork's history, as the entry of the fork records it
	older  time.Time // events before it may be older than the log; zero: none
	entry  bool      // the event that was looked up has an entry
}

func (o origin) explains(e *run.Event) bool { return e.Seq <= o.copied || e.At.Before(o.older) }

// originOf reads the entries of an event's run.
func (c *checking) originOf(ctx context.Context, e *run.Event) (o origin, err error) {
	if o.older, err = c.olderThan(ctx); err != nil {
		return o, err
	}
	rows, err := c.s.entriesOf(ctx, e.Run)
	if err != nil {
		return o, err
	}
	for _, r := range rows {
		was, err := port.ReadAuditBody(r.Body)
		if err != nil {
			return o, bad(r.N, "%v", err)
		}
		seq, err := eventOf(was)
		if err != nil {
			return o, err
		}
		if seq == 0 || runOf(was) != e.Run {
			continue
		}
		o.entry = o.entry || seq == e.Seq && was.Action == e.Fact.Type()
		switch was.Action {
		case (*run.RunStarted)(nil).Type():
			o.older = time.Time{} // the log is older than the run
		case (*run.RunForked)(nil).Type():
			o.older = time.Time{}
			if o.copied, err = copiedBy(was); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// runOf is the run of an entry about an event.
func runOf(e port.AuditEntry) string { return cmp.Or(e.Run, e.Target) }

// copiedBy is the number of events that a fork copied.
func copiedBy(e port.AuditEntry) (int64, error) {
	var about struct {
		AtSeq int64 `json:"at_seq"`
	}
	if err := json.Unmarshal(e.Detail, &about); err != nil {
		return 0, bad(e.N, "its detail cannot be read")
	}
	return about.AtSeq, nil
}

// olderThan is the time before which events may be older than the log: that of its first entry, if the store has such
// events at all.
func (c *checking) olderThan(ctx context.Context) (time.Time, error) {
	if c.began != nil {
		return *c.began, nil
	}
	rows, err := c.s.Store.AuditRows(ctx, 0, 1)
	if err != nil {
		return time.Time{}, err
	}
	events, _, err := c.s.Store.Feed(ctx, 0, 1, port.FeedFilter{})
	if err != nil {
		return time.Time{}, err
	}
	c.began = new(time.Time)
	if len(rows) > 0 && len(events) > 0 && events[0].At.Before(rows[0].At) {
		*c.began = rows[0].At
	}
	return *c.began, nil
}
