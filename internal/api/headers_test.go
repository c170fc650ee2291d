package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/web"
)

// hardened checks what holds for every answer there is.
func hardened(t *testing.T, what string, h http.Header, status int) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
		"Strict-Transport-Security": "max-age=31536000",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %s is %q", what, name, got)
		}
	}
	for _, name := range []string{"Referrer-Policy", "Permissions-Policy", "Cross-Origin-Resource-Policy",
		"X-Request-Id", "X-Frame-Options"} {
		if h.Get(name) == "" {
			t.Errorf("%s: no %s", what, name)
		}
	}
	policy := h.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors ") ||
		strings.Contains(policy, "unsafe-eval") {
		t.Errorf("%s: Content-Security-Policy is %q", what, policy)
	}
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: %s", what, name)
		}
	}
	if cache := h.Get("Cache-Control"); cache == "" || status >= 400 && cache != "no-store" {
		t.Errorf("%s: Cache-Control is %q", what, cache)
	}
}

// TestEveryAnswerIsHardened asks every operation of the document, good and bad,
// and the pages, and looks at the headers of whatever comes back.
func TestEveryAnswerIsHardened(t *testing.T) {
	public, _ := url.Parse("https://assent.example.com")
	d := office(t, Options{PublicURL: public, Web: web.Handler()})
	ann := d.signIn("ann", annPassword)
	ask := func(what, method, path, body string, headers ...string) (http.Header, int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, d.http.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		hardened(t, what, res.Header, res.StatusCode)
		return res.Header, res.StatusCode
	}
	fill := strings.NewReplacer("{name}", "ask", "{id}", "nothing", "{n}", "1", "{version}", "1", "{step}", "draft",
		"{from}", "1", "{to}", "2", "{delivery}", "hook_x", "{token}", "x")
	for _, op := range operations() {
		if op.ID == "openSocket" || op.ID == "signOut" {
			continue
		}
		path := fill.Replace(op.Path)
		if strings.Contains(path, "{") {
			t.Fatalf("%s: fill in %s", op.ID, path)
		}
		h, status := ask(op.ID, op.Method, path, op.Example, ann...)
		if status < 300 && !op.Public && !strings.Contains(h.Get("Cache-Control"), "no-store") &&
			!strings.HasPrefix(h.Get("Cache-Control"), "private") {
			t.Errorf("%s: others may keep it: %s", op.ID, h.Get("Cache-Control"))
		}
		if !op.Public {
			if _, status := ask(op.ID+" by nobody", op.Method, path, op.Example); status != 401 {
				t.Errorf("%s by nobody: %d", op.ID, status)
			}
		}
		if _, status := ask(op.ID+" by TRACE", "TRACE", path, ""); status != 405 {
			t.Errorf("%s by TRACE: %d", op.ID, status)
		}
		if op.Method != "GET" && op.Method != "HEAD" {
			if _, status := ask(op.ID+" of another site", op.Method, path, op.Example,
				append(ann, "Origin", "https://evil.example")...); status != 403 {
				t.Errorf("%s of another site: %d", op.ID, status)
			}
		}
	}
	for _, path := range []string{"/", "/inbox", "/nothing.js", "/assets/nothing.js", "/api", "/api/v2",
		"/..%2f..%2fetc/passwd", "/%00", "/assets/..%5c..%5cassent.yaml", "/api/v1/../../x", "//evil.example/"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PURGE"} {
			if _, status := ask(method+" "+path, method, path, ""); status >= 500 || status >= 300 && status < 400 {
				t.Errorf("%s %s: %d", method, path, status)
			}
		}
	}
}

// TestEveryBodyIsBounded sends every operation that takes a body too much of it.
func TestEveryBodyIsBounded(t *testing.T) {
	d := open(t, Options{})
	fill := strings.NewReplacer("{name}", "ask", "{id}", "nothing", "{n}", "1", "{version}", "1", "{step}", "draft")
	for _, op := range operations() {
		if op.Method == "GET" {
			continue
		}
		most := bodyMax
		if op.Forgets {
			most = passwordBodyMax
		}
		if op.Hook {
			most = trigger.BodyMax
		}
		for _, told := range []bool{true, false} {
			r := httptest.NewRequest(op.Method, "http://localhost"+fill.Replace(op.Path),
				io.LimitReader(spaces{}, int64(most)+1))
			if r.ContentLength = -1; told {
				r.ContentLength = int64(most) + 1
			}
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			d.api.ServeHTTP(w, r)
			if w.Code != http.StatusRequestEntityTooLarge {
				t.Errorf("%s (told: %v): %d", op.ID, told, w.Code)
			}
		}
	}
	// Bombs: nothing is unpacked, and what is deep is refused before it is read.
	d.send("POST", base+"/runs", "\x1f\x8b", "Content-Encoding", "gzip").refused(415, "unsupported")
	d.send("POST", base+"/runs", "--x\r\n\r\n--x--", "Content-Type",
		"multipart/form-data; boundary=x").refused(415, "unsupported")
	deep := `{"workflow":"ask","input":` + strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_001)
	if a := d.send("POST", base+"/runs", deep); a.status != 400 && a.status != 422 {
		t.Errorf("200,000 levels: %d", a.status)
	}
}

type spaces struct{}

func (spaces) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// slowly opens a connection, writes something and says how it ends.
func slowly(t *testing.T, address, text string) (status string, closed bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	status, _, _ = strings.Cut(string(all), "\r\n")
	return status, err == nil || !strings.Contains(err.Error(), "timeout")
}

// Whoever says that a body comes and does not send it is not waited for, whether
// or not somebody wants to read it.
func TestSlowBodies(t *testing.T) {
	d := open(t, Options{})
	d.api.pace.body = 50 * time.Millisecond
	address := strings.TrimPrefix(d.http.URL, "http://")
	head := "POST " + base + "/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
		"application/json\r\nContent-Length: 100\r\n"
	if status, closed := slowly(t, address, head+"\r\n{"); !closed || !strings.Contains(status, "400") {
		t.Errorf("%q, closed: %v", status, closed)
	}
	if status, closed := slowly(t, address, head+"Origin: https://evil.example\r\n\r\n{"); !closed ||
		!strings.Contains(status, "403") {
		t.Errorf("refused before it was read: %q, closed: %v", status, closed)
	}
	if status, closed := slowly(t, address,
		"GET "+base+"/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"); !closed ||
		!strings.Contains(status, "200") {
		t.Errorf("a body that nobody expects: %q, closed: %v", status, closed)
	}
	if status, closed := slowly(t, address,
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: "+
			"localhost\r\nConnection: close\r\n\r\n"); !closed || !strings.Contains(status, "200") {
		t.Errorf("%q, closed: %v", status, closed)
	}
}

// A client that does not read its answer is dropped, and its slot is free again.
func TestSlowReaders(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	s := &http.Server{ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := record.New(w, r)
			rec.Patience = 50 * time.Millisecond
			_, err := rec.Write(bytes.Repeat([]byte("x"), 64<<20))
			ended <- err
		})}
	go s.Serve(l) //nolint:errcheck // it ends with the test
	defer s.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := bufio.NewReader(conn).ReadByte(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("64 MiB were taken by nobody")
		}
	case <-time.After(2 * time.Minute):
		t.Error("somebody who does not read is waited for")
	}
}
