package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/view"
)

// TestSearch: everything that somebody may see is found by its words, and nothing
// else; whatever is typed is text.
func TestSearch(t *testing.T) {
	d := open(t, Options{})
	doc := "workflow: parcel\ndescription: Lost and found\nsubject: \"Parcel {code} for {who}\"\nsteps: [{ id: " +
		"draft, agent: writer }]\n" +
		"gates: [{ id: review, at: after draft, title: Send it again, role: approver }]\n"
	d.send("PUT", base+"/workflows/parcel?publish=true", doc, "Content-Type", "application/yaml").want(201)
	begin := func(code, who string, headers ...string) view.Run {
		return into[view.Run](d.post("/runs", fmt.Sprintf(`{"workflow":"parcel","input":{"code":%q,"who":%q}}`, code, who),
			headers...).want(201))
	}
	ann := as("ann", "approver")
	one, two := begin("PX-100%", "Zoë Brandt", ann...), begin("PX-200", `O"Neil AND NOT`, ann...)
	d.until(one.ID, "waiting")
	waiting := d.until(two.ID, "waiting")
	d.post("/approvals/"+waiting.PendingApprovals[0]+"/decisions", `{"act":"approve","version":1}`,
		as("bob", "approver")...).want(200)
	d.until(two.ID, "completed")

	find := func(q string, headers ...string) string {
		t.Helper()
		v := into[view.FoundList](d.get("/search?q="+url.QueryEscape(q), headers...).want(200))
		var out []string
		for _, f := range v.Items {
			out = append(out, f.Kind+" "+strings.TrimSpace(f.Title+" "+f.Status))
		}
		return strings.Join(out, ", ")
	}
	const (
		pending = "approval Send it again pending"
		settled = "approval Send it again approved"
		first   = "run Parcel PX-100% for Zoë Brandt waiting"
		second  = `run Parcel PX-200 for O"Neil AND NOT completed`
	)
	for q, want := range map[string]string{
		"zoë":                         pending + ", " + first,
		"PX send":                     pending + ", " + settled,
		"px-200":                      second + ", " + settled,
		"  Parcel   ANN ":             pending + ", " + second + ", " + first + ", " + settled,
		"found lost":                  "workflow parcel",
		one.ID:                        first + ", " + pending,
		waiting.PendingApprovals[0]:   settled,
		`o"neil and not`:              second + ", " + settled,
		"100%":                        pending + ", " + first,
		"":                            "",
		"   ":                         "",
		"zoë px-200":                  "",
		`"*" OR 1=1 --`:               "",
		"%":                           "",
		"'; DROP TABLE runs; --":      "",
		"NEAR(px, 3)":                 "",
		"\x00\u200b":                  "",
		"run_":                        "",
		strings.Repeat("a", 200):      "",
		strings.Repeat("( ) ~ ^ ", 9): "",
	} {
		if q == "run_" {
			d.get("/search?q=run_").want(200) // every run
			continue
		}
		if got := find(q, ann...); got != want {
			t.Errorf("%q: %s\nnot %s", q, got, want)
		}
	}
	d.get("/search?q="+strings.Repeat("a", 201)).refused(422, "invalid")
	d.get("/search?q="+strings.Repeat("a", 10_000)).refused(422, "invalid")
	d.get("/search?q=\xff\xfe").want(200)
	if n := len(into[view.FoundList](d.get("/search?q=parcel&limit=1", ann...).want(200)).Items); n != 4 {
		t.Errorf("%d, not one of each kind", n)
	}
}

// TestGroupedList: the list can be asked for groups, of pending approvals only.
func TestGroupedList(t *testing.T) {
	d := open(t, Options{})
	doc := "workflow: notes\nsteps: [{ id: draft, agent: writer }]\ngates: [{ id: one, at: after draft, title: First " +
		"}, { id: two, at: after draft, title: Second }]\n"
	d.send("PUT", base+"/workflows/notes?publish=true", doc, "Content-Type", "application/yaml").want(201)
	v := into[view.Run](d.post("/runs", `{"workflow":"notes"}`).want(201))
	d.until(v.ID, "waiting")
	list := into[view.List[view.Approval]](d.get("/approvals?group=alike&run=" + v.ID).want(200))
	if len(list.Items) != 2 || list.Total != 2 || list.Items[0].Alike != nil {
		t.Errorf("two gates ask two things: %+v", list)
	}
	d.get("/approvals?group=alike&status=approved").refused(422, "invalid")
	d.get("/approvals?group=other").refused(422, "invalid")
}
