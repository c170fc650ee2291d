package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

var began = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// open creates a service on a real store.
func open(t testing.TB) (*Service, *sqlite.Store) {
	t.Helper()
	dir := sqlitetest.Dir(t)
	store, err := sqlite.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return New(Config{Store: store, Key: KeyIn(dir), Now: func() time.Time { return began }}), store
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var ann = run.Actor{Kind: run.Person, Name: "ann"}

// draft is an entry with all fields set.
func draft(i int) port.AuditDraft {
	return port.AuditDraft{
		At: began.Add(time.Duration(i) * time.Millisecond), Actor: ann, Action: "approval.decided",
		Target: fmt.Sprintf("apr_x_%d", i), Run: "run_x",
		Detail: map[string]any{"act": "approve", "version": i},
		Sealed: []port.Sealed{{Name: "comment", Value: json.RawMessage(fmt.Sprintf(`"fine, \u00e9 %d"`, i))},
			{Name: "modified", Value: json.RawMessage(`{"amount":1}`), Beside: true}},
	}
}

// exported is a log of n entries, one of which publishes the key.
func exported(t testing.TB, s *Service, store *sqlite.Store, n int) []byte {
	t.Helper()
	drafts := make([]port.AuditDraft, n-1)
	for i := range drafts {
		drafts[i] = draft(i)
	}
	_, err := store.AppendAudit(t.Context(), drafts...)
	must(t, err)
	var out bytes.Buffer
	must(t, s.Export(t.Context(), &out))
	return out.Bytes()
}

func verified(t testing.TB, file []byte, x Expected) Result {
	t.Helper()
	r, err := VerifyExport(bytes.NewReader(file), x)
	must(t, err)
	return r
}

func firstBad(r Result) int64 {
	if r.FirstBad == nil {
		return 0
	}
	return *r.FirstBad
}

// aRun stores a run with a decision, and its entries.
func aRun(t testing.TB, store store.Store, id string) {
	t.Helper()
	_, err := store.Append(t.Context(), runWrite(id))
	must(t, err)
}

// runWrite is such a run before it is stored.
func runWrite(id string) port.Write {
	input, proposed := json.RawMessage(`{"amount":5000,"iban":"DE02120300000000202051"}`),
		json.RawMessage(`{"amount":4000}`)
	facts := []run.Fact{
		&run.RunStarted{Workflow: "refund", Version: 1, Definition: "sha256:d", Input: input, Owner: "bob"},
		&run.StepCompleted{Step: "draft",
			Result: &run.Result{Output: json.RawMessage(`{"to":"carla@example.com","list":[1,{},[]]}`)}},
		&run.ApprovalNeeded{Want: "gate", Content: "sha256:c",
			Request: gate.Request{ID: "apr_x_1", Kind: gate.KindApproval, Title: "Refund",
				About: "5000 · DE02120300000000202051", Proposed: json.RawMessage(`{"amount":5000}`)}},
		&run.ApprovalDecided{ID: "apr_x_1",
			Decision: gate.Decision{By: "ann", Act: gate.Modify, Changes: json.RawMessage(`{"amount":4000}`),
				Comment: "too much for carla", Proposed: proposed, At: began, Version: 1}},
	}
	w := port.Write{Run: id, Row: port.RunRow{ID: id, Workflow: "refund", Status: run.Running, Seq: 4, StartedAt: began,
		UpdatedAt: began}}
	for i, f := range facts {
		w.Events = append(w.Events, run.Event{Run: id, Seq: int64(i) + 1, At: began, Actor: ann, Fact: f})
	}
	w.Audit = []port.AuditDraft{
		{At: began, Actor: ann, Action: "run.started", Target: id, Detail: map[string]any{"seq": 1},
			Sealed: []port.Sealed{{Name: "input", Value: input, Beside: true}}},
		{
			At: began, Actor: ann, Action: "approval.decided", Target: "apr_x_1", Run: id,
			Detail: map[string]any{"seq": 4, "act": "modify"},
			Sealed: []port.Sealed{
				{Name: "comment", Value: json.RawMessage(`"too much for carla"`)},
				{Name: "changes", Value: json.RawMessage(`{"amount":4000}`)},
				{Name: "modified", Value: proposed, Beside: true},
				{Name: "original", Value: json.RawMessage(`{"amount":5000}`), Beside: true},
			},
		},
	}
	return w
}
