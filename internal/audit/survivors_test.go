package audit

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// aDecision stores a run in which eve may have made the decision recorded for ann.
func aDecision(t *testing.T, store store.Store, inEvent, inEntry run.Actor) {
	t.Helper()
	w := port.Write{Run: "run_1",
		Row: port.RunRow{ID: "run_1", Workflow: "refund", Status: run.Running, Seq: 2, StartedAt: began, UpdatedAt: began}}
	for i, f := range decisionFacts() {
		w.Events = append(w.Events, run.Event{Run: "run_1", Seq: int64(i) + 1, At: began, Actor: inEvent, Fact: f})
	}
	w.Audit = []port.AuditDraft{started("run_1", inEvent), {
		At: began, Actor: inEntry, Action: "approval.resolved", Target: "apr_x_1", Run: "run_1",
		Detail: map[string]any{"seq": 2},
		Sealed: []port.Sealed{
			{Name: "content", Value: json.RawMessage(`"sha256:c"`), Beside: true},
			{Name: "comment", Value: json.RawMessage(`"fine"`)},
		},
	}}
	_, err := store.Append(t.Context(), w)
	must(t, err)
}

// decisionFacts are the events of a run that ann decided.
func decisionFacts() []run.Fact {
	return []run.Fact{
		&run.RunStarted{Workflow: "refund", Version: 1, Definition: "sha256:d", Input: json.RawMessage(`{}`)},
		&run.ApprovalResolved{ID: "apr_x_1", Content: "sha256:c",
			Outcome: gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "ann", Comment: "fine"}},
	}
}

// Entries and events that name different people do not match, whatever the digests: the proof was created
// from them as they are.
func TestProofComparesActors(t *testing.T) {
	for _, c := range []struct {
		name  string
		event run.Actor
		ok    bool
	}{
		{"the same", ann, true},
		{"another name", run.Actor{Kind: run.Person, Name: "eve"}, false},
		{"another kind", run.Actor{Kind: run.System, Name: "ann"}, false},
	} {
		s, store := open(t)
		aDecision(t, store, c.event, ann)
		var out bytes.Buffer
		must(t, s.Prove(t.Context(), "run_1", ann, &out))
		if r := verifiedProof(t, out.Bytes(), Expected{}); r.OK != c.ok {
			t.Errorf("%s: %+v", c.name, r)
		}
		// The check of the store compares them as well.
		if got, err := s.Check(t.Context(), 0, 0); err != nil || got.OK != c.ok {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// The data shown to approvers has an unsalted digest. An entry contains it under a salt, which is dropped
// with any redaction: with it, a guess of what was shown could be confirmed.
func TestRedactionForgetsTheSaltOfContent(t *testing.T) {
	s, store := open(t)
	aDecision(t, store, ann, ann)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_1", ann, &out))
	salts := func(file []byte) (names []string) {
		p, err := readProof(file)
		must(t, err)
		for _, e := range p.Entries {
			entry, err := port.ReadAuditBody(e.Entry)
			must(t, err)
			open, err := port.ReadOpen(e.Open, entry.Sealed)
			must(t, err)
			for name := range open {
				names = append(names, name)
			}
		}
		return names
	}
	if got := salts(out.Bytes()); len(got) != 2 {
		t.Fatalf("%v", got)
	}
	red, _, err := Redact(out.Bytes(), Redaction{Paths: []string{"/workflow"}}) // nothing of the approval
	must(t, err)
	if got := salts(red); len(got) != 1 || got[0] != "comment" {
		t.Errorf("%v are left", got)
	}
	if r := verifiedProof(t, red, Expected{}); !r.OK {
		t.Errorf("%+v", r)
	}
}
