package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func framed() http.Handler {
	return handler(fstest.MapFS{
		"index.html":           {Data: []byte(`<head><!--links--></head><div id="root"><!--frame--></div>`)},
		".first/inbox.html":    {Data: []byte("frame of the inbox")},
		".first/approval.html": {Data: []byte("frame of an approval")},
		".first/page.html":     {Data: []byte("frame of any page")},
		".vite/manifest.json": {Data: []byte(`{
			"index.html": {"file": "assets/index-1.js", "isEntry": true, "imports": ["_libraries.js"]},
			"_libraries.js": {"file": "assets/libraries-1.js"},
			"_form.js": {"file": "assets/form-1.js", "imports": ["_libraries.js"]},
			"src/approval/index.tsx": {"file": "assets/approval-1.js", "imports": ["index.html", "_form.js"]},
			"src/inbox/index.tsx": {"file": "assets/inbox-1.js", "imports": ["index.html"]},
			"src/runs/index.tsx": {"file": "assets/runs-1.js", "imports": ["index.html"]}
		}`)},
	})
}

const (
	inboxJS    = `<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/inbox-1.js">`
	inboxLater = `<link rel="later" fetchpriority="low" crossorigin href="/assets/inbox-1.js">`
	inboxData  = `<link rel="preload" as="fetch" crossorigin href="/api/v1/approvals?sort=priority&amp;status=pending&amp;limit=100">`
	frameData  = `<link rel="later" as="fetch" crossorigin href="/api/v1/me"><link rel="later" as="fetch" crossorigin href="/api/v1/approvals?status=pending&amp;limit=1">`
	approvalJS = `<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/approval-1.js"><link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/form-1.js">`
)

func TestPagesBringTheirFrameAndAskAheadForWhatTheyNeed(t *testing.T) {
	for _, c := range []struct{ path, links, frame string }{
		{"/inbox", inboxLater + inboxData + frameData, "frame of the inbox"},
		{"/", inboxLater + inboxData + frameData, "frame of the inbox"},
		{"/inbox?risk=high", inboxJS, "frame of the inbox"}, // other data
		{"/approvals/apr_1", strings.ReplaceAll(approvalJS, "modulepreload", "later") +
			`<link rel="preload" as="fetch" crossorigin href="/api/v1/approvals/apr_1">` + frameData, "frame of an approval"},
		{"/approvals/apr_1?edit=true", approvalJS, "frame of an approval"},
		{"/runs", `<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/runs-1.js">`, "frame of any page"},
		{"/elsewhere", "", "frame of any page"},
		{"/sign-in", "", ""},
		// What is no plain name does not get into the page.
		{"/approvals/%22%3E%3Cscript%3E", "", "frame of any page"},
		{"/approvals/a/b", "", "frame of any page"},
		{"/approvals/" + strings.Repeat("a", 129), "", "frame of any page"},
	} {
		want := "<head>" + c.links + `</head><div id="root">` + c.frame + "</div>"
		if got := get(t, framed(), c.path).Body.String(); got != want {
			t.Errorf("%s:\n%s\nexpected\n%s", c.path, got, want)
		}
	}
}

func TestFilesForTheServerAreNotServed(t *testing.T) {
	if w := get(t, framed(), "/.first/inbox.html", "Accept", "text/plain"); w.Code != http.StatusNotFound {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPagesArePackedForWhoeverTakesThemSo(t *testing.T) {
	plain := get(t, framed(), "/inbox")
	packed := get(t, framed(), "/inbox", "Accept-Encoding", "gzip, br")
	if packed.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" ||
		plain.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v, %v", packed.Header(), plain.Header())
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() {
		t.Errorf("%v: %s, expected %s", err, text, plain.Body)
	}
}

// The pages are named in the router, too; a page whose address changes must not be forgotten here.
func TestEveryPlaceIsAnAddressOfTheRouter(t *testing.T) {
	router, err := os.ReadFile("src/pages.tsx")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  "(/[^"]*)": \{`).FindAllStringSubmatch(string(router), -1) {
		named[strings.TrimSuffix(m[1], "$id")] = true
	}
	for _, p := range places {
		if !named[p.path] {
			t.Errorf("the router does not know %s", p.path)
		}
		if _, err := os.Stat(p.chunk); err != nil {
			t.Errorf("%s: %v", p.path, err)
		}
	}
}
