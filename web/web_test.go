package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func pages() http.Handler {
	return handler(fstest.MapFS{
		"index.html":            {Data: []byte(`<meta name="csp-nonce" content="__CSP_NONCE__"><div id="root"></div>`)},
		"first.js":              {Data: []byte("first")},
		"assets/app-1a2b.js":    {Data: []byte("plain script")},
		"assets/app-1a2b.js.gz": {Data: []byte("packed script")},
		"assets/big-1a2b.js":    {Data: []byte("plain script")},
		"assets/big-1a2b.js.gz": {Data: []byte("packed")},
		"assets/big-1a2b.js.br": {Data: []byte("small")},
		"assets/one-1a2b.js.gz": {Data: packed("plain script")},
		"assets/one-1a2b.js.br": {Data: []byte("small")},
		"assets/font.woff2":     {Data: []byte("font")},
		".gitkeep":              {},
		".vite/manifest.json":   {Data: []byte("{}")},
	})
}

func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPagesAreServedForNavigationsOnly(t *testing.T) {
	for _, c := range []struct {
		path, accept, mode string
		status             int
	}{
		{"/", "text/html", "navigate", 200},
		{"/inbox", "text/html,application/xhtml+xml", "navigate", 200},
		{"/approvals/apr_1", "text/html", "", 200},
		{"/runs/run_1", "*/*", "", 200},
		{"/inbox", "text/html", "cors", 404},
		{"/inbox", "application/json", "", 404},
		{"/api/v1/nothing", "text/html", "navigate", 404},
		{"/api", "text/html", "navigate", 404},
		{"/assets/gone-ffff.js", "text/html", "navigate", 404},
		{"/.gitkeep", "image/png", "", 404},
		{"/.vite/manifest.json", "application/json", "", 404},
		{"/assets/app-1a2b.js", "*/*", "no-cors", 200},
	} {
		header := []string{"Accept", c.accept}
		if c.mode != "" {
			header = append(header, "Sec-Fetch-Mode", c.mode)
		}
		if got := get(t, pages(), c.path, header...).Code; got != c.status {
			t.Errorf("%s as %s %s: %d, expected %d", c.path, c.accept, c.mode, got, c.status)
		}
	}
}

func TestAssetsAreKeptForeverAndPackedWhereAsked(t *testing.T) {
	w := get(t, pages(), "/assets/app-1a2b.js", "Accept-Encoding", "br, gzip")
	h := w.Header()
	if w.Body.String() != "packed script" || h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" {
		t.Errorf("packed: %q %v", w.Body, h)
	}
	if !strings.Contains(h.Get("Cache-Control"), "immutable") ||
		!strings.HasPrefix(h.Get("Content-Type"), "text/javascript") {
		t.Errorf("headers: %v", h)
	}
	for _, encoding := range []string{"", "br", "gzip;q=0", "gzip; q=0.0"} {
		if w := get(t, pages(), "/assets/app-1a2b.js", "Accept-Encoding", encoding); w.Body.String() != "plain script" ||
			w.Header().Get("Content-Encoding") != "" {
			t.Errorf("with %q: %q %v", encoding, w.Body, w.Header())
		}
	}
	if w := get(t, pages(), "/assets/app-1a2b.js", "Accept-Encoding", "gzip;q=0.5"); w.Body.String() != "packed script" {
		t.Errorf("with q=0.5: %q", w.Body)
	}
	if h := get(t, pages(), "/first.js").Header(); h.Get("Cache-Control") != "no-cache" {
		t.Errorf("a name that stays must be asked for again: %v", h)
	}
}

func TestTheSmallestFormThatIsTakenIsSent(t *testing.T) {
	for accept, want := range map[string][2]string{
		"gzip, deflate, br": {"br", "small"}, "br;q=0.1": {"br", "small"}, "gzip, br;q=0": {"gzip", "packed"},
		"GZIP": {"gzip", "packed"}, "zstd": {"", "plain script"},
	} {
		w := get(t, pages(), "/assets/big-1a2b.js", "Accept-Encoding", accept)
		if w.Header().Get("Content-Encoding") != want[0] || w.Body.String() != want[1] ||
			w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %s %v", accept, w.Body, w.Header())
		}
	}
}

// TestPackedFilesAreUnpackedWhereNeeded: the build keeps no plain form of what it packs.
func TestPackedFilesAreUnpackedWhereNeeded(t *testing.T) {
	for accept, want := range map[string][2]string{"": {"", "plain script"}, "br": {"br", "small"},
		"gzip": {"gzip", string(packed("plain script"))}} {
		w := get(t, pages(), "/assets/one-1a2b.js", "Accept-Encoding", accept)
		if w.Header().Get("Content-Encoding") != want[0] || w.Body.String() != want[1] ||
			w.Header().Get("Vary") != "Accept-Encoding" || w.Header().Get("Content-Type") != kinds[".js"] {
			t.Errorf("%q: %q %v", accept, w.Body, w.Header())
		}
	}
	part := get(t, pages(), "/assets/one-1a2b.js", "Range", "bytes=6-")
	if part.Code != http.StatusPartialContent || part.Body.String() != "script" {
		t.Errorf("%d %q", part.Code, part.Body)
	}
}

func TestNamesThatStayAreAskedForAgainAndNotSentAgain(t *testing.T) {
	first := get(t, pages(), "/first.js")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || tag == "" {
		t.Fatalf("%d %v", first.Code, first.Header())
	}
	if again := get(t, pages(), "/first.js", "If-None-Match", tag); again.Code != http.StatusNotModified ||
		again.Body.Len() != 0 {
		t.Errorf("%d %s", again.Code, again.Body)
	}
	if other := get(t, pages(), "/first.js", "If-None-Match", `"other"`); other.Code != 200 {
		t.Errorf("%d", other.Code)
	}
	if forever := get(t, pages(), "/assets/app-1a2b.js").Header().Get("ETag"); forever != "" {
		t.Errorf("a name that changes with the content needs no tag: %s", forever)
	}
}

func TestPagesAllowNothingForeign(t *testing.T) {
	first, second := get(t, pages(), "/inbox"), get(t, pages(), "/inbox")
	policy := first.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'",
		"connect-src 'self'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("no %q in %q", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("too lax: %s", policy)
	}
	_, nonce, _ := strings.Cut(policy, "'nonce-")
	nonce, _, _ = strings.Cut(nonce, "'")
	if len(nonce) < 20 || !strings.Contains(first.Body.String(), `content="`+nonce+`"`) {
		t.Errorf("the nonce %q is not in the page %q", nonce, first.Body)
	}
	if policy == second.Header().Get("Content-Security-Policy") {
		t.Error("a nonce must be used once")
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		"Cache-Control": "no-cache",
	} {
		if got := first.Header().Get(name); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
	if first.Header().Get("Permissions-Policy") == "" {
		t.Error("no Permissions-Policy")
	}
}

func TestAProgramWithoutPagesSaysHowToBuildThem(t *testing.T) {
	w := get(t, handler(fstest.MapFS{".gitkeep": {}}), "/inbox")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPagesAreOnlyRead(t *testing.T) {
	w := httptest.NewRecorder()
	pages().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/inbox", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
