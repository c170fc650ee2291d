package api

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/view"
)

// same checks that an answer is the one that was given before.
func (a answer) same(b answer) {
	a.Helper()
	if a.status != b.status || !bytes.Equal(a.body, b.body) ||
		a.header.Get("Content-Type") != b.header.Get("Content-Type") || a.header.Get("Location") != b.header.Get("Location") {
		a.Fatalf("%d %s\nis not\n%d %s", a.status, a.body, b.status, b.body)
	}
	if a.header.Get("Idempotency-Replayed") != "true" {
		a.Fatalf("not said to be a replay: %s", a.body)
	}
}

func TestTheSameKeyGivesTheSameAnswer(t *testing.T) {
	d := open(t, Options{})
	ann, bob := as("ann", "approver"), as("bob", "approver")
	ap, other, failed := d.asked("ask"), d.asked("ask"), d.begin("broken")
	d.until(failed.ID, "failed")
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
	}{
		{"start", "POST", "/runs", `{"workflow":"plain"}`, ann, 201},
		{"command", "POST", "/runs/" + other.Run + "/commands", `{"type":"pause"}`, ann, 202},
		{"command that changes nothing", "POST", "/runs/" + ap.Run + "/commands", `{"type":"snapshot"}`, ann, 202},
		{"decide", "POST", "/approvals/" + ap.ID + "/decisions", `{"act":"approve","version":1}`, bob, 200},
		{"decide too late", "POST", "/approvals/" + ap.ID + "/decisions",
			`{"act":"reject","comment":"no","version":1}`, ann, 409},
		{"retry", "POST", "/runs/" + failed.ID + "/retry", ``, ann, 201},
		{"resume", "POST", "/runs/" + failed.ID + "/resume", `{}`, ann, 200},
		{"fork", "POST", "/runs/" + failed.ID + "/fork", `{"at_seq":2}`, ann, 201},
		{"batch", "POST", "/approvals/batch", `{"ids":["` + other.ID + `"],"act":"approve"}`, bob, 200},
		{"save", "PUT", "/workflows/fresh", `{"workflow":"fresh","steps":[{"id":"a","agent":"writer"}]}`, nil, 201},
		{"save again", "PUT", "/workflows/fresh", `{"workflow":"fresh", "steps":[{"id":"a","agent":"writer"}]}`, nil, 200},
		{"publish", "POST", "/workflows/fresh/publish", `{"version":1}`, nil, 200},
		{"save badly", "PUT", "/workflows/fresh", `{"workflow":"fresh","stepz":[]}`, nil, 422},
		{"no JSON", "POST", "/runs", `{`, ann, 400},
		{"forbidden", "POST", "/runs", `{"workflow":"plain"}`, as("eve", "viewer"), 403},
		{"unknown", "POST", "/runs/run_nope/retry", ``, ann, 404},
		{"wrong type", "POST", "/runs", `workflow: plain`, append(ann, "Content-Type", "text/plain"), 415},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.TB = t
			headers := append([]string{"Idempotency-Key", "key of " + c.name}, c.headers...)
			first := d.send(c.method, base+c.path, c.body, headers...).want(c.status)
			if first.header.Get("Idempotency-Replayed") != "" {
				t.Fatal("the first answer is no replay")
			}
			d.send(c.method, base+c.path, c.body, headers...).same(first)
			d.restart()
			d.send(c.method, base+c.path, c.body, headers...).same(first)
			p := d.send(c.method, base+c.path, `{"something":"else"}`, headers...).refused(409, "conflict")
			if !strings.Contains(p.Detail, "Idempotency-Key") {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestKeysBelongToAPersonAndAPath(t *testing.T) {
	d := open(t, Options{})
	one := into[view.Run](d.post("/runs", `{"workflow":"plain"}`,
		append(as("ann", "approver"), "Idempotency-Key", "k")...).want(201))
	two := into[view.Run](d.post("/runs", `{"workflow":"plain"}`,
		append(as("bob", "approver"), "Idempotency-Key", "k")...).want(201))
	if one.ID == two.ID {
		t.Error("bob was told about ann's run")
	}
	// The same key for a command and for a decision of one run: both count.
	ap := d.asked("ask")
	ann := append(as("ann", "approver"), "Idempotency-Key", "k")
	d.post("/runs/"+ap.Run+"/commands", `{"type":"message","text":"hi"}`, ann...).want(202)
	if v := into[view.Approval](d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve","version":1}`,
		ann...).want(200)); v.Status != "approved" {
		t.Errorf("%+v", v)
	}
}

func TestTheIDOfACommandIsAKey(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("ask")
	ann, path := as("ann", "approver"), "/runs/"+ap.Run+"/commands"
	first := d.post(path, `{"id":"c1","type":"message","text":"hi"}`, ann...).want(202)
	d.post(path, `{"id":"c1","type":"message","text":"hi"}`, ann...).same(first)
	d.post(path, `{"id":"c1","type":"cancel"}`, ann...).refused(409, "conflict")
	// With a key of its own, the run still knows the id.
	again := d.post(path, `{"id":"c1","type":"message","text":"hi"}`, append(ann, "Idempotency-Key", "other")...).want(202)
	if !bytes.Equal(again.body, first.body) {
		t.Errorf("%s is not %s", again.body, first.body)
	}
	if events := into[view.List[view.Event]](d.get("/runs/" + ap.Run +
		"/events?limit=1000").want(200)); countType(events.Items, "message.added") != 1 {
		t.Errorf("%+v", events.Items)
	}
}

func countType(events []view.Event, kind string) int {
	n := 0
	for _, e := range events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

func TestConcurrentDuplicatesHaveOneEffect(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("pair")
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/runs", `{"workflow":"plain"}`},
		{"POST", "/approvals/" + ap.ID + "/decisions", `{"act":"approve","version":1}`},
		{"PUT", "/workflows/race", `{"workflow":"race","steps":[{"id":"a","agent":"writer"}]}`},
	} {
		answers := make([]answer, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				answers[i] = d.send(c.method, base+c.path, c.body,
					append(as("bob", "approver", "admin"), "Idempotency-Key", "race")...)
			})
		}
		all.Wait()
		fresh := 0
		for _, a := range answers {
			if a.status != answers[0].status || !bytes.Equal(a.body, answers[0].body) {
				t.Errorf("%s: %s is not %s", c.path, a.body, answers[0].body)
			}
			if a.header.Get("Idempotency-Replayed") == "" {
				fresh++
			}
		}
		if fresh != 1 || answers[0].status >= 300 {
			t.Errorf("%s: %d fresh answers, %s", c.path, fresh, answers[0].body)
		}
	}
	if runs := into[view.List[view.RunSummary]](d.get("/runs?workflow=plain").want(200)); runs.Total != 1 {
		t.Errorf("%+v", runs)
	}
	if now := d.approval(ap.ID); now.Quorum.Given != 1 {
		t.Errorf("%+v", now.Quorum)
	}
}

func TestUnavailableIsNotKept(t *testing.T) {
	d := open(t, Options{})
	headers := append(as("ann", "approver"), "Idempotency-Key", "later")
	d.api.Drain()
	d.post("/runs", `{"workflow":"plain"}`, headers...).refused(503, "unavailable")
	d.send("GET", "/readyz", "").refused(503, "unavailable")
	d.send("GET", "/healthz", "").want(200)
	d.get("/runs").want(200)
	d.post("/workflows/validate", `{"workflow":"x"}`).want(200)
	d.restart()
	a := d.post("/runs", `{"workflow":"plain"}`, headers...).want(201)
	if a.header.Get("Idempotency-Replayed") != "" {
		t.Error(fmt.Sprint("replayed: ", a.header))
	}
}
