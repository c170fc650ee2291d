// Package page renders the two plain pages of a server without a web interface: an introduction and the list of
// operations. They are self-contained: no script, no external resources.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
)

//go:embed page.css
var style string

//go:embed page.html
var source string

var pages = template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower,
	"style": func() template.CSS { return template.CSS(style) }}).Parse(source))

// policy lets a page use its own style and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}()

// Send renders a page and sends it; nothing is sent if rendering fails.
func Send(w http.ResponseWriter, name string, data any) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(b.Bytes()) // a client that disconnected is not an error
	return nil
}

// Chapter is one part of the list of operations.
type Chapter struct {
	Name, Doc  string
	Operations []Line
}

// Line is one operation as the page shows it.
type Line struct {
	Method, Path, Summary, Description, ID string
	Parameters                             []Hint
	Example                                string
	Changes                                bool
}

// Hint is a parameter as the page shows it.
type Hint struct{ Name, Doc string }
