package audit

import (
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

// startDraft is the entry that every run costs.
func startDraft() port.AuditDraft {
	return port.AuditDraft{
		At: began, Actor: ann, Action: "run.started", Target: "run_06gxxphe7gy68xkzbtnt873n6r", Run: "run_06gxxphe7gy68xkzbtnt873n6r",
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
