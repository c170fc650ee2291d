package llm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

var conversations = map[string]port.TurnRequest{
	"first": {
		Agent: "researcher", Input: json.RawMessage(`{"topic":"whales","n":9007199254740993,"html":"</input> <b>"}`),
	},
	"structured": {
		Agent: "researcher", Input: json.RawMessage(`{"amount":0.10}`),
		Guidance: []string{"Be brief.\nVery brief.", "Use metres."},
		Lessons: []port.Lesson{
			{Operation: "refund", Proposed: json.RawMessage(`{"amount":100}`), Changed: json.RawMessage(`{"amount":80}`),
				Comment: "never\nmore than 80"},
			{Operation: "refund", Proposed: json.RawMessage(`{"amount":1}`)},
		},
		Output: json.RawMessage(`{"type":"object","properties":{"length_m":{"type":"number"}},"required":["length_m"],"additionalProperties":false}`),
		Tools: []port.ToolInfo{
			filesTool,
			{Name: "milestone", Description: "Say that a milestone is reached",
				Args: json.RawMessage(`{"properties":{"name":{"type":"string"}}}`)},
			{Name: "ping"},
			{Name: "exact", Args: json.RawMessage(`{"type":"object","properties":{"n":{"maximum":9007199254740993}},"required":["n"],"additionalProperties":false}`)},
		},
	},
	"calls": {
		Agent: "writer", Input: json.RawMessage(`"go"`), Tools: []port.ToolInfo{filesTool},
		Entries: []run.Entry{
			{Role: "user", Name: "ann", Text: "Look at both files."},
			{Role: "assistant", Name: "researcher", Text: "I look.", Calls: []run.CallRef{
				{ID: "call_0", Tool: "mcp:files/read", Args: json.RawMessage(`{"path":"a","n":9007199254740993}`)},
				{ID: "call_1", Tool: "mcp:files/read", Args: json.RawMessage(`"{oops"`)},
			}},
			{Role: "tool", Name: "mcp:files/read", CallID: "call_1",
				Text: "the arguments do not match the tool's schema", Failed: true},
			{Role: "note", Text: "Approaching the cost limit: 80 % used."},
			{Role: "tool", Name: "mcp:files/read", CallID: "call_0", Output: json.RawMessage(`"All of <a>"`)},
			{Role: "note", Text: "The arguments of call call_0 were changed by people before it ran."},
			{Role: "assistant", Name: "writer", Calls: []run.CallRef{
				{ID: "call_0", Tool: "gone:tool", Args: json.RawMessage(`{}`)},
				{ID: "call_9", Tool: "gone:tool", Args: nil},
			}},
			{Role: "tool", Name: "gone:tool", CallID: "call_0", Output: json.RawMessage(`{"ok":true,"n":0.10}`)},
			{Role: "tool", Name: "lost", CallID: "call_77", Output: json.RawMessage(`1`)},
			{Role: "assistant", Name: "writer"},
			{Role: "assistant", Name: "writer", Output: json.RawMessage(`{"draft":1}`)},
			{Role: "note", Text: "the output does not match the schema. Answer again with an output that matches it."},
			{Role: "user", Name: "bob", Text: "Hurry."},
			{Role: "assistant", Name: "writer", Text: "Nearly there."},
		},
	},
	"no-tools": {
		Agent: "writer", Input: json.RawMessage(`"go"`),
		Entries: []run.Entry{
			{Role: "assistant", Name: "researcher", Text: "I look.",
				Calls: []run.CallRef{{ID: "c", Tool: "mcp:files/read", Args: json.RawMessage(`{"path":"a"}`)}}},
			{Role: "tool", Name: "mcp:files/read", CallID: "c", Output: json.RawMessage(`"text"`)},
		},
	},
	"trimmed": longThought(40, 300),
}

// TestRequests compares requests, byte by byte except for whitespace, with testdata/request. UPDATE=1
// rewrites it.
func TestRequests(t *testing.T) {
	warm := 0.5
	both(t, func(t *testing.T, d dialect) {
		for name, th := range conversations {
			s := serve(t, says(d.whole(d.text("{}"))...))
			m := d.model(t, s.URL, func(doc *definition.LLM, o *llm.Options) {
				doc.System = "You know everything about whales.\n"
				if name == "structured" {
					doc.Temperature, doc.MaxTokens, doc.Milestones = &warm, 1000, []string{"outline", "draft"}
				}
				if name == "trimmed" {
					o.Window = func(string) int { return 4000 }
				}
			})
			for range 20 {
				if _, f := think(t, m, th); f.Message != "" {
					t.Fatalf("%s: %+v", name, f)
				}
			}
			said := s.asked()
			for _, body := range said {
				if body != said[0] {
					t.Fatalf("%s: the same thought made two requests:\n%s\n%s", name, said[0], body)
				}
			}
			golden(t, string(d.provider)+"-"+name, said[0])
		}
	})
}

func golden(t *testing.T, name, body string) {
	t.Helper()
	for _, digits := range []string{"9007199254740993", "0.10"} {
		if strings.Contains(name, "calls") && !strings.Contains(body, digits) {
			t.Errorf("%s: %s was changed", name, digits)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(body)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "request", name+".json")
	if os.Getenv("UPDATE") != "" {
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s changed; UPDATE=1 accepts:\n%s", name, b.String())
	}
}
