package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// FuzzStream: providers send arbitrary data.
func FuzzStream(f *testing.F) {
	for _, d := range []dialect{chat, messages} {
		f.Add(strings.Join(d.whole(d.text("hello"), d.call(0, "a", "x"), d.args(0, `{\"a\":1}`)), ""))
		f.Add(strings.Join(d.whole(d.text(`{\"a\":1,\"confidence\":0.5}`)), ""))
		f.Add(d.begin + d.stop("length"))
	}
	f.Add("event: error\ndata: {\"error\":{\"message\":7}}\n\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":[],\"tool_calls\":[{\"function\":{\"arguments\":{\"a\":1}}}]},\"finish_reason\":\"stop\"}]}\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{},
				Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		for _, d := range []dialect{chat, messages} {
			m := d.model(t, "http://model.example", func(_ *definition.LLM, o *llm.Options) { o.Transport = transport })
			for _, output := range []json.RawMessage{nil, json.RawMessage(`{"type":"object"}`)} {
				turn, err := m.Think(t.Context(), port.TurnRequest{Output: output, Tools: []port.ToolInfo{filesTool}}, nil)
				if err != nil {
					if f := port.FailureOf(err); f.Message == "" || !utf8.ValidString(f.Message+f.Body) || f.Usage.TokensIn < 0 {
						t.Fatalf("%+v", f)
					}
					continue
				}
				check(t, turn)
			}
		}
	})
}

func check(t *testing.T, turn run.Turn) {
	t.Helper()
	if !utf8.ValidString(turn.Text+turn.Reasoning) || turn.Usage.LLMCalls != 1 {
		t.Fatalf("%+v", turn)
	}
	if turn.Output != nil && !json.Valid(turn.Output) {
		t.Fatalf("%s", turn.Output)
	}
	seen := map[string]bool{}
	for _, c := range turn.Calls {
		if c.ID == "" || seen[c.ID] || !utf8.ValidString(c.Tool+string(c.Args)) {
			t.Fatalf("%+v", c)
		}
		seen[c.ID] = true
	}
}
