package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/assembly"
)

// TestProblemsExplainThemselves: the type of every problem is an address that
// explains it, for people and for programs, also for who is not signed in.
func TestProblemsExplainThemselves(t *testing.T) {
	how := assembly.SignIn{Password: true}
	how.Cost.MemoryKiB, how.Cost.Rounds, how.Cost.Lanes = 64, 1, 1
	d := openWith(t, Options{}, how)
	told := d.get("/runs").refused(401, "unauthenticated")
	for _, m := range problem.Meanings {
		address := problem.Base + string(m.Code)
		page := d.send("GET", address, "", "Accept", "text/html,application/xhtml+xml")
		if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") ||
			!strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", address, page.status, page.header)
		}
		if !bytes.Contains(page.body, []byte(m.Title)) || !bytes.Contains(page.body, []byte("What to do")) {
			t.Errorf("%s: %s", address, page.body)
		}
		var v problem.Explanation
		raw := d.send("GET", address, "", "Accept", "application/json")
		if err := json.Unmarshal(raw.body, &v); err != nil || v.Code != m.Code || v.Happened == "" || v.ToDo == "" ||
			v.Status == 0 {
			t.Errorf("%s: %s %v", address, raw.body, err)
		}
	}
	if page := d.send("GET", told.Type, ""); page.status != 200 {
		t.Errorf("%s: %d", told.Type, page.status)
	}
	var all []problem.Explanation
	if err := json.Unmarshal(d.send("GET", problem.Base, "", "Accept", "application/json").body, &all); err != nil ||
		len(all) != len(problem.Codes()) {
		t.Errorf("%d explanations of %d codes, %v", len(all), len(problem.Codes()), err)
	}
	if got := d.send("GET", problem.Base+"odd", ""); got.status != 404 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
