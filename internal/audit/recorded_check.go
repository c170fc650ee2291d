package audit

import (
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

// alwaysRecorded are the events that have an entry: one without an entry was not written by the server.
var alwaysRecorded = []string{
	(*run.ApprovalDecided)(nil).Type(), (*run.ApprovalResolved)(nil).Type(), (*run.ApprovalAutoApproved)(nil).Type(),
}

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
	if !slices.Contains(alwaysRecorded, e.Fact.Type()) {
		return nil
	}
	began, err := c.began(ctx)
	if err != nil || e.At.Before(began) {
		return err
	}
	rows, err := c.s.entriesOf(ctx, e.Run)
	if err != nil {
		return err
	}
	for _, r := range rows {
		was, err := port.ReadAuditBody(r.Body)
		if err != nil {
			return bad(r.N, "%v", err)
		}
		if seq, err := eventOf(was); err != nil || seq == e.Seq && was.Action == e.Fact.Type() {
			return err
		}
	}
	forked, err := c.forkedAfter(ctx, e)
	if err != nil || forked {
		return err
	}
	return bad(c.chain.N, "event %d of run %s (%s) is not recorded in the log: it was inserted from outside",
		e.Seq, e.Run, e.Fact.Type())
}

// began is the time of the first entry of the log.
func (c *checking) began(ctx context.Context) (time.Time, error) {
	if c.first.IsZero() {
		rows, err := c.s.Store.AuditRows(ctx, 0, 1)
		if err != nil || len(rows) == 0 {
			return time.Time{}, err
		}
		c.first = rows[0].At
	}
	return c.first, nil
}

// forkedAfter reports whether an event belongs to a fork's copied history.
func (c *checking) forkedAfter(ctx context.Context, e *run.Event) (bool, error) {
	for after := e.Seq; ; {
		records, err := c.s.Store.Events(ctx, e.Run, after, pageRows)
		if err != nil || len(records) == 0 {
			return false, err
		}
		for _, r := range records {
			if _, is := r.Fact.(*run.RunForked); is {
				return true, nil
			}
			after = r.Seq
		}
	}
}
