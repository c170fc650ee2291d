package web

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What a browser can do before the program in it runs: show the frame of the
// page, and fetch the scripts and the data that this page will ask for.
//
// The build leaves two marks in index.html. One is for links that fetch ahead;
// without them a browser finds out about the second half of the scripts, and
// about the data, only when the first half runs. The other is for the frame: the
// page as the program draws it while it waits for data, so that nothing moves
// when the program takes over. src/shell/first.test.tsx makes the frames.
const (
	linksMark = "<!--links-->"
	frameMark = "<!--frame-->"
)

// place is a page with what it needs first.
type place struct {
	path  string // ends in "/": whatever stands one level below
	chunk string // its source
	frame string // empty: that of any page
	data  string // where its data is; "*" is the last part of the path
	early bool   // src/first draws something of it before the program runs
}

// waiting is what the inbox reads first.
const waiting = "/api/v1/approvals?sort=priority&status=pending&limit=100"

// around is what the frame of every page reads: the user, and the number of
// pending approvals. It comes with the scripts.
var around = fetched("later", "/api/v1/me") + fetched("later", "/api/v1/approvals?status=pending&limit=1")

var places = []place{
	{path: "/inbox", chunk: "src/inbox/index.tsx", frame: "inbox", data: waiting, early: true},
	{path: "/", chunk: "src/inbox/index.tsx", frame: "inbox", data: waiting, early: true},
	{path: "/approvals/", chunk: "src/approval/index.tsx", frame: "approval", data: "/api/v1/approvals/*", early: true},
	{path: "/history", chunk: "src/history/index.tsx"},
	{path: "/runs", chunk: "src/runs/index.tsx"},
	{path: "/runs/", chunk: "src/run/index.tsx"},
	{path: "/deliverables", chunk: "src/deliverables/index.tsx"},
	{path: "/insights", chunk: "src/insights/index.tsx"},
	{path: "/workflows", chunk: "src/workflows/gallery.tsx"},
	{path: "/workflows/", chunk: "src/workflows/editor.tsx"},
	{path: "/suggest", chunk: "src/suggest/index.tsx"},
	{path: "/agents", chunk: "src/agents/index.tsx"},
	{path: "/policy", chunk: "src/policy/index.tsx"},
	{path: "/audit", chunk: "src/audit/index.tsx"},
	{path: "/people", chunk: "src/people/index.tsx"},
	{path: "/deliveries", chunk: "src/deliveries/index.tsx"},
	{path: "/channels", chunk: "src/deliveries/index.tsx"},
	{path: "/settings", chunk: "src/settings/server.tsx"},
	{path: "/settings/notifications", chunk: "src/settings/index.tsx"},
	{path: "/sign-in", chunk: "src/signin/index.tsx", frame: "none"},
}

// first knows what to put into the marks.
type first struct {
	links  map[string]string // by source: of its scripts, beside those that stand in index.html
	frames map[string][]byte
}

// chunk is an entry of the build's manifest, as far as it matters here.
type chunk struct {
	File    string   `json:"file"`
	Imports []string `json:"imports"`
	IsEntry bool     `json:"isEntry"`
}

// firstOf reads what the build left. Without it pages come a little later.
func firstOf(dist fs.FS) first {
	f := first{links: map[string]string{}, frames: map[string][]byte{}}
	for _, name := range []string{"inbox", "approval", "page"} {
		f.frames[name], _ = fs.ReadFile(dist, ".first/"+name+".html")
	}
	var manifest map[string]chunk
	text, err := fs.ReadFile(dist, ".vite/manifest.json")
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		return f
	}
	var own []string
	for key, c := range manifest {
		if c.IsEntry {
			own = scripts(manifest, key, own) // stands in index.html
		}
	}
	for _, p := range places {
		f.links[p.chunk] = modules(scripts(manifest, p.chunk, own)[len(own):])
	}
	return f
}

// scripts adds a chunk and all that it imports at once to known.
func scripts(manifest map[string]chunk, key string, known []string) []string {
	c, ok := manifest[key]
	if !ok || slices.Contains(known, c.File) {
		return known
	}
	known = append(known, c.File)
	for _, other := range c.Imports {
		known = scripts(manifest, other, known)
	}
	return known
}

// modules fetches scripts after the style and the data: the frame is seen before they run.
func modules(files []string) string {
	var b strings.Builder
	for _, file := range files {
		b.WriteString(`<link rel="modulepreload" fetchpriority="low" crossorigin href="/` + file + `">`)
	}
	return b.String()
}

// put fills the marks of a page for an address.
func (f first) put(page []byte, at *url.URL) []byte {
	links, frame, early := "", "page", false
	if p, ok := placeOf(at.Path); ok {
		data := p.ahead(at)
		links, early = f.links[p.chunk]+data, p.early && data != ""
		if early {
			links += around
		}
		if p.frame != "" {
			frame = p.frame
		}
	}
	page = bytes.Replace(page, []byte(linksMark), []byte(links), 1)
	if early { // the script that draws it lets the others come when it is seen
		page = bytes.ReplaceAll(page, []byte(`<link rel="modulepreload"`), []byte(`<link rel="later"`))
	}
	return bytes.Replace(page, []byte(frameMark), f.frames[frame], 1)
}

func placeOf(path string) (place, bool) {
	for _, p := range places {
		if p.path == path {
			return p, true
		}
		if rest, below := strings.CutPrefix(path, p.path); below && p.path != "/" && strings.HasSuffix(p.path, "/") &&
			plainID().MatchString(rest) {
			return p, true
		}
	}
	return place{}, false
}

// plainID is what may stand in a path that goes into the page as it is.
var plainID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`) })

// ahead fetches the data of a place. A filter in the address wants other data.
func (p place) ahead(at *url.URL) string {
	if p.data == "" || at.RawQuery != "" {
		return ""
	}
	href := strings.ReplaceAll(p.data, "*", at.Path[strings.LastIndexByte(at.Path, '/')+1:])
	return fetched("preload", href)
}

// fetched is a link to data.
func fetched(rel, href string) string {
	return `<link rel="` + rel + `" as="fetch" crossorigin href="` + strings.ReplaceAll(href, "&", "&amp;") + `">`
}
