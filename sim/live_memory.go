package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/assent-run/assent/sim/audit"
)

// memory is a store that implements the ports that engines use. It rejects what the real ones reject, by the
// same fields of a write, and knows nothing about the events in it. The auditor reads its logs.
type memory struct {
	l        *live
	rows     map[string]port.RunRow
	bundles  map[string]json.RawMessage
	feed     []port.Move
	watchers []chan struct{}
	owed     map[string][]owing
}

func newMemory(l *live) *memory {
	return &memory{l: l, rows: map[string]port.RunRow{}, bundles: map[string]json.RawMessage{}, owed: map[string][]owing{}}
}

// append commits a write, all or nothing.
func (m *memory) append(p *process, law law, w port.Write) (int64, error) {
	s := m.l.world.store
	ends := int64(0)
	r, ok := s.runs[w.Run]
	if ok {
		ends = r.last()
	}
	uses, err := m.check(s, ends, w)
	if err != nil {
		return 0, err
	}
	if ends == 0 {
		of := m.l.planOf(w.Row.Definition, m.bundles[w.Row.Definition])
		if !ok {
			r = s.create(w.Run, of)
		}
		r.plan, r.truth = of, machine.New(w.Run, of)
	}
	m.l.watchOver(p, law, w)
	m.book(s, r, law, w.Events)
	for rule, n := range uses {
		s.uses[rule] = n
	}
	if err := s.write(r, w.Events); err != nil {
		return 0, err
	}
	m.l.say("%s appends to %s:", p, w.Run)
	m.l.noteEvents(w.Events)
	if w.Snapshot != nil {
		r.save(r.last(), w.Snapshot)
	}
	m.keep(r, w)
	return int64(len(m.feed)), nil
}

// check rejects a write as the real stores do.
func (m *memory) check(s *store, ends int64, w port.Write) (map[string]int, error) {
	if w.Epoch != 0 && w.Epoch != s.epoch {
		return nil, storekit.Fenced(w.Epoch, s.epoch)
	}
	if generation := int64(s.law + 1); w.Generation != 0 && w.Generation != generation {
		return nil, storekit.Outdated(w.Generation, generation)
	}
	uses, err := storekit.Grants(w.Uses, func(rule string) (int, error) { return s.uses[rule], nil })
	if err != nil {
		return nil, err
	}
	if ends != w.After {
		return nil, storekit.LogConflict(w.Run, ends, w.After)
	}
	return uses, nil
}

// book records by which policy the events were decided; the first of a fork are those of another run.
func (m *memory) book(s *store, r *record, l law, events []run.Event) {
	events = own(events)
	if f, ok := events[0].Fact.(*run.RunForked); ok {
		s.bookPast(r, s.runs[f.From], f.AtSeq)
	}
	at := events[0].Seq - 1
	s.commits = append(s.commits, audit.Commit{Run: r.id, First: at + 1, Last: at + int64(len(events)), Policy: l.no,
		InForce: s.law, Uses: l.uses})
}

// keep writes the tables, and notifies watchers.
func (m *memory) keep(r *record, w port.Write) {
	if n := len(r.snaps); n > 0 {
		w.Row.SnapshotSeq = r.snaps[n-1].seq
	}
	m.rows[w.Run] = w.Row
	effects := r.truth.Effects()
	keys := make([]run.Key, 0, len(effects))
	for _, e := range effects {
		keys = append(keys, e.Key)
	}
	m.owed[w.Run] = append(m.owed[w.Run], owing{r.last(), keys})
	for range w.Events {
		m.feed = append(m.feed, port.Move{Run: w.Run, Seq: r.last()})
	}
	for _, c := range m.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (m *memory) watch(ctx context.Context) <-chan struct{} {
	c := make(chan struct{}, 1)
	m.watchers = append(m.watchers, c)
	context.AfterFunc(ctx, func() {
		m.l.mu.Lock()
		defer m.l.mu.Unlock()
		m.watchers = slices.DeleteFunc(m.watchers, func(other chan struct{}) bool { return other == c })
		close(c)
	})
	return c
}

func (m *memory) events(id string, after int64, limit int) (out []port.Record) {
	r, ok := m.l.world.store.runs[id]
	if !ok {
		return nil
	}
	for _, e := range r.read[min(after, r.last()):min(after+int64(limit), r.last())] {
		out = append(out, port.Record{Event: e})
	}
	return out
}

func (m *memory) row(id string) (port.RunRow, error) {
	row, ok := m.rows[id]
	if !ok {
		return row, storekit.NotFound("run", id)
	}
	return row, nil
}

func (m *memory) snapshot(id string, atMost int64) (out snapshot) {
	if r, ok := m.l.world.store.runs[id]; ok {
		for _, s := range r.snaps {
			if s.seq <= atMost {
				out = s
			}
		}
	}
	return out
}

func (m *memory) busy(after string, limit int) (out []string) {
	for id, row := range m.rows {
		if row.Busy && id > after {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out[:min(limit, len(out))]
}

func (m *memory) due(until time.Time, limit int) (out []port.DueRun) {
	for id, row := range m.rows {
		if !row.DueAt.IsZero() && !row.DueAt.After(until) {
			out = append(out, port.DueRun{Run: id, At: row.DueAt})
		}
	}
	slices.SortFunc(out, func(a, b port.DueRun) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.Run, b.Run)
	})
	return out[:min(limit, len(out))]
}

func (m *memory) moves(after int64, limit int) []port.Move {
	last := int64(len(m.feed))
	return slices.Clone(m.feed[min(after, last):min(after+int64(limit), last)])
}

func (m *memory) bundle(digest string) (json.RawMessage, error) {
	b, ok := m.bundles[digest]
	if !ok {
		return nil, storekit.NotFound("definition", digest)
	}
	return b, nil
}

// planOf is the definition that a run is bound to.
func (l *live) planOf(digest string, bundle json.RawMessage) *plan.Plan {
	if p, ok := l.plans[digest]; ok {
		return p
	}
	var def plan.Definition
	if err := json.Unmarshal(bundle, &def); err != nil {
		panic(fmt.Sprintf("the bundle %s: %v", digest, err))
	}
	p, _ := plan.Compile(&def)
	l.plans[digest] = p
	return p
}
