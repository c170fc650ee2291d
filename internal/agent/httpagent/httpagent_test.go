package httpagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/httpagent"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

func TestAgent(t *testing.T) {
	agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
		return ask(t, serve(t, behave(b)).URL, nil)
	})
}

// behave is a service with a given behaviour.
func behave(b agenttest.Behaviour) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
		case b.Hang:
			<-r.Context().Done()
		case b.Fail != "" && b.Transient:
			http.Error(w, b.Fail, http.StatusServiceUnavailable)
		case b.Fail != "":
			http.Error(w, b.Fail, http.StatusUnprocessableEntity)
		default:
			_, _ = w.Write(b.Answer(question))
		}
	}
}

func serve(t *testing.T, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

var local = httpagent.Options{AllowLoopback: true}

// caller closes with the test.
func caller(t *testing.T, o httpagent.Options) *httpagent.Caller {
	c := httpagent.NewCaller(o)
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, url string, headers map[string]definition.Secret) *httpagent.Agent {
	t.Helper()
	o := local
	o.Lookup = func(r definition.Reference) (string, error) {
		if r.Name == "MISSING" {
			return "", errors.New("not set")
		}
		return "sesame-" + r.Name, nil
	}
	o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	a, err := caller(t, o).Agent(definition.HTTP{URL: url, Headers: headers})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func invoke(t *testing.T, a port.Agent) (run.Result, run.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := a.Invoke(ctx, agenttest.Work(), func(port.Progress) {})
	if err == nil {
		return r, run.Failure{}
	}
	var f *port.Failed
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	return r, f.Failure
}

func TestRequest(t *testing.T) {
	a := ask(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{"output": fmt.Sprintln(r.Method, r.URL,
			r.ContentLength == int64(len(body)),
			r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), r.Header.Get("User-Agent"),
			r.Header.Get("X-Key") == "open sesame-A")})
	})).URL+"/mailer?x=1", map[string]definition.Secret{"x-key": secret(t, "open ${env:A}")})
	r, f := invoke(t, a)
	if want := `"POST /mailer?x=1 true run_1/step/fraud#0 application/json assent true\n"`; string(r.Output) != want {
		t.Errorf("%s, %+v", r.Output, f)
	}
}

func TestStatus(t *testing.T) {
	var status atomic.Int64
	var after atomic.Value
	after.Store("")
	a := ask(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if s := after.Load().(string); s != "" {
			w.Header().Set("Retry-After", s)
		}
		w.WriteHeader(int(status.Load()))
		if status.Load() != 204 && status.Load() != 304 {
			_, _ = w.Write([]byte(`{"output":1}`))
		}
	})).URL, nil)
	for _, c := range []struct {
		status    int
		after     string
		transient bool
		wait      time.Duration
	}{
		{201, "", false, 0}, {204, "", false, 0}, {304, "", false, 0}, {301, "", false, 0}, {400, "7", false, 0},
		{401, "", false, 0}, {404, "", false, 0}, {409, "", false, 0},
		{408, "", true, 0}, {429, "7", true, 7 * time.Second}, {500, "", true, 0},
		{503, "Fri, 02 Jan 2026 03:05:05 GMT", true, time.Minute},
		{503, "Fri, 02 Jan 2026 03:04:00 GMT", true, 0}, {503, "soon", true, 0}, {503, "-3", true, 0},
		{429, " 3 ", true, 3 * time.Second},
		{429, "99999999999999999999999", true, 24 * time.Hour},
		{502, "Fri, 02 Jan 2099 03:05:05 GMT", true, 24 * time.Hour}, {599, "", true, 0},
	} {
		status.Store(int64(c.status))
		after.Store(c.after)
		_, f := invoke(t, a)
		if f.Message == "" || f.Transient != c.transient || f.RetryAfter.Std() != c.wait ||
			f.Code != fmt.Sprintf("http_%d", c.status) {
			t.Errorf("%d, Retry-After %q: %+v", c.status, c.after, f)
		}
		if want := `{"output":1}`; c.status != 204 && c.status != 304 && f.Body != want {
			t.Errorf("%d: the body is %q", c.status, f.Body)
		}
	}
}

func TestErrorBodyIsBounded(t *testing.T) {
	a := ask(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		_, _ = w.Write([]byte("\xff\xfe" + strings.Repeat("é", 1<<20)))
	})).URL, nil)
	_, f := invoke(t, a)
	if len(f.Body) > 4<<10 || len(f.Body) < 4<<10-4 || !strings.HasPrefix(f.Body, "\ufffd") ||
		strings.ToValidUTF8(f.Body, "?") != f.Body {
		t.Errorf("the body has %d bytes: %.20q", len(f.Body), f.Body)
	}
}

func TestBrokenConnections(t *testing.T) {
	hijack := func(say string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, say)
				_ = conn.Close()
			}
		})).URL
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for name, url := range map[string]string{
		"nobody there": "http://user:hunter2@" + closed.Addr().String() + "/?token=hunter2",
		"hung up":      hijack(""),
		"not HTTP":     hijack("SSH-2.0-OpenSSH\r\n\r\n"),
		"cut off":      hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"output\":"),
		"headers": hijack("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) +
			"\r\nContent-Length: 12\r\n\r\n{\"output\":1}"),
		"no such name": "http://no-such-host.invalid/",
	} {
		_, f := invoke(t, ask(t, url, nil))
		if f.Code != "unreachable" || !f.Transient || strings.Contains(fmt.Sprintf("%+v", f), "hunter2") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestRedirects(t *testing.T) {
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{"output": fmt.Sprint(r.Method, " ", len(body) > 0, " ",
			r.Header.Get("Idempotency-Key") != "")})
	}
	mux.HandleFunc("/end", answer)
	for _, status := range []int{301, 302, 303, 307, 308} {
		mux.HandleFunc(fmt.Sprintf("/once/%d", status),
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/end", status) })
		mux.HandleFunc(fmt.Sprintf("/away/%d", status),
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
	}
	for i := range 5 {
		next := fmt.Sprintf("/hop/%d", i-1)
		if i == 0 {
			next = "/end"
		}
		mux.HandleFunc(fmt.Sprintf("/hop/%d", i),
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, next, 307) })
	}
	url := serve(t, mux).URL
	for path, want := range map[string]string{
		"/once/307": `"POST true true"`, "/once/308": `"POST true true"`, "/once/301": `"GET false true"`,
		"/once/302": `"GET false true"`, "/once/303": `"GET false true"`,
		"/hop/2": `"POST true true"`, "/hop/3": "", "/away/301": "", "/away/303": "", "/away/307": "", "/away/308": "",
	} {
		r, f := invoke(t, ask(t, url+path, nil))
		if string(r.Output) != want || want == "" && (f.Code != "redirect" || f.Transient) {
			t.Errorf("%s: %s, %+v", path, r.Output, f)
		}
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(behave(agenttest.Behaviour{Output: json.RawMessage(`1`)}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	a := ask(t, s.URL, nil)
	for range 20 {
		if _, f := invoke(t, a); f.Message != "" {
			t.Fatal(f.Message)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections were opened", n)
	}
}

func TestRefusedDefinitions(t *testing.T) {
	for _, d := range []definition.HTTP{
		{}, {URL: "mailer"}, {URL: "ftp://example.com"}, {URL: "http://"}, {URL: "http://user:hunter2@exa mple.com/"},
		{URL: "file:///etc/passwd"},
		{URL: "http://example.com", Headers: map[string]definition.Secret{"bad name": {}}},
		{URL: "http://example.com", Headers: map[string]definition.Secret{"": {}}},
		{URL: "http://example.com", Headers: map[string]definition.Secret{"idempotency-key": {}}},
		{URL: "http://example.com", Headers: map[string]definition.Secret{"host": {}}},
	} {
		if _, err := caller(t, local).Agent(d); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", d.URL, err)
		}
	}
}
