package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + "/mcp"
}

// shake answers everything before the first call, and leaves the rest to then.
func shake(then func(w http.ResponseWriter, r *http.Request, id string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(body, &m)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case m.Method == "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[`+oneTool+`]}}`, m.ID)
		case m.Method == "tools/call":
			then(w, r, string(m.ID))
		case len(m.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		}
	}
}

func overHTTP(t *testing.T, url string) *definition.MCPServer {
	return &definition.MCPServer{Name: "x", URL: url, Timeout: within(time.Minute),
		Headers: map[string]definition.Secret{"Authorization": secret(t, "Bearer ${env:KEY}")}}
}

func TestHostileHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		then      func(w http.ResponseWriter, r *http.Request, id string)
		code      string
		transient bool
		says      string
	}{
		"refused": {func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Error(w, "you sent "+r.Header.Get("Authorization"), http.StatusForbidden)
		}, "http", false, "403 Forbidden"},
		"busy": {func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, "http", true, "503"},
		"long": {func(w http.ResponseWriter, _ *http.Request, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
			for range 20 {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
					return
				}
			}
		}, "broken", true, "did not answer"},
		"not JSON": {func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, "hello") }, "broken",
			true, "did not answer"},
		"HTML": {func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<h1>hello</h1>")
		}, "broken", true, "text/html"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "broken", true, "did not answer"},
		"away": {func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, "http://example.com/mcp", http.StatusTemporaryRedirect)
		}, outbound.Redirected, false, "another host"},
		"long event": {func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 40 {
				if _, err := fmt.Fprintf(w, "data: %s\n", strings.Repeat("x", 1<<20)); err != nil {
					return
				}
			}
		}, "broken", true, "did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, mcp.Options{}).Use(overHTTP(t, serve(t, shake(c.then))))
			f := fails(t, s, "do", `{}`)
			if f.Code != c.code || f.Transient != c.transient || !strings.Contains(f.Message, c.says) ||
				strings.Contains(fmt.Sprintf("%+v", f), "sesame") {
				t.Errorf("%+v", f)
			}
			if name == "busy" && f.RetryAfter.Std() != 7*time.Second {
				t.Errorf("wait %s", f.RetryAfter)
			}
		})
	}
}

func TestHTTPCannotConnect(t *testing.T) {
	for name, c := range map[string]struct {
		url, code string
		transient bool
	}{
		"401": {serve(t, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "who are you?",
				http.StatusUnauthorized)
		}), "http", false},
		"500":        {serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), "http", true},
		"not MCP":    {serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }), "handshake", true},
		"nobody":     {"http://127.0.0.1:1/mcp", outbound.Unreachable, true},
		"private":    {"http://10.0.0.1/mcp", outbound.Forbidden, false},
		"link-local": {"http://169.254.169.254/mcp", outbound.Forbidden, false},
		"no url":     {"ftp://example.com", "invalid_request", false},
	} {
		t.Run(name, func(t *testing.T) {
			if f := fails(t, open(t, mcp.Options{}).Use(overHTTP(t, c.url)), "do", `{}`); f.Code != c.code ||
				f.Transient != c.transient {
				t.Errorf("%+v", f)
			}
		})
	}
	p := open(t, mcp.Options{Client: outbound.New(outbound.Options{})})
	if f := fails(t, p.Use(overHTTP(t, serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))),
		"do", `{}`); f.Code != outbound.Forbidden {
		t.Errorf("loopback: %+v", f)
	}
}

// TestLateStream: a server that never sends the headers of its notification stream.
func TestLateStream(t *testing.T) {
	t.Parallel()
	answer := shake(func(w http.ResponseWriter, r *http.Request, id string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id,
			r.Header.Get("X-Plain"))
	})
	doc := overHTTP(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		answer(w, r)
	}))
	doc.Headers["X-Plain"] = secret(t, "swordfish")
	if got := text(t, call(t, open(t, mcp.Options{}).Use(doc), "do", `{}`)); got != "***" {
		t.Errorf("%q", got)
	}
}

// goServer is a server built with the same library, for features the others lack.
func goServer(t *testing.T, stateless bool) (*sdk.Server, string) {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	forget(t, s)
	add(s, "do", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: stateless})
	return s, serve(t, h.ServeHTTP)
}

// forget drops a local server's sessions at the end of the test.
func forget(t *testing.T, s *sdk.Server) {
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
}

func add(s *sdk.Server, name string, h sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
}

func TestListChangedByGoServer(t *testing.T) {
	server, url := goServer(t, false)
	s := open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "x", URL: url})
	if got := names(t, s); len(got) != 1 {
		t.Fatal(got)
	}
	add(server, "more", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	eventually(t, "the new tool", func() bool { return slices.Contains(names(t, s), "more") })
	server.RemoveTools("do")
	eventually(t, "the old tool is gone", func() bool { return !slices.Contains(names(t, s), "do") })
}

// TestForgottenSession: a server restarted at the same address.
func TestForgottenSession(t *testing.T) {
	var calls atomic.Int64
	fresh := func() http.Handler {
		s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
		forget(t, s)
		add(s, "do", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			calls.Add(1)
			key, _ := req.Params.GetMeta()["assent.run/idempotency-key"].(string)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: key + string(req.Params.Arguments)}}}, nil
		})
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	var now atomic.Value
	now.Store(fresh())
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { now.Load().(http.Handler).ServeHTTP(w, r) })
	s := open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "x", URL: url})
	for range 2 {
		if got := text(t, call(t, s, "do", `{"n":9007199254740993}`)); got != `run_1/call/s#1{"n":9007199254740993}` {
			t.Errorf("%q", got)
		}
		now.Store(fresh())
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	_, url := goServer(t, false)
	s := open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "x", URL: url})
	errs := make(chan error, 50)
	for range cap(errs) {
		go func() {
			r, err := s.Call(soon(t), "do", work(`{}`), func(port.Progress) {})
			if err == nil && string(r.Output) != `{"text":"done"}` {
				err = fmt.Errorf("%s %s", r.Output, r.Error)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
