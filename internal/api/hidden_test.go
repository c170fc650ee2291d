package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// TestHiddenAndMissingAreTheSame: to somebody who may not see it, everything that
// can be asked of a run, an approval or a deliverable is answered as if it were
// not there, byte by byte; and it is said what to do.
func TestHiddenAndMissingAreTheSame(t *testing.T) {
	d := office(t, Options{})
	password := "amber willow ninety sand"
	if _, _, err := d.parts.Auth.PutAccount(t.Context(),
		port.PutAccount{Name: "eve", Password: &password, Roles: &[]string{"stranger"}}); err != nil {
		t.Fatal(err)
	}
	ann, eve := d.signIn("ann", annPassword), d.signIn("eve", password)
	d.send("PUT", base+"/agents/maker", `{"agent":"maker","kind":"scripted","answers":[{"output":{},"deliverables":[{"name":"a.md","content":"secret"}]}]}`, ann...).want(201)
	d.send("PUT", base+"/workflows/hidden?publish=true",
		`{"workflow":"hidden","steps":[{"id":"s","agent":"maker"}],"gates":[{"id":"g","at":"after s","role":"approver"}]}`,
		ann...).want(201)
	run := into[view.Run](d.post("/runs", `{"workflow":"hidden"}`, ann...).want(201)).ID
	d.until(run, "waiting", ann...)
	approval := into[view.List[view.Approval]](d.get("/approvals?run="+run, ann...).want(200)).Items[0].ID
	deliverable := into[view.List[view.Deliverable]](d.get("/deliverables?run="+run, ann...).want(200)).Items[0].ID

	tried, told := 0, map[string]bool{}
	for _, op := range operations() {
		for prefix, id := range map[string]string{"/runs/{id}": run, "/approvals/{id}": approval,
			"/deliverables/{id}": deliverable} {
			if !strings.HasPrefix(op.Path, base+prefix) {
				continue
			}
			tried++
			// As long as the other, so that not even the length tells.
			other := id[:4] + strings.Repeat("0", 8) + id[12:]
			ask := func(id string) answer {
				address := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(strings.Replace(op.Path, "{id}", id, 1), "s")
				return d.send(op.Method, address, op.Example, eve...)
			}
			hidden, missing := ask(id), ask(other)
			if got, want := strings.ReplaceAll(string(hidden.body), id, other),
				string(missing.body); hidden.status != missing.status || got != want {
				t.Errorf("%s %s: hidden is %d %s\nmissing is %d %s", op.Method, op.Path, hidden.status, got, missing.status, want)
			}
			if got, want := telling(hidden), telling(missing); !slices.Equal(got, want) {
				t.Errorf("%s %s: hidden has the headers %q, missing %q", op.Method, op.Path, got, want)
			}
			if hidden.status == 404 {
				if p := hidden.refused(404, "not_found"); !strings.HasPrefix(p.Hint, "check the id; list ") {
					t.Errorf("%s %s: %+v", op.Method, op.Path, p)
				}
				told[prefix] = true
			} else if hidden.status != 403 && hidden.status != 422 {
				t.Errorf("%s %s: %d %s", op.Method, op.Path, hidden.status, hidden.body)
			}
		}
	}
	if tried < 20 || len(told) != 3 {
		t.Errorf("%d operations were tried, and %v are not there", tried, told)
	}
}

// telling are the headers of an answer without what differs every time.
func telling(a answer) []string {
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if name != "Date" && name != "X-Request-Id" {
			out = append(out, name+": "+strings.Join(a.header[name], ", "))
		}
	}
	return out
}
