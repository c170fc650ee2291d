package llm_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

func TestMain(m *testing.M) {
	// Keys and addresses in the environment must not matter.
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"} {
		_ = os.Setenv(name, "of-the-environment")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		_ = os.Setenv(name, "http://127.0.0.1:1")
	}
	steady.Main(m)
}

const theKey = "sk-sesame-0123456789abcdef"

func secret(t testing.TB, s string) definition.Secret {
	t.Helper()
	out, err := definition.ParseSecret(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lookup(r definition.Reference) (string, error) {
	if r.Name == "KEY" {
		return theKey + "\n", nil
	}
	return "", errors.New("not set")
}

// server records its requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	bodies   []string
	requests []*http.Request
}

func serve(t testing.TB, h http.HandlerFunc) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies, s.requests = append(s.bodies, string(body)), append(s.requests, r)
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies
}

// model is a model of a dialect at a server.
func (d dialect) model(t testing.TB, url string, change ...func(*definition.LLM, *llm.Options)) *llm.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	doc := definition.LLM{Provider: d.provider, BaseURL: url, Model: "test-1", APIKey: secret(t, "${env:KEY}")}
	o := llm.Options{Lookup: lookup, Transport: transport}
	for _, c := range change {
		c(&doc, &o)
	}
	m, err := llm.New(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func think(t testing.TB, m *llm.Model, th port.TurnRequest) (run.Turn, run.Failure) {
	t.Helper()
	turn, err := m.Think(t.Context(), th, func(port.Progress) {})
	if err != nil {
		return turn, port.FailureOf(err)
	}
	return turn, run.Failure{}
}

// dialect is how a provider's server responds.
type dialect struct {
	provider definition.Provider
	path     string
	begin    string
	text     func(raw string) string // raw: the inside of a JSON string
	call     func(at int, id, name string) string
	args     func(at int, raw string) string
	stop     func(reason string) string // "" is a regular end
	usage    string                     // 12 in, 3 out
	end      string
}

const chunk = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"unknown\":{\"x\":1},\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n"

var chat = dialect{
	provider: definition.OpenAI, path: "/chat/completions",
	begin: fmt.Sprintf(chunk, `{"role":"assistant","content":null,"refusal":null}`, "null"),
	text:  func(raw string) string { return fmt.Sprintf(chunk, `{"content":"`+raw+`"}`, "null") },
	call: func(at int, id, name string) string {
		return fmt.Sprintf(chunk, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, at, id, name), "null")
	},
	args: func(at int, raw string) string {
		return fmt.Sprintf(chunk, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"%s"}}]}`, at, raw), "null")
	},
	stop: func(reason string) string {
		return fmt.Sprintf(chunk, "{}", `"`+map[string]string{"": "stop", "length": "length",
			"content_filter": "content_filter"}[reason]+`"`)
	},
	usage: "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3,\"total_tokens\":15,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n",
	end:   "data: [DONE]\n\n",
}

func event(kind, data string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, data)
}

var messages = dialect{
	provider: definition.Anthropic, path: "/v1/messages",
	begin: event("message_start", `"message":{"id":"m","type":"message","role":"assistant","content":[],"model":"test-1","unknown":7,"stop_reason":null,"usage":{"input_tokens":8,"cache_read_input_tokens":4,"output_tokens":1}}`) +
		event("ping", `"x":1`) + event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
	text: func(raw string) string {
		return event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"`+raw+`"}`)
	},
	call: func(at int, id, name string) string {
		return event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}`, at+1, id, name))
	},
	args: func(at int, raw string) string {
		return event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}`,
			at+1, raw))
	},
	stop: func(reason string) string {
		return event("message_delta", `"delta":{"stop_reason":"`+
			map[string]string{"": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[reason]+
			`"},"usage":{"output_tokens":3}`)
	},
	end: event("message_stop", `"x":1`),
}

// both runs a test for both providers.
func both(t *testing.T, f func(t *testing.T, d dialect)) {
	for name, d := range map[string]dialect{"openai": chat, "anthropic": messages} {
		t.Run(name, func(t *testing.T) { f(t, d) })
	}
}

// says is a handler that streams pieces.
func says(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			_, _ = io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

// whole is a complete response around some parts.
func (d dialect) whole(pieces ...string) []string {
	return append(append([]string{d.begin}, pieces...), d.stop(""), d.usage, d.end)
}

func heard() (func(port.Progress), func() string) {
	var mu sync.Mutex
	var b strings.Builder
	return func(p port.Progress) { mu.Lock(); b.WriteString(p.Text); mu.Unlock() },
		func() string { mu.Lock(); defer mu.Unlock(); return b.String() }
}

func within(d time.Duration) func(*definition.LLM, *llm.Options) {
	return func(doc *definition.LLM, _ *llm.Options) { doc.Timeout = quantity.Of(d) }
}
