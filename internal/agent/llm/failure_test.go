package llm_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func atNoon(_ *definition.LLM, o *llm.Options) { o.Now = func() time.Time { return noon } }

func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestStatuses(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		for _, c := range []struct {
			status    int
			body      string
			headers   []string
			code      string
			transient bool
			after     time.Duration
			says      string
		}{
			{429, `{"error":{"message":"Rate limit reached","type":"requests"}}`, []string{"Retry-After", "7"}, "http_429",
				true, 7 * time.Second, "Rate limit reached"},
			{429, `{}`, []string{"Retry-After", "1.5"}, "http_429", true, 1500 * time.Millisecond, "429 Too Many Requests"},
			{429, `{}`, []string{"Retry-After", "Sun, 15 Nov 2026 12:02:00 GMT"}, "http_429", true, 2 * time.Minute, ""},
			{429, `{}`, []string{"Retry-After", "Sun, 15 Nov 2026 11:00:00 GMT"}, "http_429", true, 0, ""},
			{429, `{}`, []string{"Retry-After", "1e300"}, "http_429", true, 24 * time.Hour, ""},
			{429, `{}`, []string{"Retry-After", "NaN"}, "http_429", true, 0, ""},
			{429, `{}`, []string{"Retry-After-Ms", "250", "Retry-After", "9"}, "http_429", true, 250 * time.Millisecond, ""},
			{429, `{}`, []string{"X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Requests", "6m0s",
				"X-Ratelimit-Remaining-Tokens", "5", "X-Ratelimit-Reset-Tokens", "1h"}, "http_429", true, 6 * time.Minute, ""},
			{429, `{}`, []string{"Anthropic-Ratelimit-Tokens-Remaining", "0", "Anthropic-Ratelimit-Tokens-Reset",
				"2026-11-15T12:00:30Z"}, "http_429", true, 30 * time.Second, ""},
			{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
				[]string{"Retry-After", "7"}, "http_429", false, 0, "quota"},
			{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, nil, "http_529", true, 0,
				"529 overloaded: Overloaded"},
			{500, `oh no`, nil, "http_500", true, 0, "oh no"},
			{503, ``, []string{"Retry-After", "3"}, "http_503", true, 3 * time.Second, "503"},
			{408, ``, nil, "http_408", true, 0, ""},
			{409, ``, nil, "http_409", true, 0, ""},
			{400, `{"error":{"message":"bad schema","type":"invalid_request_error"}}`, nil, "http_400", false, 0, "bad schema"},
			{401, `{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}`, nil, "http_401", false, 0,
				"401 Unauthorized: Incorrect API key"},
			{403, `{"error":"no access"}`, nil, "http_403", false, 0, "no access"},
			{404, `{"detail":"Not Found"}`, nil, "http_404", false, 0, "Not Found"},
			{422, `{"message":"nope"}`, nil, "http_422", false, 0, "nope"},
			{204, ``, nil, "http_204", false, 0, ""},
			{200, `{"choices":[]}`, nil, "no_stream", false, 0, "base_url"},
			{400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`,
				nil, "context_length", false, 0, "8192"},
			{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, nil, "context_length", false, 0, ""},
		} {
			s := serve(t, answers(c.status, c.body, c.headers...))
			_, f := think(t, d.model(t, s.URL, atNoon), port.TurnRequest{})
			if f.Code != c.code || f.Transient != c.transient || f.RetryAfter.Std() != c.after ||
				!strings.Contains(f.Message, c.says) || f.Body != c.body {
				t.Errorf("%d %s %v: %+v", c.status, c.body, c.headers, f)
			}
			if f.Usage != (run.Usage{}) {
				t.Errorf("%d cost something: %+v", c.status, f.Usage)
			}
			if n := len(s.asked()); n != 1 {
				t.Errorf("%d was asked %d times: trying again is the core's", c.status, n)
			}
		}
	})
}

func TestErrorsInTheStream(t *testing.T) {
	for _, c := range []struct {
		d         dialect
		event     string
		code      string
		transient bool
	}{
		{messages, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", "broken_stream", true},
		{messages, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}\n\n", "broken_stream", false},
		{messages, "event: error\ndata: what is this\n\n", "broken_stream", true},
		{chat, "data: {\"error\":{\"message\":\"The server had an error\",\"type\":\"server_error\"}}\n\n",
			"broken_stream", true},
		{chat, "data: {\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}\n\n",
			"context_length", false},
		{chat, "data: {\"error\":\"out of memory\"}\n\n", "broken_stream", true},
		{chat, "data: {\"error\":{\"message\":\"blocked\",\"code\":\"content_filter\"}}\n\n", "broken_stream", false},
	} {
		turn, f := think(t, c.d.model(t, serve(t, says(c.d.begin, c.d.text("half"), c.event)).URL), port.TurnRequest{})
		if f.Code != c.code || f.Transient != c.transient || turn.Text != "" || f.Usage.LLMCalls != 1 || f.Body == "" {
			t.Errorf("%s: %+v", c.event, f)
		}
	}
}

// TestLearns: a provider with a smaller window than expected.
func TestLearns(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			answers(400, `{"error":{"message":"prompt is too long"}}`)(w, r)
		})
		m := d.model(t, s.URL)
		th := longThought(60, 400)
		for range 3 {
			if _, f := think(t, m, th); f.Code != "context_length" || !f.Transient {
				t.Fatalf("%+v", f)
			}
		}
		said := s.asked()
		for i := 1; i < len(said); i++ {
			if len(said[i]) >= len(said[i-1])*95/100 {
				t.Errorf("after %d bytes, which were too much, %d were sent", len(said[i-1]), len(said[i]))
			}
		}
		for range 20 { // until there is nothing left to leave out
			if _, f := think(t, m, th); !f.Transient {
				if f.Code != "context_length" || !strings.Contains(f.Message, "prompt is too long") {
					t.Errorf("%+v", f)
				}
				return
			}
		}
		t.Error("it never gives up")
	})
}

// A window that the provider names is used immediately.
func TestLearnsTheWindow(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		const window = 8192
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			answers(400, `{"error":{"message":"This model's maximum context length is 8192 tokens, gpt-4-0613 said","code":"context_length_exceeded"}}`)(w, r)
		})
		m := d.model(t, s.URL)
		_, _ = think(t, m, longThought(60, 400))
		_, _ = think(t, m, longThought(60, 400))
		if n := len(s.asked()[1]); n > 4*window || n < window {
			t.Errorf("%d bytes for a window of %d tokens", n, window)
		}
	})
}

func TestTooSmallAWindow(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
		m := d.model(t, s.URL, func(doc *definition.LLM, o *llm.Options) {
			doc.System = strings.Repeat("Be good. ", 1000)
			o.Window = func(string) int { return 2000 }
		})
		if _, f := think(t, m, port.TurnRequest{}); f.Code != "context_length" || f.Transient ||
			!strings.Contains(f.Message, "holds too little") {
			t.Errorf("%+v", f)
		}
	})
}

func TestRedirects(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") })
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusTemporaryRedirect)
		})
		if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Transient || f.Code != "redirect" {
			t.Errorf("to another host: %+v", f)
		}
		for _, status := range []int{301, 302, 303} {
			s = serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", status) })
			if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Transient || f.Code != "redirect" {
				t.Errorf("%d: %+v", status, f)
			}
		}
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/new") {
				http.Redirect(w, r, "/new"+r.URL.Path, http.StatusPermanentRedirect)
				return
			}
			says(d.whole(d.text("moved"))...)(w, r)
		})
		if turn, f := think(t, d.model(t, s.URL), port.TurnRequest{}); turn.Text != "moved" {
			t.Errorf("on the same host: %+v", f)
		}
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		})
		if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Transient || f.Code != "redirect" ||
			len(s.asked()) > 4 {
			t.Errorf("round and round: %+v", f)
		}
	})
}

func TestNoConnection(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := httptest.NewServer(nil)
		s.Close()
		if _, f := think(t, d.model(t, s.URL), port.TurnRequest{}); f.Code != "unreachable" || !f.Transient {
			t.Errorf("nobody is there: %+v", f)
		}
		secure := httptest.NewUnstartedServer(says(d.whole(d.text("hi"))...))
		secure.Config.ErrorLog = log.New(io.Discard, "", 0)
		secure.StartTLS()
		defer secure.Close()
		if _, f := think(t, d.model(t, secure.URL), port.TurnRequest{}); f.Code != "tls" || f.Transient {
			t.Errorf("a certificate of nobody we trust: %+v", f)
		}
		roots := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
		defer transport.CloseIdleConnections()
		if turn, f := think(t, d.model(t, secure.URL, func(_ *definition.LLM, o *llm.Options) { o.Transport = transport }),
			port.TurnRequest{}); turn.Text != "hi" {
			t.Errorf("the transport given: %+v", f)
		}
		guard := roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, outbound.Permanent(outbound.Forbidden, "10.0.0.1 is in a private network")
		})
		if _, f := think(t, d.model(t, "http://10.0.0.1", func(_ *definition.LLM, o *llm.Options) { o.Transport = guard }),
			port.TurnRequest{}); f.Code != "forbidden_address" || f.Transient {
			t.Errorf("a guarded transport: %+v", f)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNew(t *testing.T) {
	for _, c := range []struct {
		d    definition.LLM
		says string
	}{
		{definition.LLM{}, "has no model"},
		{definition.LLM{Provider: "acme", Model: "m"}, "acme"},
		{definition.LLM{Model: "m", BaseURL: "ftp://x"}, "base_url"},
		{definition.LLM{Model: "m", BaseURL: "http://u:hunter22hunter22@\x00"}, "base_url"},
		{definition.LLM{Model: "m", Headers: map[string]definition.Secret{"content-type": {}}}, "set by Assent"},
		{definition.LLM{Model: "m", Headers: map[string]definition.Secret{"a b": {}}}, "not a valid header name"},
	} {
		if _, err := llm.New(c.d, llm.Options{}); err == nil || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "hunter") {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
	if _, err := llm.New(definition.LLM{Model: "m"}, llm.Options{}); err != nil {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/messages") {
			says(messages.whole(messages.text("hi"))...)(w, r)
			return
		}
		says(chat.whole(chat.text("hi"))...)(w, r)
	})
	for i, c := range []struct {
		d          dialect
		base, want string
	}{
		{chat, "/v1", "/v1/chat/completions"},
		{chat, "/v1/", "/v1/chat/completions"},
		{chat, "/openai/deployments/mine?api-version=2024-10-21",
			"/openai/deployments/mine/chat/completions?api-version=2024-10-21"},
		{messages, "/", "/v1/messages"},
		{messages, "/v1/", "/v1/messages"},
		{messages, "/proxy?region=eu", "/proxy/v1/messages?region=eu"},
	} {
		if _, f := think(t, c.d.model(t, s.URL+c.base, func(d *definition.LLM, _ *llm.Options) {
			d.APIKey = definition.Secret{}
			d.Headers = map[string]definition.Secret{"api-key": secret(t, "${env:KEY}")}
		}), port.TurnRequest{}); f.Message != "" {
			t.Errorf("%s: %+v", c.base, f)
			continue
		}
		r := s.requests[i]
		if r.URL.String() != c.want || r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" ||
			r.Header.Get("Api-Key") != theKey {
			t.Errorf("%s: %s %v", c.base, r.URL, r.Header)
		}
	}
}

// longThought has n turns with two calls each, whose results have that many words.
func longThought(n, words int) port.TurnRequest {
	th := port.TurnRequest{
		Agent: "me", Input: json.RawMessage(`{"topic":"whales"}`), Tools: []port.ToolInfo{filesTool},
		Entries: []run.Entry{{Role: "user", Name: "ann", Text: "Leave the dolphins out."}},
	}
	for i := range n {
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		th.Entries = append(th.Entries,
			run.Entry{Role: "assistant", Name: "me", Text: fmt.Sprintf("Turn %d", i), Calls: []run.CallRef{
				{ID: a, Tool: filesTool.Name, Args: json.RawMessage(`{"path":"a"}`)},
				{ID: b, Tool: "gone/tool", Args: json.RawMessage(`{"n":1}`)}}},
			run.Entry{Role: "tool", Name: "gone/tool", CallID: b, Text: "no such thing", Failed: true},
			run.Entry{Role: "note", Text: fmt.Sprintf("note %d", i)},
			run.Entry{Role: "tool", Name: filesTool.Name, CallID: a,
				Output: json.RawMessage(`"` + strings.TrimSpace(strings.Repeat("word ", words)) + `"`)})
	}
	return th
}
