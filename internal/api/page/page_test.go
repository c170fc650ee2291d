package page

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestEverythingIsEscaped(t *testing.T) {
	const evil = `"><script>alert('&')</script>`
	for name, send := range map[string]func(*httptest.ResponseRecorder){
		"index": func(w *httptest.ResponseRecorder) { Index(w, evil) },
		"docs": func(w *httptest.ResponseRecorder) {
			Docs(w, []Chapter{{Name: evil, Doc: evil, Operations: []Line{{Method: evil, Path: evil, Summary: evil,
				Description: evil, ID: evil, Parameters: []Hint{{evil, evil}}, Example: evil, Changes: true}}}})
		},
		"problems": func(w *httptest.ResponseRecorder) {
			Problems(w, []Problem{{Code: evil, Title: evil, Status: 422, Happened: evil, ToDo: evil}})
		},
	} {
		w := httptest.NewRecorder()
		send(w)
		body := w.Body.String()
		if strings.Contains(body, "<script") || !strings.Contains(body, "&lt;/script&gt;") {
			t.Errorf("%s: %s", name, body)
		}
		if !strings.HasPrefix(body, "<!doctype html>") || !strings.HasSuffix(body, "</body>\n</html>\n") ||
			!strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s is not a page: %v", name, w.Header())
		}
	}
}

func TestAnchorsLeadToChapters(t *testing.T) {
	w := httptest.NewRecorder()
	Docs(w, []Chapter{{Name: "Agents and tools"}})
	for _, part := range []string{`href="#agents-and-tools"`, `id="agents-and-tools"`} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("without %s: %s", part, w.Body)
		}
	}
}
