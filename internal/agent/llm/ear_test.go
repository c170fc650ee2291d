package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestEarHoldsHalfSecrets: words arrive one byte at a time, with a listener that takes each immediately.
func TestEarHoldsHalfSecrets(t *testing.T) {
	const key = "sk-sesame-0123456789"
	s := secrets{words: []string{key}, speech: answer.NewVeil(key)}
	text := "not sk-sesa but " + key + " and sk-" + key + ", then sk-sesame-01234"
	var told strings.Builder
	e := &ear{tell: func(port.Progress) {}, s: s}
	for i := range len(text) {
		e.text = append(e.text, text[i])
		now, _ := e.take()
		told.WriteString(now)
		if strings.Contains(told.String(), "sesame-") {
			t.Fatalf("a part of a secret is told: %q", told.String())
		}
		if i+1 == len("not sk-sesa b") && told.String() != "not sk-sesa b" {
			t.Fatalf("what is no secret is held back: %q", told.String())
		}
	}
	e.closed = true
	rest, _ := e.take()
	if got, want := told.String()+rest, s.speech.Hide(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEqualIDs: a model gives all its calls the same id.
func TestEqualIDs(t *testing.T) {
	call := run.CallRef{ID: "c", Tool: "x", Args: json.RawMessage(`{}`)}
	result := func(s string) run.Entry { return run.Entry{Role: "tool", CallID: "c", Output: json.RawMessage(s)} }
	items := itemsOf(port.TurnRequest{
		Tools: []port.ToolInfo{{Name: "x"}},
		Entries: []run.Entry{{Role: "assistant", Calls: []run.CallRef{call, call}}, result("1"), result("2"),
			{Role: "assistant", Calls: []run.CallRef{call}}, result("3")},
	}, names{})
	got := ""
	for _, it := range items {
		for _, c := range it.calls {
			got += c.id + "=" + c.result + " "
		}
	}
	if got != "c=1 c_2=2 c_3=3 " {
		t.Error(got)
	}
}
