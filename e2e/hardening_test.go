package e2e

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// raw sends text over its own connection and returns the response until the server closes it.
func (s *server) raw(text string) (string, error) {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	return string(all), err
}

// DNS rebinding: a page of another site whose name resolves to this machine gets nothing.
func TestForeignHosts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/", "/api/v1/runs", "/healthz", "/-/check"} {
		said, err := s.raw("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
		if err != nil || !strings.HasPrefix(said, "HTTP/1.1 403 ") {
			t.Errorf("%s: %v %s", path, err, said)
		}
	}
	if said, err := s.raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + strings.Repeat("x", 100<<10) +
		"\r\n\r\n"); !strings.HasPrefix(said, "HTTP/1.1 431 ") {
		t.Errorf("large headers: %v %.100s", err, said)
	}
}

// A client that sends one header per minute does not keep its connection for long.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if said, err := s.raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow"); err != nil {
		t.Errorf("%v %q", err, said)
	}
}

// Limits apply per identity, and others are not affected.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := office(t, "--rate-limit", "5")
	ann, bob := s.signIn("ann", annPassword), s.signIn("bob", bobPassword)
	answers := make([]answer, 200)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i], _ = s.try("GET", "/me", nil, cookie(ann)) })
	}
	all.Wait()
	limited := slices.IndexFunc(answers, func(a answer) bool { return a.status == 429 })
	if limited < 0 {
		t.Fatal("200 requests at once, at 5 a second")
	}
	if a := answers[limited].problem(429, "rate_limited"); a.header.Get("Retry-After") == "" {
		t.Errorf("%v", a.header)
	}
	s.call("GET", "/me", nil, cookie(bob)).want(200)
}

// People manage their own sessions and tokens.
func TestOwnPasswordSessionsAndTokens(t *testing.T) {
	t.Parallel()
	const next = "seven wooden clouds again"
	s := office(t)
	ann, bob, other := s.signIn("ann", annPassword), s.signIn("bob", bobPassword), s.signIn("bob", bobPassword)
	list := s.call("GET", "/me/sessions", nil, cookie(bob)).want(200)
	if list.count("items") != 2 {
		t.Fatalf("%s", list.body)
	}
	id := list.text("items.0.id")
	if list.get("items.0.current") == true {
		id = list.text("items.1.id")
	}
	s.call("DELETE", "/me/sessions/"+id, nil, cookie(bob)).want(200)
	s.call("GET", "/me", nil, cookie(other)).problem(401, "unauthenticated")
	token := s.call("POST", "/tokens", map[string]any{"name": "bob", "kind": "person", "roles": []string{"approver"}},
		cookie(ann)).want(201)
	if mine := s.call("GET", "/me/tokens", nil, cookie(bob)).want(200); mine.count("items") != 1 {
		t.Errorf("%s", mine.body)
	}
	s.call("DELETE", "/me/tokens/"+token.text("id"), nil, cookie(bob)).want(200)
	s.call("GET", "/me", nil, bearer(token.text("secret"))).problem(401, "unauthenticated")
	s.call("POST", "/me/password", map[string]string{"old": annPassword, "new": next},
		cookie(bob)).problem(403, "forbidden")
	s.call("POST", "/me/password", map[string]string{"old": bobPassword, "new": next}, cookie(bob)).want(200)
	s.call("GET", "/me", nil, cookie(bob)).problem(401, "unauthenticated")
	s.signIn("bob", next)
	if _, errs, err := s.command(annPassword+"\n"+bobPassword+"\n", "auth", "passwd", "bob",
		"--password-stdin"); err == nil {
		t.Errorf("a wrong old password: %s", errs)
	}
	s.must(next+"\n"+bobPassword+"\n", "auth", "passwd", "bob", "--password-stdin")
	s.signIn("bob", bobPassword)
	s.call("GET", "/subjects", nil, cookie(ann)).want(200)
	s.call("DELETE", "/subjects/nobody", nil, cookie(ann)).problem(404, "not_found")
	s.must("", "auth", "subject", "list")
}
