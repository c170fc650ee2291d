package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/cli/client"
)

// bridgeTo connects to a server with scripted answers.
func bridgeTo(t *testing.T, answer http.HandlerFunc) (b *bridge, out, errs *strings.Builder) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	out, errs = &strings.Builder{}, &strings.Builder{}
	b = &bridge{server: client.New(s.URL, client.As{Token: "secret"}, nil), out: out, errors: errs,
		open: map[string]context.CancelFunc{}, slots: make(chan struct{}, bridgeAtOnce)}
	t.Cleanup(b.server.Close)
	return b, out, errs
}

// TestBridge: every line gets its answer on its own line, whatever it contains.
func TestBridge(t *testing.T) {
	b, out, errs := bridgeTo(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // an empty one has no case
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Idempotency-Key") != "" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		said := func(status int, kind, text string) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text) // the test reads it
		}
		switch text := string(body); {
		case strings.Contains(text, "initialize\""):
			said(200, "application/json", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`)
		case strings.Contains(text, "digits"):
			said(200, "application/json", "{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{\"n\":9007199254740993,\"version\":\""+
				r.Header.Get("Mcp-Protocol-Version")+"\"}}\n")
		case strings.Contains(text, "newer"):
			said(200, "application/json", `{"jsonrpc":"2.0","id":2,"result":"`+r.Header.Get("Mcp-Protocol-Version")+
				r.Header.Get("Mcp-Method")+r.Header.Get("Mcp-Name")+`"}`)
		case strings.Contains(text, "refused"):
			said(401, "application/problem+json",
				`{"title":"Authentication required","status":401,"code":"unauthenticated","detail":"the request has no valid credentials","hint":"sign in"}`)
		case strings.Contains(text, "page"):
			said(200, "text/html", "<html>")
		case strings.Contains(text, "told"):
			said(202, "", "")
		default:
			said(400, "application/problem+json", `{"status":400,"code":"invalid","detail":"the body is not JSON"}`)
		}
	})
	lines := strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"method":"digits"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"newer","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":"three","method":"refused"}`,
		`{"jsonrpc":"2.0","id":4,"method":"page"}`,
		`{"jsonrpc":"2.0","method":"told"}`, ``, `   `,
		`{"jsonrpc":"2.0","method":"refused"}`,
		`junk`,
		`"` + strings.Repeat("x", bridgeLineMax) + `"`,
		`{"jsonrpc":"2.0","id":1,"method":"digits"}`, // the last line has no newline
	}, "\n")
	if err := b.run(t.Context(), strings.NewReader(lines)); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	slices.Sort(got)
	want := []string{
		`{"jsonrpc":"2.0","id":"three","error":{"code":-32000,"message":"the request has no valid credentials (sign in)","data":{"title":"Authentication required","status":401,"code":"unauthenticated","detail":"the request has no valid credentials","hint":"sign in"}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,"version":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,"version":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":2,"result":"2026-07-28tools/callnewer"}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"unexpected response (is this an Assent server?)"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"a message is larger than 16 MiB"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the body is not JSON","data":{"title":"","status":400,"code":"invalid","detail":"the body is not JSON"}}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if errs.String() != "assent mcp: refused: the request has no valid credentials\n" {
		t.Errorf("%q", errs)
	}
}

// TestBridgeWithdraws: the server is told about a cancelled call.
func TestBridgeWithdraws(t *testing.T) {
	began, gone := make(chan struct{}), make(chan struct{})
	b, out, _ := bridgeTo(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the disconnect is not noticed
		close(began)
		<-r.Context().Done()
		close(gone)
	})
	in, say := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.run(t.Context(), in) }()
	tell := func(line string) {
		if _, err := io.WriteString(say, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	tell(`{"jsonrpc":"2.0","id":"a","method":"tools/call"}`)
	soon(t, began)
	tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`)
	tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	soon(t, gone)
	if err := say.Close(); err != nil {
		t.Error(err)
	}
	if err := soon(t, ended); err != nil || out.Len() > 0 {
		t.Errorf("%v %q", err, out)
	}
}

// TestBridgeStops: a stopped bridge does not wait for another line.
func TestBridgeStops(t *testing.T) {
	b, _, _ := bridgeTo(t, nil)
	in, say := io.Pipe()
	defer say.Close() //nolint:errcheck // nothing reads it
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.run(ctx, in) }()
	stop()
	if err := soon(t, ended); err != nil {
		t.Error(err)
	}
}

// TestBridgeUnreachable: an unreachable server gets an answer as well.
func TestBridgeUnreachable(t *testing.T) {
	var out bytes.Buffer
	b := &bridge{server: client.New("http://127.0.0.1:1", client.As{}, nil), out: &out, errors: io.Discard,
		open: map[string]context.CancelFunc{}, slots: make(chan struct{}, 1)}
	if err := b.run(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no response from http://127.0.0.1:1:`) {
		t.Errorf("%s", &out)
	}
}

// TestBridgeAtOnce: many concurrent calls are answered, each with a complete line.
func TestBridgeAtOnce(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	b, out, _ := bridgeTo(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		body, _ := io.ReadAll(r.Body) // it is what was sent
		_, _ = w.Write(body)          // the test reads it
		mu.Lock()
		now--
		mu.Unlock()
	})
	line := `{"jsonrpc":"2.0","id":1,"pad":"` + strings.Repeat("x", 5_000) + `"}` + "\n"
	if err := b.run(t.Context(), strings.NewReader(strings.Repeat(line, 200))); err != nil {
		t.Fatal(err)
	}
	if out.String() != strings.Repeat(line, 200) || most > bridgeAtOnce {
		t.Errorf("%d bytes, %d at once", out.Len(), most)
	}
}

func soon[T any](t *testing.T, from chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing happens")
	}
	return v
}
