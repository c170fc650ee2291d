package builtin_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/builtin"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func page(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

func TestWebFetch(t *testing.T) {
	const doc = `<!doctype html><html><head><title> A &amp; B
	</title><style>p{color:red}</style><script>alert("<p>no</p>")</script></head><body onload="evil()">
	<nav><a href="/one#x">One</a> <a href="javascript:evil()">Bad</a></nav><h1>Head</h1><p>First <b>bold</b>, and
	second.</p><p>Third<br>line &lt;3</p><ul><li>a</li><li>b</li></ul><noscript>turn it on</noscript><pre>  x
   y</pre><table><tr><td>1</td><td>2</td></tr></table><svg><text>drawn</text></svg><template>later</template><img alt="a cat" src=x onerror=evil()><p>end</body></html>`
	set := open(t, local, "")
	url := serve(t, page("text/html; charset=utf-8", doc))
	r, f := use(t, set, "web_fetch", args(map[string]any{"url": url + "/p", "links": true}))
	want := "One Bad\n\nHead\n\nFirst bold, and second.\n\nThird\nline <3\n\n- a\n- b\n\n  x\n   y\n\n1 2\n\na cat\n\nend"
	if get(t, r, "text") != want || get(t, r, "title") != "A & B" || get(t, r, "status") != "200" ||
		get(t, r, "url") != url+"/p" {
		t.Errorf("%q, %+v", get(t, r, "text"), f)
	}
	if got := get(t, r, "links"); got != `[{"text":"One","url":"`+url+`/one"}]` {
		t.Errorf("%s", got)
	}
	for _, c := range []struct {
		h    http.HandlerFunc
		path []string
		want string
	}{
		{page("application/json", `{"a": 1}`), []string{"text"}, `{"a": 1}`},
		{page("text/plain", "<script>shown</script>"), []string{"text"}, "<script>shown</script>"},
		{page("text/html; charset=iso-8859-1", "<p>gr\xfc\xdfe"), []string{"text"}, "grüße"},
		{page("text/html", `<meta charset="windows-1252"><p>20 `+"\x80"), []string{"text"}, "20 €"},
		{page("image/png", "\x89PNG"), []string{"note"}, "This is image/png, not text."},
		{page("", "\x00\x01\x02"), []string{"note"}, "This is application/octet-stream, not text."},
		{func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) }, []string{"status"}, "410"},
		{page("text/html", "<p>open <script>never closed"), []string{"text"}, "open"},
		{page("text/html", strings.Repeat("<div>", 200_000)+"deep"), []string{"text"}, "deep"},
		{page("text/html", "<p>a\x00b\xff"), []string{"text"}, "a\ufffdbÿ"},
	} {
		r, f := use(t, set, "web_fetch", args(map[string]any{"url": serve(t, c.h)}))
		if got := get(t, r, c.path...); got != c.want {
			t.Errorf("want %q: %.300s %+v", c.want, r.Output, f)
		}
	}
}

func TestLongPages(t *testing.T) {
	set := open(t, local, "")
	bomb := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 100 {
			if _, err := z.Write([]byte(strings.Repeat("é", 1<<19))); err != nil {
				return
			}
		}
		_ = z.Close()
	})
	r, f := use(t, set, "web_fetch", args(map[string]any{"url": bomb}))
	if n := len([]rune(get(t, r, "text"))); n != 40_000 || get(t, r, "next") != "40000" ||
		!strings.Contains(get(t, r, "note"), "left out") {
		t.Errorf("%d characters, %+v", n, f)
	}
	short := serve(t, page("text/plain", strings.Repeat("a", 40_000)+"bc"))
	r, _ = use(t, set, "web_fetch", args(map[string]any{"url": short, "start": 40_000}))
	if get(t, r, "text") != "bc" || get(t, r, "next") != "" {
		t.Errorf("%.100s", r.Output)
	}
	if r, _ = use(t, set, "web_fetch", args(map[string]any{"url": short, "start": 1 << 40})); get(t, r, "text") != "" ||
		r.Error != "" {
		t.Errorf("%.100s", r.Output)
	}
}

// TestForbidden tries to reach addresses that only this machine can.
func TestForbidden(t *testing.T) {
	asked := func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }
	port := ":" + strings.Split(serve(t, asked), ":")[2]
	guarded := open(t, outbound.Options{}, "")
	for _, host := range []string{
		"127.0.0.1", "127.8.8.8", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.3.4", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"[fd00:ec2::254]", "[fe80::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]",
		"224.0.0.1", "255.255.255.255",
	} {
		for _, tool := range []string{"web_fetch", "http_request"} {
			r, f := use(t, guarded, tool, args(map[string]any{"url": "http://" + host + port + "/"}))
			if f.Code != outbound.Forbidden || f.Transient {
				t.Errorf("%s %s: %+v %+v", tool, host, r, f)
			}
		}
	}
	for _, odd := range []string{"2130706433", "0x7f000001", "017700000001", "127.1"} { // these are not resolved here
		if r, f := use(t, guarded, "web_fetch",
			args(map[string]any{"url": "http://" + odd + port})); r.Error == "" && f.Message == "" {
			t.Errorf("%s: %+v", odd, r)
		}
	}
	for _, bad := range []string{
		"ftp://example.com", "file:///etc/passwd", "gopher://x", "javascript:alert(1)", "data:text/html,x", "example.com",
		"http://", "//example.com", "http://user:hunter2@example.com/", "http://exa mple.com", " ",
	} {
		for _, tool := range []string{"web_fetch", "http_request"} {
			if r, f := use(t, guarded, tool, args(map[string]any{"url": bad})); r.Error == "" || f.Message != "" ||
				strings.Contains(r.Error, "hunter2") {
				t.Errorf("%s %s: %+v %+v", tool, bad, r, f)
			}
		}
	}
}

// TestRedirectsToPrivatePlaces: an allowed page redirects to a forbidden one.
func TestRedirectsToPrivatePlaces(t *testing.T) {
	set := open(t, local, "") // this machine is allowed, private networks are not
	for _, to := range []string{"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/",
		"http://[::ffff:192.168.1.1]/", "http://[fd00::1]/"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, status) })
			if _, f := use(t, set, "web_fetch", args(map[string]any{"url": url})); f.Code != outbound.Forbidden {
				t.Errorf("%d to %s: %+v", status, to, f)
			}
			// A request shows the redirect and does not follow it.
			if r, _ := use(t, set, "http_request",
				args(map[string]any{"url": url})); get(t, r, "status") != fmt.Sprint(status) ||
				get(t, r, "headers", "location") != to {
				t.Errorf("%d to %s: %s", status, to, r.Output)
			}
		}
	}
	for to, code := range map[string]string{"file:///etc/passwd": outbound.Redirected,
		"ftp://example.com/": outbound.Redirected} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, 302) })
		if _, f := use(t, set, "web_fetch", args(map[string]any{"url": url})); f.Code != code {
			t.Errorf("to %s: %+v", to, f)
		}
	}
	loop := ""
	loop = serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, loop, 302) })
	if _, f := use(t, set, "web_fetch", args(map[string]any{"url": loop})); f.Code != outbound.Redirected || f.Transient {
		t.Errorf("%+v", f)
	}
	other := serve(t, page("text/plain", "there"))
	away := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/x", 302) })
	if r, _ := use(t, set, "web_fetch", args(map[string]any{"url": away})); get(t, r, "text") != "there" ||
		get(t, r, "url") != other+"/x" {
		t.Errorf("%s", r.Output)
	}
}

func TestHTTPRequest(t *testing.T) {
	set := open(t, local, "")
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(fmt.Sprint(r.Method, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("X-A"), " ",
			r.Header.Get("Idempotency-Key"), " ", string(body)))
	})
	for _, c := range []struct{ args, want string }{
		{`{"url":%q}`, "GET    "},
		{`{"url":%q,"method":"POST","body":{"n":9007199254740993},"headers":{"x-a":"b"}}`,
			`POST application/json b k1 {"n":9007199254740993}`},
		{`{"url":%q,"method":"PUT","body":"plain"}`, "PUT text/plain; charset=utf-8  k1 plain"},
		{`{"url":%q,"method":"PATCH","body":"<x/>","headers":{"Content-Type":"application/xml"}}`,
			"PATCH application/xml  k1 <x/>"},
		{`{"url":%q,"method":"DELETE","body":null}`, "DELETE   k1 "},
	} {
		r, f := use(t, set, "http_request", fmt.Sprintf(c.args, url))
		if get(t, r, "body") != c.want || get(t, r, "status") != "201" ||
			get(t, r, "headers", "content-type") != "application/json" {
			t.Errorf("%s: %s %+v", c.args, r.Output, f)
		}
	}
	if r, _ := use(t, set, "http_request", fmt.Sprintf(`{"url":%q,"method":"HEAD"}`,
		url)); get(t, r, "status") != "201" || get(t, r, "body") != "" {
		t.Errorf("%s", r.Output)
	}
	for _, headers := range []string{`{"Host":"x"}`, `{"Idempotency-Key":"x"}`, `{"bad name":"x"}`, `{"X":"a\r\nY: b"}`,
		`{"Transfer-Encoding":"chunked"}`} {
		if r, f := use(t, set, "http_request", fmt.Sprintf(`{"url":%q,"headers":%s}`, url, headers)); r.Error == "" ||
			f.Message != "" {
			t.Errorf("%s: %+v", headers, r)
		}
	}
	exact := serve(t, page("application/json", `{"n": 0.10, "m": 1E400}`))
	if r, _ := use(t, set, "http_request", fmt.Sprintf(`{"url":%q}`, exact)); get(t, r, "body") != `{"n":0.10,"m":1E400}` {
		t.Errorf("%s", r.Output)
	}
	if r, _ := use(t, set, "http_request", fmt.Sprintf(`{"url":%q}`,
		serve(t, page("image/png", "\x89PNG")))); !strings.Contains(get(t, r, "note"), "image/png") {
		t.Errorf("%s", r.Output)
	}
}

// TestUnanswered: which requests are retried.
func TestUnanswered(t *testing.T) {
	set := open(t, local, "")
	cut := serve(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	if _, f := use(t, set, "http_request", fmt.Sprintf(`{"url":%q}`, cut)); f.Code != outbound.Unreachable ||
		!f.Transient {
		t.Errorf("GET: %+v", f)
	}
	if r, f := use(t, set, "http_request", fmt.Sprintf(`{"url":%q,"method":"POST"}`, cut)); !strings.Contains(r.Error,
		"may have been carried out") {
		t.Errorf("POST: %+v %+v", r, f)
	}
	// no request was made
	if _, f := use(t, set, "http_request", `{"url":"http://127.0.0.1:1/","method":"POST"}`); !f.Transient {
		t.Errorf("POST to nobody: %+v", f)
	}
	if r, f := use(t, set, "web_fetch", `{"url":"http://no-such-host.invalid/"}`); r.Error == "" && !f.Transient {
		t.Errorf("%+v %+v", r, f)
	}
	hangs := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	tool, _ := set.Get("web_fetch")
	if _, err := tool.Run(ctx, port.ToolWork{Args: json.RawMessage(fmt.Sprintf(`{"url":%q}`, hangs))},
		nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestRequestsByMethod(t *testing.T) {
	tool, _ := builtin.New(builtin.Options{}).Get("http_request")
	for args, want := range map[string]run.ToolSpec{
		`{"url":"x"}`:                   {Class: risk.Class(risk.Low), ReadOnly: true},
		`{"url":"x","method":"GET"}`:    {Class: risk.Class(risk.Low), ReadOnly: true},
		`{"url":"x","method":"HEAD"}`:   {Class: risk.Class(risk.Low), ReadOnly: true},
		`{"url":"x","method":"POST"}`:   {Class: risk.ApprovalRequired, Operation: "external_api_call"},
		`{"url":"x","method":"DELETE"}`: {Class: risk.ApprovalRequired, Operation: "delete", Destructive: true},
		`{"url":"x","method":"get"}`:    {Class: risk.ApprovalRequired, Operation: "external_api_call"},
		`{"method":7}`:                  {Class: risk.ApprovalRequired, Operation: "external_api_call"},
		`{"method":""}`:                 {Class: risk.Class(risk.Low), ReadOnly: true},
		`[]`:                            {Class: risk.ApprovalRequired, Operation: "external_api_call"},
		``:                              {Class: risk.ApprovalRequired, Operation: "external_api_call"},
	} {
		var got run.ToolSpec
		tool.Vary(&got, json.RawMessage(args))
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
