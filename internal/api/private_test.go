package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Words that stand in one approval and nowhere else in its run.
const (
	quietTitle   = "quiet-title-55d1"
	quietRemark  = "quiet-remark-55d1"
	quietComment = "quiet-comment-55d1"
)

// doors are the ways to read what happened in a run; each returns all that it says.
func doors(d *desk, id string, last int64, who []string) map[string]string {
	d.Helper()
	out := map[string]string{}
	for name, path := range map[string]string{
		"run": "/runs/" + id, "full run": "/runs/" + id + "?full=true", "events": "/runs/" + id + "/events?limit=1000",
		"full events": "/runs/" + id + "/events?full=true&limit=1000", "state": "/runs/" + id + "/state",
		"approvals": "/approvals?status=approved&run=" + id, "step": "/runs/" + id + "/steps/b",
	} {
		out[name] = string(d.get(path, who...).want(200).body)
	}
	w, err := watch(d.Context(), d.http.URL+base+"/events?after=0&run="+id, who...)
	if err != nil {
		d.Fatal(err)
	}
	defer w.close()
	conn, _, err := d.dial("?after=0&run="+id, who...)
	if err != nil {
		d.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // the test is over
	read := func(name string, next func() (view.Event, error)) {
		for {
			e, err := next()
			if err != nil {
				d.Fatalf("%s: %v", name, err)
			}
			raw, err := json.Marshal(e)
			if err != nil {
				d.Fatal(err)
			}
			if out[name] += string(raw); e.Seq >= last {
				return
			}
		}
	}
	read("SSE", w.event)
	read("WebSocket", func() (view.Event, error) { e, _, err := message(d, conn); return e, err })
	return out
}

// wantDoors checks every endpoint against what a caller may see.
func wantDoors(d *desk, who string, doors map[string]string, sees bool, words ...string) {
	d.Helper()
	for door, text := range doors {
		telling := strings.Contains(door, "events") || door == "SSE" || door == "WebSocket"
		for _, word := range words {
			switch found := strings.Contains(text, word); {
			case found && !sees:
				d.Errorf("%s may not see the approval and reads %q through %s", who, word, door)
			case !found && sees && telling:
				d.Errorf("%s may see the approval and does not find %q through %s", who, word, door)
			}
		}
	}
}

// TestPrivateApprovals: to see a run is not to see all that it asks. What an approval
// says is masked alike through every door for those who may not see it.
func TestPrivateApprovals(t *testing.T) {
	d := office(t, Options{})
	password := "amber willow ninety sand"
	people := map[string][]string{"eve": {"stranger"}, "carl": {"legal"}, "vera": {"watcher"}, "otto": {"outer_only"}}
	for name, roles := range people {
		if _, _, err := d.parts.Auth.PutAccount(t.Context(),
			port.PutAccount{Name: name, Password: &password, Roles: &roles}); err != nil {
			t.Fatal(err)
		}
	}
	roles := filepath.Join(t.TempDir(), "roles.yaml")
	text := "role: watcher\npermissions: [view]\n---\nrole: outer_only\npermissions: [view]\nworkflows: [outer]\n"
	if err := os.WriteFile(roles, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", roles); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann := d.signIn("ann", annPassword)
	who := map[string][]string{"ann": ann}
	for name := range people {
		who[name] = d.signIn(name, password)
	}
	for _, doc := range [][2]string{
		{"/workflows/quiet", `{"workflow":"quiet","steps":[{"id":"a","agent":"writer"},{"id":"b","agent":"writer","needs":["a"]}],"gates":[
			{"id":"first","at":"before a","assignees":["eve"]},{"id":"second","at":"before b","role":"legal","title":"` +
			quietTitle + `"}]}`},
		{"/workflows/outer", `{"workflow":"outer","steps":[{"id":"within","workflow":"quiet"}]}`},
	} {
		d.send("PUT", base+doc[0]+"?publish=true", doc[1], ann...).want(201)
	}
	id := into[view.Run](d.post("/runs", `{"workflow":"quiet"}`, ann...).want(201)).ID
	first := d.untilPending(id, "", ann)
	d.decide(first, `{"act":"approve","version":1}`, who["eve"])
	second := d.untilPending(id, first, ann)
	d.get("/approvals/"+second, who["eve"]...).refused(404, "not_found")
	for name, sees := range map[string]bool{"ann": true, "carl": true, "vera": true, "eve": false} {
		v := into[view.Run](d.get("/runs/"+id, who[name]...).want(200))
		if got := len(v.PendingApprovals) == 1; got != sees || v.Status != "waiting" {
			t.Errorf("%s sees %v of a run that is %s", name, v.PendingApprovals, v.Status)
		}
	}
	d.post("/approvals/"+second+"/comments", `{"text":"`+quietRemark+`"}`, who["carl"]...).want(200)
	d.decide(second, `{"act":"approve","version":1,"comment":"`+quietComment+`"}`, who["carl"])
	last := d.until(id, "completed", ann...).Seq
	for name, sees := range map[string]bool{"ann": true, "carl": true, "vera": true, "eve": false} {
		wantDoors(d, name, doors(d, id, last, who[name]), sees, quietTitle, quietRemark, quietComment)
	}
	events := into[view.List[view.Event]](d.get("/runs/"+id+"/events?limit=1000", who["eve"]...).want(200))
	if int64(len(events.Items)) != last {
		t.Errorf("%d events of %d", len(events.Items), last)
	}
	masked := map[string]bool{}
	for _, e := range events.Items {
		if e.Masked {
			masked[e.Type] = true
		}
	}
	for _, kind := range []string{"approval.needed", "approval.commented", "approval.decided", "approval.resolved"} {
		if !masked[kind] {
			t.Errorf("no %s is masked: %v", kind, masked)
		}
	}

	// A run within a run: who may see the outer one alone learns that it waits.
	outer := into[view.Run](d.post("/runs", `{"workflow":"outer"}`, ann...).want(201)).ID
	inner := d.untilPending(outer, "", ann)
	if got := into[view.Run](d.get("/runs/"+outer, who["otto"]...).want(200)); len(got.PendingApprovals) != 0 {
		t.Errorf("otto is told of %v", got.PendingApprovals)
	}
	d.get("/approvals/"+inner, who["otto"]...).refused(404, "not_found")
}

// TestPrivateApprovalsWithoutSignIn: where roles are only names, who does not hold the
// role that is asked by default finds nothing of the question.
func TestPrivateApprovalsWithoutSignIn(t *testing.T) {
	d := open(t, Options{})
	zoe, pat, admin := as("zoe", "nobody"), as("pat", "approver"), as("ann", "admin")
	d.send("PUT", base+"/agents/unsure", `{"agent":"unsure","kind":"scripted","answers":[{"output":{},"confidence":0.2}]}`, admin...).want(201)
	d.send("PUT", base+"/workflows/unasked?publish=true",
		`{"workflow":"unasked","steps":[{"id":"b","agent":"unsure"}]}`, admin...).want(201)
	id := into[view.Run](d.post("/runs", `{"workflow":"unasked"}`, admin...).want(201)).ID
	ap := d.untilPending(id, "", admin)
	d.get("/approvals/"+ap, zoe...).refused(404, "not_found")
	d.get("/approvals/"+ap, pat...).want(200)
	d.post("/approvals/"+ap+"/comments", `{"text":"`+quietRemark+`"}`, admin...).want(200)
	if v := into[view.Run](d.get("/runs/"+id, zoe...).want(200)); len(v.PendingApprovals) != 0 {
		t.Errorf("zoe is told of %v", v.PendingApprovals)
	}
	d.decide(ap, `{"act":"approve","version":1,"comment":"`+quietComment+`"}`, pat)
	last := d.until(id, "completed", admin...).Seq
	for name, c := range map[string]struct {
		who  []string
		sees bool
	}{"zoe": {zoe, false}, "pat": {pat, true}, "ann": {admin, true}} {
		wantDoors(d, name, doors(d, id, last, c.who), c.sees, quietRemark, quietComment)
	}
}

// untilPending follows a run until it waits for one approval that is not the one given.
func (d *desk) untilPending(id, before string, who []string) string {
	d.Helper()
	w, err := watch(d.Context(), d.http.URL+base+"/events?after=0", who...)
	if err != nil {
		d.Fatal(err)
	}
	defer w.close()
	for {
		v := into[view.Run](d.get("/runs/"+id, who...).want(200))
		if len(v.PendingApprovals) == 1 && v.PendingApprovals[0] != before {
			return v.PendingApprovals[0]
		}
		if _, err := w.event(); err != nil {
			d.Fatal(err)
		}
	}
}

func (d *desk) decide(approval, body string, who []string) {
	d.Helper()
	d.post("/approvals/"+approval+"/decisions", body, who...).want(200)
}
