package decide_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

// TestInputLimits: a tool's question, at its limits and over.
func TestInputLimits(t *testing.T) {
	form := json.RawMessage(`{"type":"object"}`)
	for size, asked := range map[int]int{run.InputMax: 1, run.InputMax + 1: 0} {
		p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other"}]}`)
		p.do(run.Start{})
		p.do(run.CompleteTurn{Key: p.key("l"),
			Turn: run.Turn{Calls: []run.Call{{ID: "c1", Tool: "look", Args: json.RawMessage(`{}`),
				Spec: run.ToolSpec{Class: "safe"}}}}})
		state := json.RawMessage(`"` + strings.Repeat("x", size-len(form)-2) + `"`)
		p.do(run.CompleteCall{Key: p.key("l"), Result: run.CallResult{Input: &run.CallInput{
			From: strings.Repeat("é", 1000), Message: strings.Repeat("é", run.TextMax), Schema: form, State: state,
		}}})
		if got := len(p.s.Pending()); got != asked {
			t.Fatalf("%d bytes: %d questions, want %d", size, got, asked)
		}
		if asked == 0 {
			continue
		}
		if a := p.s.Pending()[0]; len(a.Title) > 600 || len(a.Description) > run.TextMax+10 {
			t.Errorf("people read %d and %d bytes", len(a.Title), len(a.Description))
		}
	}
}
