package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
	"github.com/coder/websocket"
)

const annPassword, bobPassword = "violet tram seventy lake", "copper kite morning pool"

// cheap makes hashing quick; how dear it is otherwise is tested where it is done.
var cheap = assembly.SignIn{Password: true}

func init() { cheap.Cost.MemoryKiB, cheap.Cost.Rounds, cheap.Cost.Lanes = 64, 1, 1 }

// office is a server where ann is an administrator and bob approves.
func office(t *testing.T, o Options) *desk {
	t.Helper()
	d := openWith(t, o, cheap)
	for name, p := range map[string]struct{ password, role string }{"ann": {annPassword, "admin"},
		"bob": {bobPassword, "approver"}} {
		_, _, err := d.parts.Auth.PutAccount(t.Context(),
			port.PutAccount{Name: name, Password: &p.password, Roles: &[]string{p.role}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// signIn returns the cookie as a header.
func (d *desk) signIn(name, password string, headers ...string) []string {
	d.Helper()
	a := d.post("/sign-in", `{"name":"`+name+`","password":"`+password+`"}`, headers...).want(200)
	return []string{"Cookie", cookieOf(d, a).Name + "=" + cookieOf(d, a).Value}
}

func cookieOf(t testing.TB, a answer) *http.Cookie {
	t.Helper()
	found := (&http.Response{Header: a.header}).Cookies()
	if len(found) != 1 {
		t.Fatalf("cookies: %v", a.header["Set-Cookie"])
	}
	return found[0]
}

func TestSignInAndOut(t *testing.T) {
	d := office(t, Options{})
	if v := into[contract.SignInView](d.get("/sign-in").want(200)); !v.Needed || !v.Password || v.OIDC != nil {
		t.Errorf("%+v", v)
	}
	a := d.post("/sign-in", `{"name":" Ann ","password":"`+annPassword+`"}`).want(200)
	if me := into[contract.Me](a); me.Name != "ann" || me.Method != port.ByPassword || me.Roles[0] != "admin" ||
		me.ExpiresAt == nil {
		t.Errorf("%s", a.body)
	}
	if c := cookieOf(t, a); c.Name != cookiePlain || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode ||
		c.Path != "/" || c.Domain != "" || c.MaxAge < 3600 {
		t.Errorf("%+v", c)
	}
	first := d.signIn("ann", annPassword)
	if me := into[contract.Me](d.get("/me", first...).want(200)); me.Name != "ann" || me.Local {
		t.Errorf("%+v", me)
	}
	// Signing in again ends what the browser had.
	second := d.signIn("ann", annPassword, first...)
	d.get("/me", first...).refused(401, "unauthenticated")
	other := d.signIn("ann", annPassword)
	// Out means out here.
	out := d.post("/sign-out", "", second...).want(200)
	if c := cookieOf(t, out); c.MaxAge >= 0 || c.Value != "" || into[contract.SignedOut](out).Ended != 1 {
		t.Errorf("%+v %s", c, out.body)
	}
	d.get("/me", second...).refused(401, "unauthenticated")
	d.get("/me", other...).want(200)
	// Everywhere means everywhere, and of oneself alone.
	bob := d.signIn("bob", bobPassword)
	if ended := into[contract.SignedOut](d.post("/sign-out", `{"everywhere":true}`,
		d.signIn("ann", annPassword)...).want(200)).Ended; ended < 2 {
		t.Errorf("%d sessions ended", ended)
	}
	d.get("/me", other...).refused(401, "unauthenticated")
	d.get("/me", bob...).want(200)
	// Two cookies with the same name: one was injected.
	d.get("/me", "Cookie", bob[1]+"; "+bob[1]).refused(401, "unauthenticated")
	if log := d.log.String(); strings.Contains(log, annPassword) ||
		strings.Contains(log, strings.TrimPrefix(bob[1], "assent=")) {
		t.Errorf("%s", log)
	}
}

func TestWrongPasswords(t *testing.T) {
	d := office(t, Options{})
	try := func(name, password string) answer {
		return d.post("/sign-in", `{"name":"`+name+`","password":"`+password+`"}`)
	}
	wrong, nobody := try("ann", "not the password"), try("eve", annPassword)
	if wrong.refused(401, "unauthenticated"); string(wrong.body) != string(nobody.body) ||
		wrong.header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong password: %s\nno account: %s", wrong.body, nobody.body)
	}
	var last answer
	for range 12 {
		last = try("ann", "not the password")
	}
	last.refused(429, "rate_limited")
	if last.header.Get("Retry-After") == "" {
		t.Errorf("%s", last.header)
	}
	try("ann", annPassword).refused(429, "rate_limited")         // also the right one: else it could be told apart
	d.signIn("bob", bobPassword)                                 // from the same address
	d.post("/sign-in", `{"name":"ann"}`).refused(422, "invalid") // nothing was tried
	d.post("/sign-in", `{"name":"bob","pasword":"x"}`).refused(422, "invalid")
	d.post("/sign-in", `{"name":"bob","password":"`+strings.Repeat("x", 20_000)+`"}`).refused(413, "too_large")
	d.post("/sign-in", `{"name":"bob","password":"`+bobPassword+`"}`, "Origin",
		"https://evil.example").refused(403, "forbidden")
}

func TestAccountsOverHTTP(t *testing.T) {
	d := office(t, Options{})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	d.get("/accounts", bob...).refused(403, "forbidden")
	d.send("PUT", base+"/accounts/bob", `{"roles":["admin"]}`, bob...).refused(403, "forbidden")
	d.send("DELETE", base+"/accounts/ann", "", bob...).refused(403, "forbidden")
	list := into[view.List[contract.AccountView]](d.get("/accounts", ann...).want(200))
	if len(list.Items) != 2 || list.Items[1].Name != "bob" || list.Items[1].SignedInAt == nil {
		t.Errorf("%+v", list)
	}
	if a := d.get("/accounts", ann...); strings.Contains(string(a.body), "argon2") {
		t.Errorf("%s", a.body)
	}
	put := func(name, query, body string) answer {
		return d.send("PUT", base+"/accounts/"+name+query, body, ann...)
	}
	put("cat", "", `{"password":"short","roles":["x,y"]}`).refused(422, "invalid")
	put("cat", "", `{"roles":[]}`).refused(422, "invalid")
	put("role:x", "", `{"password":"`+annPassword+`"}`).refused(422, "invalid")
	put("cat", "?only=change", `{"roles":[]}`).refused(404, "not_found")
	put("cat", "?only=create", `{"password":"`+annPassword+`"}`).want(201)
	put("cat", "?only=create", `{"password":"`+annPassword+`"}`).refused(409, "conflict")
	// Other roles count at once; a closed account is out at once.
	put("bob", "", `{"roles":["admin"]}`).want(200)
	d.get("/accounts", bob...).want(200)
	put("bob", "", `{"disabled":true}`).want(200)
	d.get("/me", bob...).refused(401, "unauthenticated")
	d.post("/sign-in", `{"name":"bob","password":"`+bobPassword+`"}`).refused(401, "unauthenticated")
	put("bob", "", `{"disabled":false}`).want(200)
	d.get("/me", bob...).refused(401, "unauthenticated")
	bob = d.signIn("bob", bobPassword)
	put("bob", "", `{"password":"another good long one"}`).want(200)
	d.get("/me", bob...).refused(401, "unauthenticated")
	bob = d.signIn("bob", "another good long one")
	if v := into[contract.AccountView](d.send("DELETE", base+"/accounts/bob", "", ann...).want(200)); v.Name != "bob" {
		t.Errorf("%+v", v)
	}
	d.get("/me", bob...).refused(401, "unauthenticated")
	d.send("DELETE", base+"/accounts/bob", "", ann...).refused(404, "not_found")
}

func TestTokensOverHTTP(t *testing.T) {
	for name, d := range map[string]*desk{"local": open(t, Options{}), "sign-in": office(t, Options{})} {
		t.Run(name, func(t *testing.T) {
			d.TB = t
			admin := as("root", "admin")
			if name == "sign-in" {
				admin = d.signIn("ann", annPassword)
			}
			tokens(t, d, admin)
		})
	}
}

func tokens(t *testing.T, d *desk, admin []string) {
	mint := func(body string, headers ...string) contract.TokenView {
		t.Helper()
		return into[contract.TokenView](d.post("/tokens", body, append(headers, admin...)...).want(201))
	}
	robot := mint(`{"name":"robot","kind":"agent","roles":["approver","admin"]}`)
	if !strings.HasPrefix(robot.Secret, "ast_") || !strings.HasPrefix(robot.ID, "tok_") || robot.Kind != "agent" ||
		robot.ExpiresAt != nil || robot.CreatedBy == "" {
		t.Errorf("%+v", robot)
	}
	bearer := func(v contract.TokenView) []string { return []string{"Authorization", "Bearer " + v.Secret} }
	if me := into[contract.Me](d.get("/me", bearer(robot)...).want(200)); me.Name != "robot" || me.Kind != run.Agent ||
		me.Method != port.ByToken {
		t.Errorf("%+v", me)
	}
	// An agent decides nothing, and cannot create an identity that could.
	r := into[view.Run](d.post("/runs", `{"workflow":"ask"}`, bearer(robot)...).want(201))
	for len(r.PendingApprovals) == 0 {
		r = into[view.Run](d.get("/runs/"+r.ID, admin...).want(200))
	}
	d.post("/approvals/"+r.PendingApprovals[0]+"/decisions", `{"act":"approve","version":1}`,
		bearer(robot)...).refused(403, "forbidden")
	d.post("/tokens", `{"name":"me","kind":"person","roles":["admin"]}`, bearer(robot)...).refused(403, "forbidden")
	d.get("/me", append(bearer(robot), as("root", "admin")...)...).refused(403, "forbidden")
	// The secret is told once.
	key := []string{"Idempotency-Key", "once"}
	first := mint(`{"name":"ci","kind":"service","roles":["starter"],"expires_at":"2200-01-01T00:00:00Z"}`, key...)
	again := mint(`{"name":"ci","kind":"service","roles":["starter"],"expires_at":"2200-01-01T00:00:00Z"}`, key...)
	if first.Secret == "" || again.Secret != "" || again.ID != first.ID || first.ExpiresAt.Year() != 2200 {
		t.Errorf("%+v, then %+v", first, again)
	}
	list := d.get("/tokens", admin...).want(200)
	if v := into[view.List[contract.TokenView]](list); len(v.Items) != 2 || v.Items[0].LastUsedAt == nil ||
		strings.Contains(string(list.body), "secret") {
		t.Errorf("%s", list.body)
	}
	for _, bad := range []string{first.Secret + "x", first.Secret[:len(first.Secret)-1] + "_",
		robot.Secret[:31] + first.Secret[31:], "ast_", "", "eyJhbGciOiJub25lIn0.e30."} {
		d.get("/me", "Authorization", "Bearer "+bad).refused(401, "unauthenticated")
	}
	for _, body := range []string{
		`{"name":"x","kind":"system"}`, `{"name":"x"}`, `{"kind":"agent"}`, `{"name":"role:x","kind":"agent"}`,
		`{"name":"x","kind":"agent","roles":[""]}`,
		`{"name":"x","kind":"agent","expires_at":"2020-01-01T00:00:00Z"}`,
		`{"name":"x","kind":"agent","expires_at":"tomorrow"}`,
	} {
		d.post("/tokens", body, admin...).refused(422, "invalid")
	}
	d.send("DELETE", base+"/tokens/"+first.ID, "", bearer(first)...).refused(403, "forbidden")
	d.send("DELETE", base+"/tokens/"+first.ID, "", admin...).want(200)
	d.get("/me", bearer(first)...).refused(401, "unauthenticated")
	d.send("DELETE", base+"/tokens/"+first.ID, "", admin...).refused(404, "not_found")
	if log := d.log.String(); strings.Contains(log, robot.Secret[31:]) {
		t.Errorf("%s", log)
	}
}

// TestConsole: whoever may read the data directory may make the first account, and
// nothing else.
func TestConsole(t *testing.T) {
	d := openWith(t, Options{Console: "from the mark"}, cheap)
	console := []string{headerConsole, "from the mark"}
	d.send("PUT", base+"/accounts/ann", `{"password":"`+annPassword+`","roles":["admin"]}`, console...).want(201)
	d.get("/runs", console...).refused(401, "unauthenticated")
	d.get("/me", console...).refused(401, "unauthenticated")
	d.get("/accounts", headerConsole, "another").refused(401, "unauthenticated")
	none := openWith(t, Options{}, cheap)
	none.get("/accounts", headerConsole, "").refused(401, "unauthenticated")
}

// TestPublicURL: behind a proxy with a certificate cookies are for https alone, and
// pages of the public address are our own.
func TestPublicURL(t *testing.T) {
	public, err := url.Parse("https://assent.example.com")
	if err != nil {
		t.Fatal(err)
	}
	d := office(t, Options{PublicURL: public, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	a := d.post("/sign-in", `{"name":"ann","password":"`+annPassword+`"}`, "Origin",
		"https://assent.example.com").want(200)
	if c := cookieOf(t, a); c.Name != cookieSecure || !c.Secure {
		t.Errorf("%+v", c)
	}
	d.get("/me", "Cookie", cookiePlain+"="+cookieOf(t, a).Value).refused(401, "unauthenticated")
	session := cookieSecure + "=" + cookieOf(t, a).Value
	for origin, ok := range map[string]bool{"https://assent.example.com": true,
		"https://evil.example": false, d.http.URL: true} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		conn, _, err := websocket.Dial(ctx, d.http.URL+contract.PathSocket,
			&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}, "Cookie": {session}}})
		if (err == nil) != ok {
			t.Errorf("%s: %v", origin, err)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
		cancel()
	}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"127.0.0.1:5", "", "127.0.0.1"}, {"127.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:5", "1.1.1.1, 203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:5", "1.1.1.1, 203.0.113.9, 127.0.0.2", "203.0.113.9"}, {"198.51.100.1:5", "203.0.113.9", "198.51.100.1"},
		{"127.0.0.1:5", "nonsense", "127.0.0.1"},
		{"[2001:db8::1]:5", "203.0.113.9", "2001:db8::1"}, {"", "", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if r.RemoteAddr = c.remote; c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := d.api.address(r); got != c.want {
			t.Errorf("%s for %q is %q", c.remote, c.forwarded, got)
		}
	}
}

// TestStreamsEndWithTheSession: streams end when their caller is signed out.
func TestStreamsEndWithTheSession(t *testing.T) {
	d := office(t, Options{})
	d.api.pace.beat = 20 * time.Millisecond
	bob := d.signIn("bob", bobPassword)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, d.http.URL+contract.PathSocket,
		&websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {bob[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // the test ends
	ended := make(chan error, 1)
	go func() {
		_, _, err := conn.Read(ctx)
		ended <- err
	}()
	d.post("/sign-out", "", bob...).want(200)
	if err := <-ended; websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("%v", err)
	}
}

// TestOrdersAfterSigningOut: an order counts only while its caller is signed in, however long the connection lasts.
func TestOrdersAfterSigningOut(t *testing.T) {
	d := office(t, Options{})
	bob := d.signIn("bob", bobPassword)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, d.http.URL+contract.PathSocket,
		&websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {bob[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // the test ends
	d.post("/sign-out", "", bob...).want(200)
	order := `{"id":1,"run":"run_1","command":{"type":"pause"}}`
	if err := conn.Write(ctx, websocket.MessageText, []byte(order)); err != nil {
		t.Fatal(err)
	}
	if _, answer, err := conn.Read(ctx); err != nil || !strings.Contains(string(answer), `"unauthenticated"`) {
		t.Errorf("an order after the sign-out: %s, %v", answer, err)
	}
}

// TestNobodyIsLetIn: without credentials every operation that is not public says 401.
func TestNobodyIsLetIn(t *testing.T) {
	d := office(t, Options{})
	closed := 0
	for _, op := range operations() {
		path := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(op.Path, "1")
		r, err := http.NewRequestWithContext(t.Context(), op.Method, d.http.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if !op.Public {
			closed++
		}
		if (res.StatusCode == http.StatusUnauthorized) == op.Public && op.ID != "finishSignIn" {
			t.Errorf("%s %s: %s", op.Method, op.Path, res.Status)
		}
	}
	if closed < 50 {
		t.Errorf("only %d operations are closed", closed)
	}
}

func FuzzBearer(f *testing.F) {
	for _, s := range []string{"Bearer ast_", "bearer x", "Basic eA==", "", "Bearer  a.b.c", "Bearer"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		credential, given, err := bearer(http.Header{"Authorization": {text}})
		if err != nil || !given && credential != "" || strings.TrimSpace(credential) != credential {
			t.Errorf("%q: %q %v %v", text, credential, given, err)
		}
	})
}

func FuzzCookie(f *testing.F) {
	for _, s := range []string{"assent=x", "assent=x; assent=y", "assent", "", `assent="a b"`, "__Host-assent=z"} {
		f.Add(s)
	}
	s := &Server{}
	f.Fuzz(func(t *testing.T, text string) {
		value, ok := s.sessionCookie(&http.Request{Header: http.Header{"Cookie": {text}}})
		if ok == (value == "") {
			t.Errorf("%q: %q %v", text, value, ok)
		}
	})
}
