package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

func TestGuards(t *testing.T) {
	d := open(t, Options{})
	for _, host := range []string{"localhost", "localhost:80", "127.0.0.1:99", "[::1]:99",
		"assent.localhost", "127.9.9.9"} {
		d.get("/runs", "Host", host).want(200)
	}
	for _, host := range []string{"evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example:80"} {
		d.get("/runs", "Host", host).refused(403, "forbidden")
	}
	start := `{"workflow":"plain"}`
	d.post("/runs", start, "Origin", "https://evil.example").refused(403, "forbidden")
	d.post("/runs", start, "Sec-Fetch-Site", "cross-site").refused(403, "forbidden")
	d.post("/runs", start, "Origin", "null").refused(403, "forbidden")
	d.post("/runs", start, "Origin", d.http.URL).want(201)
	d.post("/runs", start, "Sec-Fetch-Site", "same-origin").want(201)
	a := d.get("/runs", "Origin", "https://evil.example").want(200)
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("%s", name)
		}
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"Cache-Control":           "no-store",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if o := d.send("OPTIONS", base+"/runs", "").want(204); o.header.Get("Allow") != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("%s", o.header)
	}
}

func TestWhoAsks(t *testing.T) {
	d := open(t, Options{})
	if me := into[contract.Me](d.get("/me").want(200)); me.Name != "admin" || !me.Local || len(me.Roles) != 1 {
		t.Errorf("%+v", me)
	}
	me := into[contract.Me](d.get("/me", as("ann@example.com", "a", " b ")...).want(200))
	if me.Name != "ann@example.com" || strings.Join(me.Roles, "+") != "a+b" || me.Kind != run.Person {
		t.Errorf("%+v", me)
	}
	if me := into[contract.Me](d.get("/me", headerUser, "bob").want(200)); me.Roles == nil || len(me.Roles) != 0 {
		t.Errorf("%+v", me)
	}
	d.get("/me", headerUser, strings.Repeat("x", 200)).refused(422, "invalid")
}

// doorman knows a few tokens.
type doorman struct{ port.Auth }

func (doorman) SignInMethods() port.SignInMethods { return port.SignInMethods{Password: true} }

func (doorman) Bearer(_ context.Context, token string) (port.Identity, error) {
	switch token {
	case "good":
		return port.Identity{Name: "cat", Kind: run.Person, Roles: []string{"approver"}, Method: port.ByToken}, nil
	case "gone":
		return port.Identity{}, fmt.Errorf("read sessions: %w", port.ErrUnavailable)
	case "barred":
		return port.Identity{}, fault.New(fault.Forbidden, "this account is closed", "")
	case "broken":
		return port.Identity{}, errors.New("the secret is xyzzy")
	}
	return port.Identity{}, fmt.Errorf("the secret is xyzzy: %w", fault.New(fault.Unauthenticated, "this is nobody", ""))
}

func TestWhoIsRefused(t *testing.T) {
	d := open(t, Options{Auth: doorman{}})
	for _, headers := range [][]string{nil, {"Authorization", "Bearer bad"}, {"Authorization", "Bearer"},
		{"Authorization", "Basic Z29vZA=="}, {"Cookie", "assent="}} {
		a := d.get("/runs", headers...)
		a.refused(401, "unauthenticated")
		if a.header.Get("WWW-Authenticate") == "" || strings.Contains(string(a.body), "xyzzy") ||
			!strings.Contains(string(a.body), `"sign_in":{"needed":true,"password":true,"oidc":null}`) {
			t.Errorf("%s %s", a.header, a.body)
		}
	}
	good := []string{"Authorization", "bearer  good"}
	if me := into[contract.Me](d.get("/me", append(good, "Host", "assent.example.com")...).want(200)); me.Name != "cat" ||
		me.Local || me.Method != port.ByToken {
		t.Errorf("%+v", me)
	}
	d.get("/me", append(good, as("root", "admin")...)...).refused(403, "forbidden")
	d.get("/me", as("root", "admin")...).refused(403, "forbidden")
	d.get("/me", "Authorization", "Bearer gone").refused(503, "unavailable")
	d.get("/me", "Authorization", "Bearer barred").refused(403, "forbidden")
	if a := d.get("/me", "Authorization", "Bearer broken"); a.refused(500, "internal").Detail == "" ||
		strings.Contains(string(a.body), "xyzzy") {
		t.Errorf("%s", a.body)
	}
	d.send("GET", "/healthz", "").want(200)
	d.send("GET", "/readyz", "").want(200)
	d.get("/openapi.json").want(200)
	d.get("/sign-in").want(200)
}

func TestLogs(t *testing.T) {
	d := open(t, Options{})
	a := d.post("/runs", `{"workflow":"plain","input":{"password":"hunter2"}}`,
		append(as("ann", "approver"), "X-Request-Id", "req-1", "Authorization", "Basic hunter3", "Cookie", "s=hunter4",
			"Idempotency-Key", "hunter5")...).want(201)
	if a.header.Get("X-Request-Id") != "req-1" {
		t.Errorf("%s", a.header)
	}
	b := d.get("/runs?label=secret:hunter6", "X-Request-Id", "bad id\"")
	if id := b.header.Get("X-Request-Id"); id == "" || strings.Contains(id, " ") {
		t.Errorf("%q", id)
	}
	d.get("/runs/hunter7")
	log := d.log.String()
	if strings.Contains(log, "hunter") {
		t.Errorf("%s", log)
	}
	var entry struct {
		Method, Route, Who string
		Status             int
		RequestID          string `json:"request_id"`
		Bytes              int64
	}
	if err := json.Unmarshal([]byte(strings.SplitN(log, "\n", 2)[0]), &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Method != "POST" || entry.Route != base+"/runs" || entry.Who != "ann" || entry.Status != 201 ||
		entry.RequestID != "req-1" || entry.Bytes == 0 {
		t.Errorf("%+v", entry)
	}
	m := string(d.send("GET", "/metrics", "").want(200).body)
	for _, want := range []string{
		`assent_http_requests_total{method="POST",route="/api/v1/runs",status="201"} 1`,
		`assent_http_request_seconds_count{method="GET",route="/api/v1/runs/{id}"} 1`,
		"assent_feed_head ", "assent_leader 1", "assent_unsound_runs 0",
	} {
		if !strings.Contains(m, want) {
			t.Errorf("%s is not in %s", want, m)
		}
	}
}

func TestPanics(t *testing.T) {
	d := open(t, Options{Web: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			_, _ = w.Write([]byte("half"))
		}
		panic("the secret is xyzzy")
	})})
	a := d.send("GET", "/now", "", "X-Request-Id", "req-9")
	a.refused(500, "internal")
	if strings.Contains(string(a.body), "xyzzy") || strings.Contains(string(a.body), ".go:") {
		t.Errorf("%s", a.body)
	}
	if log := d.log.String(); !strings.Contains(log, "req-9") || !strings.Contains(log, "xyzzy") ||
		!strings.Contains(log, "goroutine") {
		t.Errorf("%s", log)
	}
	// Half an answer must not look like a whole one.
	res, err := d.http.Client().Get(d.http.URL + "/late")
	if err == nil {
		defer res.Body.Close()
		_, err = io.ReadAll(res.Body)
	}
	if err == nil {
		t.Error("half an answer looks whole")
	}
}

func TestPages(t *testing.T) {
	d := open(t, Options{})
	for path, says := range map[string]string{"/": "/api/v1/docs",
		base + "/docs": "POST /api/v1/approvals/{id}/decisions"} {
		a := d.send("GET", path, "").want(200)
		body := string(a.body)
		if !strings.Contains(body, says) || strings.Contains(body, "<script") || strings.Contains(body, "https://") {
			t.Errorf("%s: %s", path, body)
		}
		// The policy allows the style as it was sent, to the byte.
		style := body[strings.Index(body, "<style>")+len("<style>") : strings.Index(body, "</style>")]
		sum := sha256.Sum256([]byte(style))
		allowed := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if style == "" || !strings.Contains(a.header.Get("Content-Security-Policy"), allowed) {
			t.Errorf("%q", style)
		}
	}
	d.send("POST", "/", "").refused(404, "not_found")
	web := New(d.parts.App, Options{Web: http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		_, _ = w.Write([]byte("UI"))
	})})
	for path, want := range map[string]int{"/": 200, "/inbox/x": 200, "/api/x": 404, "/api": 404} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		web.ServeHTTP(w, r)
		if w.Code != want || want == 200 && w.Header().Get("Content-Security-Policy") != "" {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestWithoutTheStore(t *testing.T) {
	d := open(t, Options{})
	if err := d.parts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	d.send("GET", "/readyz", "").refused(503, "unavailable")
	d.get("/runs").refused(503, "unavailable")
	d.post("/runs", `{"workflow":"plain"}`, "Idempotency-Key", "k").refused(503, "unavailable")
	d.send("GET", "/healthz", "").want(200)
}
