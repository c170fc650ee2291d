package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// movingStore advances a run whenever its events, or the entries about it, were read.
type movingStore struct {
	*sqlite.Store
	t   *testing.T
	run string
	seq int64
	on  bool
}

func (m *movingStore) Events(ctx context.Context, id string, after int64, limit int) ([]port.Record, error) {
	records, err := m.Store.Events(ctx, id, after, limit)
	m.move()
	return records, err
}

func (m *movingStore) AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error) {
	page, err := m.Store.AuditEntries(ctx, q)
	if q.Target == m.run {
		m.move()
	}
	return page, err
}

// move adds a message to the run, with its entry, and a rejected command.
func (m *movingStore) move() {
	if !m.on {
		return
	}
	m.t.Helper()
	text, err := json.Marshal(fmt.Sprintf("message %d", m.seq))
	must(m.t, err)
	m.seq++
	w := port.Write{
		Run: m.run, After: m.seq - 1,
		Row: port.RunRow{ID: m.run, Workflow: "refund", Status: run.Running, Seq: m.seq, StartedAt: began,
			UpdatedAt: began},
		Events: []run.Event{{Run: m.run, Seq: m.seq, At: began, Actor: ann,
			Fact: &run.MessageAdded{Message: run.Message{Text: fmt.Sprintf("message %d", m.seq-1)}}}},
		Audit: []port.AuditDraft{
			{At: began, Actor: ann, Action: "message.added", Target: m.run, Detail: map[string]any{"seq": m.seq},
				Sealed: []port.Sealed{{Name: "text", Value: text, Beside: true}}},
			{At: began, Actor: ann, Action: "run.paused", Target: m.run, Outcome: port.AuditRefused,
				Detail: map[string]any{"seq": m.seq + 9}},
		},
	}
	_, err = m.Append(m.t.Context(), w)
	must(m.t, err)
}

// A proof of a run that advances while it is created states how far the run was.
func TestProofOfAMovingRun(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	moving := &movingStore{Store: store, t: t, run: "run_x", seq: 4}
	s.Store = moving
	for range 5 {
		moving.on = true
		var out bytes.Buffer
		must(t, s.Prove(t.Context(), "run_x", ann, &out))
		moving.on = false
		r := verifiedProof(t, out.Bytes(), Expected{})
		if !r.OK {
			t.Fatalf("%+v", r)
		}
		// It contains all entries about its events.
		p, err := readProof(out.Bytes())
		must(t, err)
		all, err := s.entriesOf(t.Context(), "run_x")
		must(t, err)
		has := map[int64]bool{}
		for _, e := range p.Entries {
			entry, err := port.ReadAuditBody(e.Entry)
			must(t, err)
			has[entry.N] = true
		}
		for _, row := range all {
			e, err := port.ReadAuditBody(row.Body)
			must(t, err)
			if seq, err := eventOf(e); err != nil || seq > 0 && has[e.N] != (seq <= int64(len(p.Events))) {
				t.Fatalf("entry %d about event %d of %d: %v, %v", e.N, seq, len(p.Events), has[e.N], err)
			}
		}
	}
}
