package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

var filesTool = port.ToolInfo{Name: "mcp:files/read", Description: "Read a file",
	Args: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}

func TestWords(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		// A character is split in two: as an escape, and between packets.
		snow := []byte(d.text("☃ und ein "))
		cut := strings.IndexByte(string(snow), 0xe2) + 1
		s := serve(t, says(d.whole(d.text(`Hello \ud83d`), d.text(`\ude00, a \"`), string(snow[:cut]),
			string(snow[cut:]), d.text(`Ende.`))...))
		m := d.model(t, s.URL, func(_ *definition.LLM, o *llm.Options) {
			o.Prices = map[string]definition.Price{"test-1": {In: 3_000_000_000, Out: 15_000_000_000}}
		})
		tell, all := heard()
		turn, err := m.Think(t.Context(), port.TurnRequest{Input: json.RawMessage(`1`), Key: "k1"}, tell)
		if err != nil {
			t.Fatal(err)
		}
		const want = "Hello 😀, a \"☃ und ein Ende."
		if turn.Text != want || turn.Output != nil || len(turn.Calls) != 0 || turn.Confidence != nil {
			t.Errorf("%+v", turn)
		}
		if all() != want {
			t.Errorf("told: %q", all())
		}
		if u := turn.Usage; u.LLMCalls != 1 || u.TokensIn != 12 || u.TokensOut != 3 || u.CostUSD.String() != "0.000081" {
			t.Errorf("%+v", u)
		}
		r := s.requests[0]
		if r.URL.Path != d.path || r.Header.Get("Idempotency-Key") != "k1" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		if key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); key != theKey && key != "Bearer "+theKey {
			t.Errorf("the key came as %q", key)
		}
	})
}

func TestCalls(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, says(d.whole(d.text("I look."),
			d.call(0, "call_a", "mcp_files_read"), d.call(1, "call_b", "web_fetch"), d.args(0, `{\"path\":`),
			d.args(1, `{\"n\":9007199`), d.args(0, `\"\\u00e4 \"}`), d.args(1, `254740993, `),
			d.args(1, `\"m\":0.10}`), d.call(2, "", "nobody"), d.call(3, "call_a", "mcp:files/read"),
			d.args(3, `{\"path\": oops`))...))
		turn, f := think(t, d.model(t, s.URL), port.TurnRequest{Turn: 3,
			Tools: []port.ToolInfo{filesTool, {Name: "web_fetch"}}})
		if f.Message != "" {
			t.Fatalf("%+v", f)
		}
		got, want := "", "call_a mcp:files/read {\"path\":\"\\u00e4 \"}\ncall_b web_fetch {\"n\":9007199254740993, "+
			"\"m\":0.10}\ncall nobody \ncall_a_2 mcp:files/read {\"path\": oops\n"
		for _, c := range turn.Calls {
			got += fmt.Sprintf("%s %s %s\n", c.ID, c.Tool, c.Args)
		}
		if got != want || turn.Text != "I look." || turn.Output != nil {
			t.Errorf("%s\n%+v", got, turn)
		}
	})
}

// Some servers give all calls of a turn the same number.
func TestCallsOfOneNumber(t *testing.T) {
	s := serve(t, says(chat.whole(chat.call(0, "a", "x"), chat.args(0, `{}`), chat.call(0, "b", "y"),
		chat.args(0, `{\"n\":1}`))...))
	turn, f := think(t, chat.model(t, s.URL), port.TurnRequest{})
	if len(turn.Calls) != 2 || string(turn.Calls[0].Args) != `{}` || turn.Calls[1].Tool != "y" ||
		string(turn.Calls[1].Args) != `{"n":1}` {
		t.Errorf("%+v %+v", turn, f)
	}
}

func TestStructured(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, says(d.whole(d.text("```json\\n{\\\"score\\\":0.10,"),
			d.text(`\"confidence\":0.65,\"reasoning\":\"thin\"}`), d.text("\\n```"))...))
		turn, f := think(t, d.model(t, s.URL),
			port.TurnRequest{Output: json.RawMessage(`{"type":"object","properties":{"score":{}},"additionalProperties":false}`)})
		if f.Message != "" || string(turn.Output) != `{"score":0.10}` || turn.Text != "" || turn.Confidence == nil ||
			*turn.Confidence != 0.65 || turn.Reasoning != "thin" {
			t.Errorf("%+v %+v", turn, f)
		}
	})
}

// TestBrokenStreams: streams that end too early in every way.
func TestBrokenStreams(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		for name, h := range map[string]http.HandlerFunc{
			"ends":         says(d.begin, d.text("half of")),
			"in an event":  says(d.begin, d.text("half of"), d.text("an answer")[:20]),
			"in arguments": says(d.begin, d.call(0, "a", "x"), d.args(0, `{\"a\":`)),
			"cut": func(w http.ResponseWriter, r *http.Request) {
				says(d.begin, d.text("half"))(w, r)
				panic(http.ErrAbortHandler)
			},
			"garbage": says(d.begin, d.text("half"), "event: content_block_delta\ndata: {nonsense\n\n"),
		} {
			turn, f := think(t, d.model(t, serve(t, h).URL), port.TurnRequest{})
			if f.Code != "broken_stream" || !f.Transient || turn.Text != "" || turn.Calls != nil || f.Usage.LLMCalls != 1 {
				t.Errorf("%s: %+v %+v", name, turn, f)
			}
			if d.provider == definition.Anthropic && f.Usage.TokensIn != 12 {
				t.Errorf("%s: what it cost is lost: %+v", name, f.Usage)
			}
		}
		if d.provider == definition.Anthropic { // its stop reason is not yet the end
			if _, f := think(t, d.model(t, serve(t, says(d.begin, d.text("all"), d.stop(""))).URL),
				port.TurnRequest{}); f.Code != "broken_stream" {
				t.Errorf("without an end: %+v", f)
			}
		}
		s := serve(t, says())
		if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); !f.Transient || f.Code != "broken_stream" {
			t.Errorf("an empty stream: %+v", f)
		}
	})
}

func TestFinishes(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		for reason, want := range map[string]string{"length": "length",
			"content_filter": map[definition.Provider]string{definition.OpenAI: "content_filter",
				definition.Anthropic: "refusal"}[d.provider]} {
			s := serve(t, says(d.begin, d.text("half"), d.stop(reason), d.usage, d.end))
			if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Code != want || f.Transient || f.Usage.TokensOut != 3 {
				t.Errorf("%s: %+v", reason, f)
			}
		}
		s := serve(t, says(d.whole(d.text(" "))...))
		if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Code != "empty_answer" || !f.Transient ||
			f.Usage.TokensIn != 12 {
			t.Errorf("nothing: %+v", f)
		}
		// With a schema the core reports a missing output.
		if turn, f := think(t, d.model(t, s.URL),
			port.TurnRequest{Output: json.RawMessage(`{"type":"object"}`)}); f.Message != "" || turn.Output != nil {
			t.Errorf("nothing, for a schema: %+v %+v", turn, f)
		}
	})
	s := serve(t, says(chat.begin, fmt.Sprintf(chunk, `{"refusal":"I cannot help with that."}`, "null"),
		chat.stop(""), chat.end))
	if _, f := think(t, chat.model(t, s.URL), port.TurnRequest{}); f.Code != "refusal" || f.Transient ||
		!strings.Contains(f.Message, "I cannot help") {
		t.Errorf("%+v", f)
	}
	full := event("message_delta", `"delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":3}`)
	s = serve(t, says(messages.begin, messages.text("half"), full, messages.end))
	if _, f := think(t, messages.model(t, s.URL), port.TurnRequest{}); f.Code != "context_length" || f.Transient {
		t.Errorf("%+v", f)
	}
}

func TestUsageNobodyTells(t *testing.T) {
	s := serve(t, says(chat.begin, chat.text("one two three four five six"), chat.stop(""), chat.end))
	turn, _ := think(t, chat.model(t, s.URL), port.TurnRequest{})
	if turn.Usage != (run.Usage{LLMCalls: 1}) {
		t.Errorf("without a price: %+v", turn.Usage)
	}
	turn, _ = think(t, chat.model(t, s.URL, func(_ *definition.LLM, o *llm.Options) {
		o.Prices = map[string]definition.Price{"test-1": {In: 1_000_000_000, Out: 1_000_000_000}}
	}), port.TurnRequest{Input: json.RawMessage(`"some words"`)})
	if u := turn.Usage; u.TokensIn < 50 || u.TokensOut < 5 || u.CostUSD != quantity.Money(1000*(u.TokensIn+u.TokensOut)) {
		t.Errorf("with a price: %+v", u)
	}
}

func TestSlowStreams(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		stuck := func(w http.ResponseWriter, r *http.Request) {
			says(d.begin, d.text("half"))(w, r)
			<-r.Context().Done()
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := d.model(t, serve(t, stuck).URL).Think(ctx, port.TurnRequest{}, func(port.Progress) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		for most := 100 * time.Millisecond; ; most *= 2 { // a busy machine may not get to the first words in time
			_, f := think(t, d.model(t, serve(t, stuck).URL, within(most)), port.TurnRequest{})
			if f.Usage.LLMCalls == 0 && most < time.Minute {
				continue
			}
			if f.Code != "timeout" || !f.Transient || f.Usage.LLMCalls != 1 {
				t.Errorf("too slow: %+v", f)
			}
			break
		}
		silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		if _, f := think(t, d.model(t, serve(t, silent).URL, within(100*time.Millisecond)),
			port.TurnRequest{}); f.Code != "timeout" || !f.Transient || f.Usage.LLMCalls != 0 {
			t.Errorf("no answer: %+v", f)
		}
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := d.model(t, serve(t, silent).URL).Think(short, port.TurnRequest{}, nil); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("the caller's deadline: %v", err)
		}
	})
}

func TestHugeAnswers(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		words := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			piece := []byte(d.text(strings.Repeat("x", 1<<20)))
			_, _ = w.Write([]byte(d.begin))
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}
		if _, f := think(t, d.model(t, serve(t, words).URL), port.TurnRequest{}); f.Code != "too_large" || f.Transient {
			t.Errorf("words: %+v", f)
		}
		envelopes := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			piece := []byte(": " + strings.Repeat("x", 1<<20) + "\n")
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}
		if _, f := think(t, d.model(t, serve(t, envelopes).URL), port.TurnRequest{}); f.Code != "too_large" || f.Transient {
			t.Errorf("envelopes: %+v", f)
		}
	})
}

func TestSlowListener(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		var pieces []string
		for i := range 200 {
			pieces = append(pieces, d.text(fmt.Sprintf("%d ", i)))
		}
		s := serve(t, says(d.whole(pieces...)...))
		var told []string
		turn, err := d.model(t, s.URL).Think(t.Context(), port.TurnRequest{}, func(p port.Progress) {
			time.Sleep(100 * time.Millisecond)
			told = append(told, p.Text)
		})
		if err != nil || strings.TrimSpace(strings.Join(told, "")) != turn.Text || len(told) > 100 {
			t.Errorf("%v: %d pieces: %q", err, len(told), told)
		}
	})
}

// A listener that hangs loses its words, not the turn.
func TestHangingListener(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, says(d.whole(d.text("hello"))...))
		free := make(chan struct{})
		defer close(free)
		turn, err := d.model(t, s.URL).Think(t.Context(), port.TurnRequest{}, func(port.Progress) { <-free })
		if err != nil || turn.Text != "hello" {
			t.Errorf("%+v %v", turn, err)
		}
	})
}

func TestThoughtsAreNoAnswer(t *testing.T) {
	s := serve(t, says(chat.whole(chat.text("<think>is {it} so?</think>"), chat.text(`\n\n{\"a\":1}`))...))
	turn, f := think(t, chat.model(t, s.URL), port.TurnRequest{Output: json.RawMessage(`{"type":"object"}`)})
	if string(turn.Output) != `{"a":1}` {
		t.Errorf("%+v %+v", turn, f)
	}
}
