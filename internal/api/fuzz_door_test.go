package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/web"
	"github.com/coder/websocket"
)

// Everything here is read before it is clear who sent it.

// door is a server where people sign in, also behind a proxy.
func door(f *testing.F) *desk {
	d := openWith(f, Options{Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Web: web.Handler()}, cheap)
	return d
}

// knock sends a request as it is and checks that the answer is one.
func (d *desk) knock(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, r)
	if w.Code >= 500 {
		t.Fatalf("%s %s %v: %d %s", r.Method, r.URL, r.Header, w.Code, w.Body)
	}
	if w.Code < 400 || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%s %s %v: let in: %d %v %s", r.Method, r.URL, r.Header, w.Code, w.Header(), w.Body)
	}
	answer{t, w.Code, w.Header(), w.Body.Bytes()}.problem()
	return w
}

// FuzzHeaders: no header of an unknown caller grants access or causes a crash.
func FuzzHeaders(f *testing.F) {
	for _, h := range [][2]string{
		{"Authorization", "Bearer ast_00000000000000000000000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		{"Authorization", "Bearer eyJhbGciOiJub25lIn0.e30."},
		{"Authorization", "bearer"}, {"Cookie", "assent=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA; assent=x"},
		{"Cookie", `assent="a b"; =;;`},
		{"X-Forwarded-For", "10.0.0.1, 192.0.2.7"}, {"X-Forwarded-For", "::1%eth0,,,"}, {"Origin", "null"},
		{"Origin", "https://[::1"}, {"Sec-Fetch-Site", "cross-site"},
		{"Idempotency-Key", "\x7f"}, {"X-Request-Id", "a\nb"}, {"Content-Type", "application/json; charset=\"utf-7\""},
		{"X-Assent-User", "admin"}, {"X-Assent-Token", ""},
		{"Last-Event-ID", "-1"}, {"If-None-Match", `W/"`}, {"Accept", "text/html;q=x"}, {"Upgrade", "websocket"},
	} {
		f.Add(h[0], h[1], "localhost")
	}
	f.Add("Host", "", "[::1")
	d := door(f)
	paths := []string{"/me", "/runs", "/ws", "/events", "/accounts", "/approvals/x/decisions"}
	f.Fuzz(func(t *testing.T, name, text, host string) {
		for i, path := range paths {
			r := httptest.NewRequest("GET", "http://localhost"+base+path, nil)
			if i == 5 {
				r = httptest.NewRequest("POST", "http://localhost"+base+path, strings.NewReader(`{}`))
			}
			r.Host, r.RemoteAddr = host, "192.0.2.7:1"
			r.Header[http.CanonicalHeaderKey(name)] = []string{text}
			d.knock(t, r)
			_ = d.api.addressKey(r)
		}
	})
}

// FuzzSignIn: nor does anything that is sent to sign in.
func FuzzSignIn(f *testing.F) {
	for _, body := range []string{`{"name":"ann","password":"x"}`, `{"name":"\u0000","password":""}`, `{"name":1}`,
		`{"name":"a","name":"b"}`, `[`, `{"password":"` + strings.Repeat("é", 600) + `","name":"ann"}`, "\xff"} {
		f.Add(body, "code=a&state=b")
	}
	f.Add(`{}`, "state=%00&iss=https://evil.example&error=access_denied&error_description=<script>")
	f.Add(`{}`, "code=%zz&;&=&code=1&code=2")
	d := door(f)
	f.Fuzz(func(t *testing.T, body, query string) {
		r := httptest.NewRequest("POST", "http://localhost"+contract.PathSignIn, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		d.knock(t, r)
		for _, path := range []string{contract.CallbackPath, contract.PathOIDC} {
			r = httptest.NewRequest("GET", "http://localhost"+path, nil)
			r.URL.RawQuery = query
			r.Header.Set("Cookie", "assent-sign-in="+strings.ReplaceAll(query, ";", ""))
			d.knock(t, r)
		}
	})
}

// FuzzOrders: whatever comes by WebSocket, first or later, has an answer.
func FuzzOrders(f *testing.F) {
	for _, text := range []string{`{"id":1,"run":"run_x","command":{"type":"pause"}}`,
		`{"id":{"a":[]},"run":"","command":null}`, `{`, `[]`,
		`{"run":"x","command":{"type":"message","text":"\ud800"}}`, "\x00"} {
		f.Add([]byte(text), true)
	}
	d := open(f, Options{})
	r := httptest.NewRequest("GET", "http://localhost/api/v1/ws", nil)
	r.Header.Set(headerUser, "eve")
	r.Header.Set(headerRoles, "stranger")
	c := &call{r: r, op: &operation{}}
	if err := d.api.identify(f.Context(), c); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte, text bool) {
		kind := websocket.MessageBinary
		if text {
			kind = websocket.MessageText
		}
		k := &socket{s: d.api, c: c, who: c.who}
		said := k.take(t.Context(), kind, raw)
		if said.OK || said.Error == nil || said.Error.Status >= 500 {
			t.Fatalf("%q: %+v", raw, said)
		}
	})
}

// FuzzPages: nothing outside the pages is served, and no caller is redirected to another site.
func FuzzPages(f *testing.F) {
	for _, path := range []string{"/", "/inbox", "/../../etc/passwd", "/%2e%2e/assent.yaml", "/assets/\\..\\x", "/\x00",
		"//evil.example", "/assets/..%2f", "/CON", "/a:b", "/" + strings.Repeat("a/", 3000)} {
		f.Add(path)
	}
	d := door(f)
	f.Fuzz(func(t *testing.T, path string) {
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/api") {
			return
		}
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		d.api.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code >= 300 && w.Code < 400 {
			t.Fatalf("%q: %d %v", path, w.Code, w.Header())
		}
		if strings.Contains(w.Body.String(), "root:") {
			t.Fatalf("%q", path)
		}
	})
}
