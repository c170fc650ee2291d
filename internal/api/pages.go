package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
)

// Two plain pages, whole in themselves: no script, nothing from elsewhere.

//go:embed page.css
var pageStyle string

//go:embed page.html
var pageSource string

var pages = template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower, "style": func() template.CSS { return template.CSS(pageStyle) }}).Parse(pageSource))

// pagePolicy lets a page use its own style and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}()

func (s *Server) page(w http.ResponseWriter, name string, data any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		s.refuse(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(b.Bytes()) // a client that went away is no error of ours
}

// index says what this is, where there is no other web interface.
func (s *Server) index(w http.ResponseWriter) { s.page(w, "index", s.o.Version) }

// chapter is one part of the list of operations.
type chapter struct {
	Name, Doc  string
	Operations []line
}

// line is one operation as the page shows it.
type line struct {
	Method, Path, Summary, Description, ID string
	Parameters                             []hint
	Example                                string
	Changes                                bool
}

// hint is a parameter as the page shows it.
type hint struct{ Name, Doc string }

// docs lists all operations.
func (s *Server) docs(w http.ResponseWriter) {
	var out []chapter
	ops := operations()
	for _, t := range tags {
		c := chapter{Name: t.Name, Doc: t.Description}
		for i := range ops {
			if ops[i].tag == t.Name {
				c.Operations = append(c.Operations, ops[i].line())
			}
		}
		out = append(out, c)
	}
	s.page(w, "docs", out)
}

func (op *operation) line() line {
	l := line{Method: op.method, Path: op.path, Summary: op.summary, Description: op.description, ID: op.id, Example: op.example, Changes: op.changes}
	for _, p := range op.params {
		doc := p.Doc
		if p.Words != nil && len(p.Words) <= 12 {
			doc += " One of " + strings.Join(p.Words, ", ") + "."
		}
		l.Parameters = append(l.Parameters, hint{p.Name, doc})
	}
	return l
}
