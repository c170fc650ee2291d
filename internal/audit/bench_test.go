package audit

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// startDraft is the entry that every run writes.
func startDraft() port.AuditDraft {
	return port.AuditDraft{
		At: began, Actor: ann, Action: "run.started", Target: "run_06gxxphe7gy68xkzbtnt873n6r",
		Run:    "run_06gxxphe7gy68xkzbtnt873n6r",
		Detail: json.RawMessage(`{"definition":"sha256:ad33","owner":"ann","seq":1,"version":1,"workflow":"refund"}`),
		Sealed: []port.Sealed{{Name: "input", Value: json.RawMessage(`{"amount":5}`), Beside: true}},
	}
}

func BenchmarkForm(b *testing.B) {
	d := startDraft()
	for b.Loop() {
		f, err := d.Form()
		if err != nil {
			b.Fatal(err)
		}
		f.Link(1, port.AuditStart)
	}
}

// BenchmarkAppend stores entries a hundred at a time, as a busy store does.
func BenchmarkAppend(b *testing.B) {
	_, store := open(b)
	drafts := make([]port.AuditDraft, 100)
	for i := range drafts {
		drafts[i] = startDraft()
	}
	for b.Loop() {
		if _, err := store.AppendAudit(b.Context(), drafts...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyExport(b *testing.B) {
	s, store := open(b)
	file := exported(b, s, store, 1000)
	for b.Loop() {
		verified(b, file, Expected{})
	}
}

// BenchmarkBind binds the events of 500 new runs, one event each: the maximum for one entry, with the maximum
// number of salts.
func BenchmarkBind(b *testing.B) {
	s, store := open(b)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for i := range 500 {
			id := fmt.Sprintf("run_%d_%d", n, i)
			_, err := store.Append(b.Context(), port.Write{
				Run: id, Row: port.RunRow{ID: id, Workflow: "refund", Status: run.Running, Seq: 1, StartedAt: began,
					UpdatedAt: began},
				Events: []run.Event{{Run: id, Seq: 1, At: began, Actor: ann, Fact: &run.RunStarted{
					Workflow: "refund", Version: 1, Definition: "sha256:d", Input: json.RawMessage(`{"amount":35}`), Owner: "bob",
				}}},
			})
			must(b, err)
		}
		b.StartTimer()
		must(b, s.Bind(b.Context(), sealTick))
	}
}
