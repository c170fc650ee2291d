// Package web is the web interface, as files inside the program.
//
//	server := api.New(app, api.Options{Web: web.Handler()})
//
// The sources are in src; `make web` builds them into dist, which embed.go
// embeds. A program built with -tags noweb has no pages, and one built without
// `make web` has a single page that explains what is missing.
//
// Every response has a content security policy that allows only content from
// this server: no inline scripts, no other hosts.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Handler serves the web interface.
func Handler() http.Handler { return handler(built()) }

// nonceMark stands in index.html where each answer puts its own nonce.
const nonceMark = "__CSP_NONCE__"

// site is a built interface. Its files stay inside the program, whose pages a system loads when they are wanted.
type site struct {
	dist  fs.FS
	index []byte
	first first
	files map[string]file
}

type file struct {
	name    string
	kind    string           // the content type
	bare    bool             // the build kept it as it is; otherwise it is unpacked for the few clients that want that
	packed  map[string]int64 // sizes by encoding; none where it would not help
	tag     string           // of names that stay: changes with the content
	forever bool             // the name changes with the content
}

// endings are those of the names of packed files, by encoding.
var endings = map[string]string{"br": ".br", "gzip": ".gz"}

func handler(dist fs.FS) http.Handler {
	s := site{dist: dist, files: map[string]file{}}
	// What cannot be read is not there: then the page says how to build it.
	_ = fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || hidden(name) {
			return nil
		}
		if name == "index.html" {
			s.index, _ = fs.ReadFile(dist, name)
			return nil
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".br")
		if _, known := s.files["/"+name]; !known {
			s.files["/"+name] = newFile(dist, name)
		}
		return nil
	})
	s.first = firstOf(dist)
	return s
}

func newFile(dist fs.FS, name string) file {
	f := file{
		name: name, kind: kindOf(name), packed: map[string]int64{}, forever: strings.HasPrefix(name, "assets/"),
	}
	_, err := fs.Stat(dist, name)
	f.bare = err == nil
	for encoding, ending := range endings {
		if info, err := fs.Stat(dist, name+ending); err == nil { // not everything is packed
			f.packed[encoding] = info.Size()
		}
	}
	if !f.forever {
		sum := sha256.Sum256(f.plain(dist))
		f.tag = base64.RawURLEncoding.EncodeToString(sum[:12])
	}
	return f
}

// plain is the file as it is; one that cannot be read is empty.
func (f file) plain(dist fs.FS) []byte {
	if f.bare {
		body, _ := fs.ReadFile(dist, f.name)
		return body
	}
	packed, err := dist.Open(f.name + endings["gzip"])
	if err != nil {
		return nil
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return body
}

// open returns the file in an encoding, or as it is.
func (f file) open(dist fs.FS, encoding string) io.ReadSeeker {
	name := f.name
	if encoding != "" {
		name += endings[encoding]
	}
	if encoding != "" || f.bare {
		if opened, err := dist.Open(name); err == nil {
			if body, ok := opened.(io.ReadSeeker); ok { // inside the program: there is nothing to close
				return body
			}
		}
	}
	return bytes.NewReader(f.plain(dist))
}

// hidden tells the files that are for building only.
func hidden(name string) bool {
	return strings.HasPrefix(path.Base(name), ".") || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// kinds are the types of what a build makes. The machine's own table may be
// wrong or empty, and with nosniff a wrong type is a blank page.
var kinds = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2",
	".png":   "image/png", ".ico": "image/x-icon", ".json": "application/json",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
}

func kindOf(name string) string {
	ext := path.Ext(name)
	if kind := kinds[ext]; kind != "" {
		return kind
	}
	if kind := mime.TypeByExtension(ext); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// ServeHTTP implements http.Handler.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), "")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Pages are only read: use GET.", http.StatusMethodNotAllowed)
		return
	}
	if f, ok := s.files[r.URL.Path]; ok {
		s.serveFile(w, r, f)
		return
	}
	if !navigation(r) {
		http.Error(w, "File not found.", http.StatusNotFound)
		return
	}
	s.serveIndex(w, r)
}

// navigation tells whether a person goes to a page, which the program in the
// browser then shows. A missing file or endpoint must stay missing.
func navigation(r *http.Request) bool {
	p := r.URL.Path
	for _, prefix := range []string{"/api", "/assets"} {
		if p == prefix || strings.HasPrefix(p, prefix+"/") {
			return false
		}
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		return false
	}
	accept := r.Header.Get("Accept")
	return accept == "" || strings.Contains(accept, "text/html") || strings.Contains(accept, "*/*")
}

func (s site) serveFile(w http.ResponseWriter, r *http.Request, f file) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	if f.forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	encoding := ""
	if len(f.packed) > 0 {
		h.Add("Vary", "Accept-Encoding")
		encoding = encodingFor(r.Header.Get("Accept-Encoding"), f.packed)
	}
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	if f.tag != "" {
		h.Set("ETag", `"`+f.tag+encoding+`"`) // other bytes are another tag
	}
	http.ServeContent(w, r, "", time.Time{}, f.open(s.dist, encoding))
}

// encodingFor picks the smallest form that an Accept-Encoding header allows; "gzip;q=0" is a no.
func encodingFor(header string, packed map[string]int64) string {
	var best string
	for part := range strings.SplitSeq(header, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		name = strings.ToLower(strings.TrimSpace(name))
		size, there := packed[name]
		if there && wanted(q) && (best == "" || size < packed[best]) {
			best = name
		}
	}
	return best
}

// wanted reads a weight such as "q=0.5"; none means yes.
func wanted(q string) bool {
	q = strings.ReplaceAll(q, " ", "")
	return q == "" || strings.Trim(strings.TrimPrefix(q, "q="), "0.") != ""
}

func (s site) serveIndex(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	if s.index == nil {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(notBuilt)) // a client that went away is no error of ours
		}
		return
	}
	nonce := rand.Text()
	protect(h, nonce)
	if r.Method == http.MethodGet {
		page := bytes.ReplaceAll(s.index, []byte(nonceMark), []byte(nonce))
		writePage(w, r, s.first.put(page, r.URL))
	}
}

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that there is
	return z
}}

// writePage sends a page. Each has its own nonce, so none could be packed
// before.
func writePage(w http.ResponseWriter, r *http.Request, page []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if encodingFor(r.Header.Get("Accept-Encoding"), map[string]int64{"gzip": 0}) == "" {
		_, _ = w.Write(page) // a client that went away is no error of ours
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := packers.Get().(*gzip.Writer)
	z.Reset(w)
	_, _ = z.Write(page) // a client that went away is no error of ours
	_ = z.Close()
	packers.Put(z)
}

// protect says what pages may do. Styles that libraries put into the page need
// the nonce; scripts come from files alone.
func protect(h http.Header, nonce string) {
	styles := "style-src 'self'"
	if nonce != "" {
		styles += " 'nonce-" + nonce + "'"
	}
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; "+styles+
		"; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "+
		"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Assent</title></head>
<body>
<h1>Assent</h1>
<p>The server works, but this program was built without the web interface.</p>
<p>Run <code>make build</code> (it needs Node.js 20.19 or newer) and start <code>bin/assent</code>.</p>
<ul>
<li><a href="/api/v1/docs">/api/v1/docs</a>: all endpoints</li>
<li><a href="/api/v1/approvals?status=pending">/api/v1/approvals?status=pending</a>: pending approvals</li>
<li><a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a>: for operators</li>
</ul>
</body>
</html>
`
