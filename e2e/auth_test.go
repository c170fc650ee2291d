package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/auth/authtest"
	"github.com/assent-run/assent/internal/steady"
)

const annPassword, bobPassword = "violet tram seventy lake", "copper kite morning pool"

// command runs a command of the binary on the data of a server.
func (s *server) command(stdin string, args ...string) (out, errs string, err error) {
	args = append(args, "--data", s.data())
	if db := slices.Index(s.args, "--db"); db >= 0 {
		args = append(args, "--db", s.args[db+1])
	}
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

func (s *server) must(stdin string, args ...string) string {
	s.t.Helper()
	out, errs, err := s.command(stdin, args...)
	if err != nil {
		s.t.Fatalf("assent %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// office is a server with accounts: ann is an administrator, bob an approver.
func office(t *testing.T, args ...string) *server {
	t.Helper()
	s := serve(t, append([]string{"--sign-in", "local", "--log-level", "debug"}, args...)...)
	s.says("auth add NAME --roles admin")
	s.must(annPassword+"\n", "auth", "add", "ann", "--roles", "admin", "--password-stdin")
	s.must(bobPassword, "auth", "add", "Bob", "--roles", "approver", "--password-stdin")
	return s
}

func cookie(text string) option { return header("Cookie", text) }

func bearer(token string) option { return header("Authorization", "Bearer "+token) }

// signIn returns the cookie of a new session.
func (s *server) signIn(name, password string) string {
	s.t.Helper()
	a := s.call("POST", "/sign-in", map[string]string{"name": name, "password": password}).want(200)
	text, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if !strings.HasPrefix(text, "assent=") || !strings.Contains(a.header.Get("Set-Cookie"), "HttpOnly") {
		s.t.Fatalf("%s", a.header)
	}
	return text
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	s := office(t)
	ways := s.call("GET", "/me", nil).problem(401, "unauthenticated")
	if ways.get("sign_in.password") != true || ways.get("sign_in.needed") != true ||
		s.call("GET", "/sign-in", nil).want(200).get("password") != true {
		t.Errorf("%s", ways.body)
	}
	s.call("GET", "/me", nil, as(ann)).problem(403, "forbidden") // the headers of local mode
	ann, bob := s.signIn("ann", annPassword), s.signIn("BOB", bobPassword)
	if me := s.call("GET", "/me", nil, cookie(bob)).want(200); me.text("name") != "bob" || me.text("way") != "password" ||
		me.get("local") != false || me.text("roles.0") != "approver" {
		t.Errorf("%s", me.body)
	}
	s.call("POST", "/sign-in", map[string]string{"name": "bob", "password": annPassword}).problem(401, "unauthenticated")
	s.call("POST", "/sign-out", nil, cookie(bob), header("Origin", "https://evil.example")).problem(403, "forbidden")

	// Sessions outlive a restart.
	s.stop()
	s.start()
	s.call("GET", "/me", nil, cookie(bob)).want(200)

	// Accounts are for administrators.
	s.call("GET", "/accounts", nil, cookie(bob)).problem(403, "forbidden")
	if list := s.call("GET", "/accounts", nil, cookie(ann)).want(200); list.count("items") != 2 ||
		strings.Contains(string(list.body), "argon2") {
		t.Errorf("%s", list.body)
	}
	s.call("PUT", "/accounts/cat", map[string]any{"password": "short"}, cookie(ann)).problem(422, "invalid")
	s.call("PUT", "/accounts/cat", map[string]any{"password": bobPassword, "roles": []string{"approver"}},
		cookie(ann)).want(201)
	s.signIn("cat", bobPassword)
	s.call("DELETE", "/accounts/cat", nil, cookie(ann)).want(200)
	s.call("POST", "/sign-in", map[string]string{"name": "cat", "password": bobPassword}).problem(401, "unauthenticated")

	// Signing out ends the session, signing out everywhere ends all of them.
	second := s.signIn("bob", bobPassword)
	s.call("POST", "/sign-out", nil, cookie(second)).want(200)
	s.call("GET", "/me", nil, cookie(second)).problem(401, "unauthenticated")
	third := s.signIn("bob", bobPassword)
	if out := s.call("POST", "/sign-out", map[string]bool{"everywhere": true},
		cookie(bob)).want(200); out.number("ended") != 2 {
		t.Errorf("%s", out.body)
	}
	for _, c := range []string{bob, third} {
		s.call("GET", "/me", nil, cookie(c)).problem(401, "unauthenticated")
	}
	s.call("GET", "/me", nil, cookie(ann)).want(200)

	// A disabled account loses access immediately, via the command line on the same machine.
	bob = s.signIn("bob", bobPassword)
	s.must("", "auth", "disable", "bob")
	s.call("GET", "/me", nil, cookie(bob)).problem(401, "unauthenticated")
	s.must("", "auth", "enable", "bob")
	s.must("another good long one", "auth", "set-password", "bob", "--password-stdin")
	s.signIn("bob", "another good long one")
	for _, secret := range []string{annPassword, bobPassword, "another good long one", strings.TrimPrefix(ann, "assent="),
		strings.TrimPrefix(third, "assent=")} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log shows %q", secret)
		}
	}
}

// TestTokens: programs use tokens, and agents never decide.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := office(t)
	ann, bob := s.signIn("ann", annPassword), s.signIn("bob", bobPassword)
	admin := strings.TrimSpace(s.must("", "auth", "token", "add", "deploy", "--roles", "admin", "--expires", "1d"))
	s.defineAs(refund, bearer(admin))
	robot := s.call("POST", "/tokens", `{"name":"robot","kind":"agent","roles":["approver","admin"]}`,
		cookie(ann)).want(201)
	if !strings.HasPrefix(robot.text("secret"), "ast_") || robot.text("kind") != "agent" ||
		robot.get("expires_at") != nil {
		t.Errorf("%s", robot.body)
	}
	agent := bearer(robot.text("secret"))
	id := s.call("POST", "/runs", `{"workflow":"refund","input":{"amount":5}}`, agent).want(201).text("id")
	var r answer
	for end := time.Now().Add(patience); r.t == nil || r.text("status") != "waiting"; pause() {
		if r = s.call("GET", "/runs/"+id, nil, cookie(bob)).want(200); time.Now().After(end) {
			t.Fatalf("%s", r.body)
		}
	}
	if r.text("owner") != "agent:robot" {
		t.Errorf("%s", r.body)
	}
	decide := "/approvals/" + r.text("pending_approvals.0") + "/decisions"
	s.call("POST", decide, `{"act":"approve","version":1}`, agent).problem(403, "forbidden")
	s.call("POST", decide, `{"act":"approve","version":1}`).problem(401, "unauthenticated")
	s.call("POST", "/tokens", `{"name":"ann","kind":"person","roles":["admin"]}`, agent).problem(403, "forbidden")
	s.call("POST", decide, `{"act":"approve","version":1}`, cookie(bob)).want(200)

	for _, bad := range []string{"ast_x", robot.text("secret") + "x", "x.y.z", ""} {
		s.call("GET", "/runs", nil, bearer(bad), cookie(bob)).problem(401, "unauthenticated") // the cookie does not help
	}
	if list := s.call("GET", "/tokens", nil, cookie(ann)).want(200); list.count("items") != 2 ||
		strings.Contains(string(list.body), `"secret"`) || list.text("items.1.last_used_at") == "" {
		t.Errorf("%s", list.body)
	}
	s.call("DELETE", "/tokens/"+robot.text("id"), nil, cookie(ann)).want(200)
	s.call("GET", "/me", nil, agent).problem(401, "unauthenticated")

	// The command line authenticates with a token, and can do nothing without one.
	if _, errs, err := s.command("", "runs"); err == nil || !strings.Contains(errs, "ASSENT_TOKEN") {
		t.Errorf("%v %s", err, errs)
	}
	if out := s.must("", "runs", "--token", admin); !strings.Contains(out, "refund") {
		t.Errorf("%s", out)
	}
	if strings.Contains(s.log.String(), admin) || strings.Contains(s.log.String(), robot.text("secret")) {
		t.Error("the log shows a token")
	}
}

// TestTokensInLocalMode: they apply there as well, and replace the local admin.
func TestTokensInLocalMode(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	made := s.call("POST", "/tokens", `{"name":"robot","kind":"agent","roles":["approver"],"expires_at":"2200-01-01T00:00:00Z"}`).want(201)
	agent := bearer(made.text("secret"))
	if me := s.call("GET", "/me", nil, agent).want(200); me.text("name") != "robot" || me.text("kind") != "agent" ||
		me.text("way") != "token" {
		t.Errorf("%s", me.body)
	}
	ap := s.pending(s.run("refund", map[string]int{"amount": 1}))
	s.call("POST", "/approvals/"+ap.text("id")+"/decisions", `{"act":"approve","version":1}`,
		agent).problem(403, "forbidden")
	s.call("GET", "/me", nil, agent, as(bob)).problem(403, "forbidden")
	s.call("GET", "/me", nil, bearer("ast_no")).problem(401, "unauthenticated")
	s.call("POST", "/tokens", `{"name":"x","kind":"agent"}`, as(bob)).problem(403, "forbidden")
	s.call("POST", "/sign-in", `{"name":"x","password":"y"}`).problem(422, "unsupported")
	s.call("GET", "/me", nil, func(r *http.Request) { r.Host = "evil.example" }).problem(403, "forbidden")
}

// TestNobodyGetsIn: every operation that is not public answers 401 without credentials.
func TestNobodyGetsIn(t *testing.T) {
	t.Parallel()
	s := office(t)
	raw, err := os.ReadFile("../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Security *[]json.RawMessage `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	closed := 0
	for path, methods := range document.Paths {
		address := s.url + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1")
		for method, op := range methods {
			req, err := http.NewRequest(strings.ToUpper(method), address, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			public := op.Security != nil && len(*op.Security) == 0
			if !public {
				closed++
			}
			if !public && resp.StatusCode != 401 {
				t.Errorf("%s %s: %s", method, path, resp.Status)
			}
		}
	}
	if closed < 50 {
		t.Errorf("only %d operations were tried", closed)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/"} {
		s.call("GET", path, nil).want(200)
	}
	s.call("GET", "/openapi.json", nil).want(200)
}

// TestWrongPasswords: guessing is throttled, and other users are not affected.
func TestWrongPasswords(t *testing.T) {
	t.Parallel()
	s := office(t)
	var last answer
	for range 10 {
		last = s.call("POST", "/sign-in", map[string]string{"name": "ann", "password": "not the password"})
	}
	last.problem(429, "rate_limited")
	if last.header.Get("Retry-After") == "" {
		t.Errorf("%s", last.header)
	}
	s.signIn("bob", bobPassword)
}

// TestRefusesStrangers: without sign-in, or without TLS in front, a server only listens on this machine.
func TestRefusesStrangers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--addr", "0.0.0.0:0"}, "--sign-in local --public-url https://HOST"},
		{[]string{"--addr", ":0"}, "other machines could reach it without signing in"},
		{[]string{"--addr", "0.0.0.0:0", "--sign-in", "local"}, "--public-url https://HOST"},
		{[]string{"--addr", "0.0.0.0:0", "--sign-in", "local", "--public-url", "http://assent.example.com"}, "without TLS"},
		{[]string{"--addr", "127.0.0.1:0", "--sign-in", "oidc"}, "sign_in oidc needs oidc_issuer"},
	} {
		out, err := exec.Command(binary, append([]string{"serve", "--data", t.TempDir()}, c.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
	s := serve(t, "--addr", "0.0.0.0:0", "--sign-in", "local", "--public-url", "https://assent.example.com")
	s.call("GET", "/me", nil).problem(401, "unauthenticated")
}

// TestSignInAtAProvider signs in at a real identity provider, as a browser does.
func TestSignInAtAProvider(t *testing.T) {
	t.Parallel()
	port := steady.Port(t)
	public := "http://127.0.0.1:" + port
	p := authtest.Start(t, public+"/api/v1/sign-in/oidc/callback")
	secret := t.TempDir() + "/secret"
	if err := writeFile(secret, p.ClientSecret+"\n"); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--addr", "127.0.0.1:"+port, "--sign-in", "oidc", "--public-url", public, "--log-level", "debug",
		"--oidc-issuer", p.Issuer, "--oidc-client-id", p.ClientID, "--oidc-client-secret", "${file:"+secret+"}",
		"--oidc-scopes", "openid email groups",
		"--oidc-roles", "assent-admins=admin", "--oidc-roles", "claims=claims_adjuster approver", "--oidc-audiences",
		"https://assent.example.com", "--oidc-label", "Example ID")
	if v := s.call("GET", "/sign-in", nil).want(200); v.text("oidc.label") != "Example ID" || v.get("password") != false {
		t.Errorf("%s", v.body)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	step := func(address, accept string) *http.Response {
		t.Helper()
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		drive("GET", u.Path)
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		resp, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	begin := func() string {
		t.Helper()
		resp := step(s.url+"/api/v1/sign-in/oidc?return=/inbox", "text/html")
		if resp.StatusCode != 303 || !strings.HasPrefix(resp.Header.Get("Location"), p.Issuer) {
			t.Fatalf("%s %s", resp.Status, resp.Header)
		}
		return resp.Header.Get("Location")
	}
	back := p.Visit(t, begin(), "ann").String()
	if resp := step(back, "text/html"); resp.StatusCode != 303 || resp.Header.Get("Location") != "/inbox" {
		t.Fatalf("%s %s\n%s", resp.Status, resp.Header, s.log)
	}
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	for _, c := range jar.Cookies(at) {
		if c.Name != "assent" {
			t.Errorf("%s is left behind", c.Name)
		}
		session = c.Name + "=" + c.Value
	}
	if me := s.call("GET", "/me", nil, cookie(session)).want(200); me.text("name") != "ann@example.com" ||
		me.text("way") != "oidc" || me.text("roles.0") != "admin" {
		t.Errorf("%s", me.body)
	}
	// The same code again is rejected. A browser is redirected to a page, a program gets an error.
	if resp := step(back, "text/html"); resp.StatusCode != 303 ||
		resp.Header.Get("Location") != "/?sign_in=unauthenticated" {
		t.Errorf("%s %s", resp.Status, resp.Header)
	}
	if resp := step(back, "application/json"); resp.StatusCode != 401 {
		t.Errorf("%s", resp.Status)
	}
	if resp := step(p.Visit(t, begin(), "cat").String(),
		"text/html"); resp.Header.Get("Location") != "/?sign_in=forbidden" {
		t.Errorf("%s %s", resp.Status, resp.Header)
	}
	token := p.Program(t, "https://assent.example.com")
	if me := s.call("GET", "/me", nil, bearer(token)).want(200); me.text("kind") != "service" || me.text("way") != "jwt" {
		t.Errorf("%s", me.body)
	}
	s.call("GET", "/me", nil, bearer(p.Program(t, "https://other.example.com"))).problem(401, "unauthenticated")
	q, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{p.ClientSecret, token, q.Query().Get("code"), strings.TrimPrefix(session, "assent=")} {
		if strings.Contains(s.log.String(), hidden) {
			t.Errorf("the log shows %q", hidden)
		}
	}
}

// defineAs is define as a given person.
func (s *server) defineAs(documents string, who option) {
	s.t.Helper()
	for doc := range strings.SplitSeq(strings.TrimSpace(documents), "\n---\n") {
		kind, rest, _ := strings.Cut(strings.TrimSpace(doc), ":")
		name, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		path := map[string]string{"workflow": "/workflows/" + name + "?publish=true", "agent": "/agents/" + name}[kind]
		if a := s.call("PUT", path, yaml(doc), who); a.status != 200 && a.status != 201 {
			s.t.Fatalf("PUT %s: %d %s", path, a.status, a.body)
		}
	}
}
