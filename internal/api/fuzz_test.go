package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
)

// FuzzBodies: whatever is sent as a decision, a command or a run, the answer is
// an answer or a problem, and nothing falls over.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"act":"approve","version":1}`, `{"act":"modify","changes":{"amount":1},"version":1}`, `{"act":"reject"}`,
		`{"act":null,"version":1e9}`,
		`{"type":"pause","id":"x"}`, `{"type":"inject_steps","steps":[{"id":"a","agent":"writer"}]}`,
		`{"type":"modify_args","step":"draft","changes":[]}`,
		`{"type":"skip_step","layer":-1}`, `{"workflow":"ask","input":{"a":[1,2,{}]},"labels":{"a":"b"}}`,
		`{"changes":{"a":null}}`, `{"ids":["x"],"act":"approve"}`,
		`{"at_seq":1,"edits":{"outputs":{"draft":1}}}`, `{"older_than":"1s"}`, `[`, `{"a":1,"a":2}`, "\x00", `{"\ud800":1}`,
		`{"version":99999999999999999999}`,
	} {
		for kind := range 8 {
			f.Add(kind, body)
		}
	}
	d := open(f, Options{})
	ap := d.asked("form")
	paths := []string{
		"/approvals/" + ap.ID + "/decisions", "/runs/" + ap.Run + "/commands", "/runs", "/approvals/" + ap.ID + "/preview",
		"/approvals/batch", "/runs/" + ap.Run + "/fork", "/workflows/ask/preview", "/workflows/validate",
	}
	f.Fuzz(func(t *testing.T, kind int, body string) {
		if kind < 0 || strings.Contains(body, "submit") || strings.Contains(body, "expire") {
			return
		}
		path := base + paths[kind%len(paths)]
		r := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(headerUser, "eve")
		r.Header.Set(headerRoles, "viewer,stranger")
		w := httptest.NewRecorder()
		d.api.ServeHTTP(w, r)
		a := answer{t, w.Code, w.Header(), w.Body.Bytes()}
		switch {
		case w.Code >= 500:
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		case w.Code >= 400:
			a.problem()
		case w.Header().Get("Content-Type") != "application/json":
			t.Fatalf("%s: %s", path, w.Header())
		}
		if op := d.operation(r); op != nil {
			a.conforms(op)
		}
	})
}

// FuzzAddresses: whatever is asked for, too.
func FuzzAddresses(f *testing.F) {
	for _, address := range []string{"/api/v1/runs?limit=1", "/api/v1/approvals?status=pending&cursor=eyJ",
		"/api/v1/runs/x/events?after=1", "//", "/api/v1/workflows/%2e%2e", "/api/v1/runs?label=a:b&label=",
		"/api/v1/agents?cursor=YQ"} {
		f.Add("GET", address)
		f.Add("PUT", address)
	}
	d := open(f, Options{})
	f.Fuzz(func(t *testing.T, method, address string) {
		if strings.HasPrefix(address, contract.PathEvents) || !strings.HasPrefix(address, "/") ||
			strings.ContainsAny(address, " \r\n\t\x00#") {
			return
		}
		defer func() {
			if p := recover(); p != nil && !strings.Contains(address, "%") {
				t.Skip(p) // the request cannot be made
			}
		}()
		r := httptest.NewRequest("GET", "http://localhost"+address, nil)
		r.Method = method
		w := httptest.NewRecorder()
		d.api.ServeHTTP(w, r)
		a := answer{t, w.Code, w.Header(), w.Body.Bytes()}
		if w.Code >= 500 {
			t.Fatalf("%s %s: %d %s", method, address, w.Code, w.Body)
		}
		if w.Code >= 400 {
			a.problem()
		}
	})
}
