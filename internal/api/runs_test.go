package api

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/view"
)

func TestRuns(t *testing.T) {
	d := open(t, Options{})
	a := d.post("/runs", `{"workflow":"plain","input":{"n":12345678901234567890.10,"s":"<&>\u0041"},"labels":{"ticket":"7"},"test_mode":false}`, as("ann", "approver")...).want(201)
	run := into[view.Run](a)
	if a.header.Get("Location") != base+"/runs/"+run.ID || !strings.HasPrefix(run.ID, "run_") || run.Owner != "ann" ||
		run.Seq == 0 {
		t.Errorf("%s %s", a.header, a.body)
	}
	if !strings.Contains(string(a.body), `"input":{"n":12345678901234567890.10,"s":"<&>\u0041"}`) {
		t.Errorf("%s", a.body)
	}
	v := d.until(run.ID, "completed")
	if v.Progress.Percent != 100 || v.Labels["team"] != "blue" || v.Labels["ticket"] != "7" {
		t.Errorf("%+v", v)
	}
	shown := d.get("/runs/" + run.ID)
	d.get("/runs/"+run.ID, "If-None-Match", shown.header.Get("ETag")).want(304)
	if head := d.send("HEAD", base+"/runs/"+run.ID, "").want(200); len(head.body) != 0 ||
		head.header.Get("ETag") != shown.header.Get("ETag") {
		t.Errorf("%s", head.header)
	}
	events := into[view.List[view.Event]](d.get("/runs/" + run.ID + "/events").want(200))
	if n := len(events.Items); n == 0 || events.Items[0].Type != "run.started" ||
		events.Items[n-1].Type != "run.completed" || events.Total != int64(n) || events.Next != "" {
		t.Errorf("%+v", events)
	}
	some := into[view.List[view.Event]](d.get("/runs/" + run.ID + "/events?after=1&limit=2").want(200))
	if len(some.Items) != 2 || some.Items[0].Seq != 2 || some.Next != "3" {
		t.Errorf("%+v", some)
	}
	if next := into[view.List[view.Event]](d.get("/runs/" + run.ID +
		"/events?limit=2&cursor=3").want(200)); next.Items[0].Seq != 4 {
		t.Errorf("%+v", next)
	}
	if then := into[view.Run](d.get("/runs/" + run.ID + "/state?at_seq=1").want(200)); then.Seq != 1 ||
		then.Status != "running" {
		t.Errorf("%+v", then)
	}
	if now := into[view.Run](d.get("/runs/" + run.ID + "/state").want(200)); now.Seq != v.Seq {
		t.Errorf("%+v", now)
	}
	for query, want := range map[string]int64{
		"": 1, "status=completed": 1, "status=running,waiting": 0, "status=failed&status=completed": 1,
		"workflow=plain": 1, "workflow=ask": 0,
		"owner=ann": 1, "owner=bob": 0, "label=ticket:7": 1, "label=ticket:8": 0,
		"label=ticket:7&label=team:blue": 1, "parent=x": 0,
	} {
		if got := into[view.List[view.RunSummary]](d.get("/runs?" + query).want(200)).Total; got != want {
			t.Errorf("%s: %d, not %d", query, got, want)
		}
	}
}

func TestSteering(t *testing.T) {
	d := open(t, Options{})
	ann := as("ann", "approver")
	ap := d.asked("ask")
	path := "/runs/" + ap.Run
	send := func(body string) {
		t.Helper()
		if v := into[app.Accepted](d.post(path+"/commands", body, ann...).want(202)); !v.Accepted || v.Seq == 0 {
			t.Errorf("%s: %+v", body, v)
		}
	}
	send(`{"type":"message","text":"a < b"}`)
	send(`{"type":"pause","reason":"lunch"}`)
	d.until(ap.Run, "paused")
	if v := into[view.Run](d.post(path+"/resume", "", ann...).want(200)); v.ID != ap.Run || v.Status != "waiting" {
		t.Errorf("%+v", v)
	}
	send(`{"type":"inject_steps","steps":[{"id":"more","agent":"writer","needs":["draft"]}]}`)
	send(`{"type":"modify_args","step":"more","changes":{"html":"<&>"}}`)
	events := d.get(path + "/events?limit=1000")
	if !strings.Contains(string(events.body), `{"html":"<&>"}`) {
		t.Errorf("%s", events.body)
	}
	send(`{"type":"skip_step","step":"more"}`)
	send(`{"type":"snapshot"}`)
	if v := into[view.List[view.Snapshot]](d.get(path + "/snapshots").want(200)); len(v.Items) != 1 || v.Total != 1 ||
		v.Next != "" || v.Items[0].Reason != view.SnapshotByCommand || v.Items[0].By.Name != "ann" {
		t.Errorf("%+v", v)
	}
	send(`{"type":"abort","reason":"enough"}`)
	d.until(ap.Run, "cancelled")
	d.post(path+"/commands", `{"type":"pause"}`, ann...).refused(409, "conflict")

	again := into[view.Run](d.post(path+"/retry", "", ann...).want(201))
	if again.RetryOf == nil || *again.RetryOf != ap.Run {
		t.Errorf("%+v", again)
	}
	fork := into[view.Run](d.post(path+"/fork",
		`{"at_seq":3,"edits":{"input":{"big":12345678901234567890.10}}}`, ann...).want(201))
	if fork.ForkedFrom == nil || *fork.ForkedFrom != ap.Run || string(fork.Input) != `{"big":12345678901234567890.10}` {
		t.Errorf("%+v", fork)
	}
	failed := d.begin("broken")
	d.until(failed.ID, "failed")
	d.post("/runs/"+failed.ID+"/resume", "{}", ann...).want(200)
	d.until(failed.ID, "completed")
}

func TestDeliverables(t *testing.T) {
	d := open(t, Options{})
	run := d.begin("paper")
	d.until(run.ID, "completed")
	all := into[view.List[view.Deliverable]](d.get("/deliverables?run=" + run.ID).want(200))
	if all.Total != 3 {
		t.Fatalf("%+v", all)
	}
	for _, item := range all.Items {
		into[view.Deliverable](d.get("/deliverables/" + item.ID).want(200))
		a := d.get("/deliverables/" + item.ID + "/content")
		switch item.Name {
		case "report.html":
			a.want(200)
			if ct := a.header.Get("Content-Type"); ct != "application/octet-stream" ||
				string(a.body) != "<script>alert(1)</script>" {
				t.Errorf("%s %s", ct, a.body)
			}
		case "figures é.csv":
			a.want(200)
			if ct := a.header.Get("Content-Type"); ct != "text/csv; charset=utf-8" {
				t.Errorf("%s", ct)
			}
			part := d.get("/deliverables/"+item.ID+"/content", "Range", "bytes=4-6").want(206)
			if string(part.body) != "1,2" || part.header.Get("Content-Range") != "bytes 4-6/8" {
				t.Errorf("%s %s", part.header, part.body)
			}
			d.get("/deliverables/"+item.ID+"/content", "Range", "bytes=99-").refused(416, "invalid")
			d.get("/deliverables/"+item.ID+"/content", "If-Match", `"x"`).refused(412, "version_mismatch")
			d.get("/deliverables/"+item.ID+"/content", "If-None-Match", a.header.Get("ETag")).want(304)
		default:
			a.refused(404, "not_found")
			continue
		}
		if cd := a.header.Get("Content-Disposition"); !strings.HasPrefix(cd, "attachment; filename") {
			t.Errorf("%q", cd)
		}
		if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") ||
			a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q", csp)
		}
	}
	a := d.get("/runs/" + run.ID + "/deliverables.zip").want(200)
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil || len(z.File) != 2 || a.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%v %s", err, a.header)
	}
	f, err := z.Open("report.html")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(f); string(b) != "<script>alert(1)</script>" {
		t.Errorf("%s", b)
	}
}

func TestMIMETypes(t *testing.T) {
	for declared, want := range map[string]string{
		"text/html": "application/octet-stream", "image/svg+xml": "application/octet-stream",
		"application/xhtml+xml": "application/octet-stream",
		"":                      "application/octet-stream", "text/plain; charset=x": "text/plain; charset=utf-8",
		"image/png":         "image/png",
		"text/html\r\nX: y": "application/octet-stream",
		"APPLICATION/PDF":   "application/pdf", "text/javascript": "application/octet-stream",
		"multipart/x-mixed-replace": "application/octet-stream",
	} {
		if got := harmless(declared); got != want {
			t.Errorf("%q: %q, not %q", declared, got, want)
		}
	}
}
