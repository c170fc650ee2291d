// Package page renders the plain pages of a server without a web interface: an introduction, the list of operations,
// and what each problem means. They are self-contained: no script, no external resources.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

//go:embed page.css
var style string

// policy lets a page use its own style and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}()

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

// Problem is a code of an error as the page shows it.
type Problem struct {
	Code, Title    string
	Status         int
	Happened, ToDo string
}

// Index introduces the server.
func Index(w http.ResponseWriter, version string) {
	m := begin("Assent")
	m.element("h1", "Assent")
	m.element("p", "Agents propose. People decide. Nothing is lost.")
	m.element("p", strings.TrimSuffix("This is the API of Assent "+version, " ")+".")
	m.open("ul")
	for _, e := range [][2]string{
		{"/api/v1/docs", "all endpoints"},
		{"/api/v1/openapi.json", "the OpenAPI document"},
		{"/api/v1/approvals?status=pending", "pending approvals"},
		{"/api/v1/runs", "runs, newest first"},
		{"/api/v1/events?after=0", "live events"},
		{"/readyz", "readiness"},
		{"/metrics", "metrics for Prometheus"},
	} {
		m.open("li").link(e[0], e[0]).text(": " + e[1]).close("li")
	}
	m.close("ul").send(w)
}

// Docs lists all operations.
func Docs(w http.ResponseWriter, chapters []Chapter) {
	m := begin("Assent API")
	m.element("h1", "Assent API")
	m.open("p").text("Generated from the same table as ").link("/api/v1/openapi.json", "openapi.json").
		text(", which also has the schemas of all bodies.").close("p")
	m.open("nav").open("ul")
	for _, c := range chapters {
		m.open("li").link("#"+anchor(c.Name), c.Name).text(": " + c.Doc).close("li")
	}
	m.close("ul").close("nav")
	for _, c := range chapters {
		m.open("h2", anchor(c.Name)).text(c.Name).close("h2")
		for _, o := range c.Operations {
			m.operation(o)
		}
	}
	m.send(w)
}

func (m *markup) operation(o Line) {
	m.open("section", o.ID)
	m.open("h3").element("code", o.Method+" "+o.Path).close("h3")
	m.open("p").element("strong", o.Summary+".").text(" " + o.Description)
	if o.Changes {
		m.text(" Accepts an Idempotency-Key.")
	}
	m.close("p")
	if len(o.Parameters) > 0 {
		m.open("dl")
		for _, p := range o.Parameters {
			m.open("dt").element("code", p.Name).close("dt").element("dd", p.Doc)
		}
		m.close("dl")
	}
	if o.Example != "" {
		m.element("pre", o.Example)
	}
	m.close("section")
}

// Problems explains codes of errors.
func Problems(w http.ResponseWriter, problems []Problem) {
	m := begin("Problems")
	for _, p := range problems {
		m.open("section", p.Code).element("h1", p.Title)
		m.open("p").element("code", p.Code).text(" · HTTP " + strconv.Itoa(p.Status)).close("p")
		m.element("h2", "What happened").element("p", p.Happened)
		m.element("h2", "What to do").element("p", p.ToDo)
		m.close("section")
	}
	m.open("p").link("/problems/", "All problems").text(" · ").link("/api/v1/docs", "API").close("p")
	m.send(w)
}

func anchor(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// OneClick is the field that a mail program sends to unsubscribe (RFC 8058), and the button of the page.
var OneClick = [2]string{"List-Unsubscribe", "One-Click"}

// Unsubscribe asks whether summaries by e-mail are to be turned off, or says that they are.
func Unsubscribe(w http.ResponseWriter, done bool) {
	m := begin("Summaries by e-mail")
	m.element("h1", "Summaries by e-mail")
	if done {
		m.element("p", "Summaries by e-mail are turned off. Approvals are still in your inbox.")
		m.open("p").link("/settings/notifications", "Change notifications").close("p")
	} else {
		m.forms = true
		m.element("p", "Turn off summaries by e-mail? Approvals stay in your inbox.")
		m.b.WriteString(`<form method="post"><input type="hidden" name="` + OneClick[0] + `" value="` + OneClick[1] +
			`"><button>Turn off</button></form>` + "\n")
	}
	m.send(w)
}
