package api

import (
	"github.com/assent-run/assent/internal/api/pack"

	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

func TestLongAnswersArePackedForWhoeverTakesThemSo(t *testing.T) {
	d := open(t, Options{})
	for range 8 {
		d.asked("ask")
	}
	get := func(path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, base+path, nil)
		r.Host = "localhost"
		r.Header.Set(headerUser, "ann")
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		d.api.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return w
	}
	plain := get("/approvals", "").Body.String()
	if len(plain) < pack.Min {
		t.Fatalf("%d bytes are too few to tell", len(plain))
	}
	packed := get("/approvals", "gzip, deflate, br")
	h := packed.Header()
	if h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" ||
		h.Get("Cache-Control") != "no-store" || h.Get("Content-Length") != strconv.Itoa(packed.Body.Len()) {
		t.Errorf("headers: %v", h)
	}
	if packed.Body.Len() > len(plain)/2 {
		t.Errorf("%d bytes became %d", len(plain), packed.Body.Len())
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain {
		t.Errorf("%v: %s, expected %s", err, text, plain)
	}
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip; q=0.0", "identity"} {
		w := get("/approvals", accept)
		if w.Header().Get("Content-Encoding") != "" || w.Body.String() != plain ||
			w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("with %q: %v", accept, w.Header())
		}
	}
	if w := get("/me", "gzip"); w.Header().Get("Content-Encoding") != "" || w.Header().Get("Vary") != "" {
		t.Errorf("a short answer: %v", w.Header())
	}
}
