package page

import (
	"html"
	"net/http"
	"strings"
)

// markup writes HTML. Names of elements come from this package; everything else is escaped.
type markup struct {
	b     strings.Builder
	forms bool // the page has a form, for this server
}

func begin(title string) *markup {
	m := &markup{}
	m.b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	m.element("title", title)
	m.b.WriteString("<style>" + style + "</style>\n</head>\n<body>\n")
	return m
}

// open begins an element, with an id if one is given.
func (m *markup) open(name string, id ...string) *markup {
	m.b.WriteString("<" + name)
	for _, v := range id {
		m.b.WriteString(` id="` + html.EscapeString(v) + `"`)
	}
	m.b.WriteString(">")
	return m
}

func (m *markup) close(name string) *markup {
	m.b.WriteString("</" + name + ">")
	if name != "a" && name != "code" && name != "strong" {
		m.b.WriteString("\n")
	}
	return m
}

func (m *markup) text(s string) *markup {
	m.b.WriteString(html.EscapeString(s))
	return m
}

func (m *markup) element(name, text string) *markup { return m.open(name).text(text).close(name) }

// link is a link inside this server: the address begins with / or #.
func (m *markup) link(to, text string) *markup {
	m.b.WriteString(`<a href="` + html.EscapeString(to) + `">`)
	return m.text(text).close("a")
}

func (m *markup) send(w http.ResponseWriter) {
	m.b.WriteString("</body>\n</html>\n")
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	if m.forms {
		h.Set("Content-Security-Policy", strings.Replace(policy, "form-action 'none'", "form-action 'self'", 1))
	}
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write([]byte(m.b.String())) // a client that disconnected is not an error
}
