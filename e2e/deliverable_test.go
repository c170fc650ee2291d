package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An agent's deliverables: drafts and versions while it works, kept when the run is cancelled with a pending
// approval, marked by people afterwards, and deleted by retention. The log stays.
func TestDeliverables(t *testing.T) {
	t.Parallel()
	model := scriptedModel(t, `
turn 1: I begin.
  call update_deliverable {"name":"report.md","content":"too early"}
  call write_file {"path":"notes.txt","content":"for later"}
turn 2: Then so.
  hears there is no deliverable
  call create_deliverable {"name":"report.md","type":"document","content":"# First"}
  call create_deliverable {"name":"prices.csv","type":"data","mime_type":"text/csv","content":"<html><script>alert(1)</script></html>"}
turn 3: Better.
  call update_deliverable {"name":"report.md","content":"# Second"}
turn 4: Done with it.
  call update_deliverable {"name":"report.md","status":"final"}
turn 5: May I?
  call ask_human {"question":"Publish it?"}
`)
	dir, data := t.TempDir(), t.TempDir()
	documents := fmt.Sprintf(`
agent: reporter
kind: llm
provider: openai
base_url: %s/v1
model: m
system: You write reports.
autonomy: full
tools: [create_deliverable, update_deliverable, write_file, ask_human]
tool_risk: { write_file: safe }
limits: { iterations: 20 }
---
workflow: report
steps: [{ id: write, agent: reporter }]
`, model.url)
	if err := writeFile(dir+"/report.yaml", documents); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--load", dir, "--data", data)
	id := s.run("report", map[string]int{})
	a := s.pending(id)

	list := s.call("GET", "/deliverables?run="+id, nil).want(200)
	if list.count("items") != 2 || list.text("items.0.name") != "report.md" || list.number("items.0.version") != 2 ||
		list.text("items.0.status") != "final" {
		t.Fatalf("%s", list.body)
	}
	// the bytes do not match the declared type
	if list.text("items.1.mime_type") != "text/html" || list.text("items.1.type") != "data" {
		t.Errorf("%s", list.body)
	}
	report, prices := list.text("items.0.id"), list.text("items.1.id")
	versions := s.call("GET", "/deliverables/"+report+"/versions", nil).want(200)
	if versions.count("items") != 2 || versions.text("items.1.status") != "draft" {
		t.Errorf("%s", versions.body)
	}
	if b := s.call("GET", "/deliverables/"+versions.text("items.1.id")+"/content",
		nil).want(200); string(b.body) != "# First" {
		t.Errorf("%s", b.body)
	}
	preview := s.call("GET", "/deliverables/"+prices+"/preview", nil).want(200)
	if preview.header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		!strings.Contains(string(preview.body), "<script>") ||
		!strings.Contains(preview.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %s", preview.header, preview.body)
	}

	// Cancelled while an approval is pending.
	s.call("POST", "/runs/"+id+"/commands", `{"type":"cancel","reason":"not needed"}`, as(ann)).want(202)
	s.settles(id, "cancelled")
	if v := s.call("GET", "/approvals/"+a.text("id"), nil).want(200); v.text("status") != "cancelled" {
		t.Errorf("%s", v.body)
	}
	s.kill()
	s.start()
	if list := s.call("GET", "/deliverables?status=draft&run="+id, nil).want(200); list.count("items") != 1 ||
		list.text("items.0.id") != prices {
		t.Errorf("%s", list.body)
	}
	z := s.call("GET", "/runs/"+id+"/deliverables.zip", nil).want(200)
	if r, err := zip.NewReader(bytes.NewReader(z.body), int64(len(z.body))); err != nil || len(r.File) != 2 {
		t.Errorf("%v", err)
	}
	s.call("POST", "/deliverables/"+prices+"/status", `{"status":"archived","version":9}`,
		as(bob)).problem(409, "version_mismatch")
	if v := s.call("POST", "/deliverables/"+prices+"/status", `{"status":"archived","version":1}`,
		as(bob)).want(200); v.text("status") != "archived" {
		t.Errorf("%s", v.body)
	}
	if !strings.Contains(string(s.call("GET", "/runs/"+id+"/events?limit=200", nil).want(200).body),
		`"type":"deliverable.marked","actor":{"kind":"person","name":"bob"}`) {
		t.Error("the log does not say who marked it")
	}
	retained(t, s, id, report, filepath.Join(data, "workspace", id))
}

// retained restarts the server with a short retention.
func retained(t *testing.T, s *server, run, deliverable, workspace string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(workspace, "notes.txt")); err != nil {
		t.Error(err) // seven days are not over
	}
	s.stop()
	s.args = append(s.args, "--retain-runs", "1ms")
	s.start()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_, err := os.Stat(workspace)
		if os.IsNotExist(err) && s.call("GET", "/deliverables?run="+run, nil).want(200).count("items") == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("nothing was removed\n%s", s.log)
		}
	}
	s.call("GET", "/deliverables/"+deliverable, nil).problem(404, "not_found")
	// The history is still known, and can be folded.
	if v := s.call("GET", "/runs/"+run, nil).want(200); v.text("status") != "cancelled" {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/runs/"+run+"/state?at_seq=3", nil).want(200); v.text("id") != run {
		t.Errorf("%s", v.body)
	}
	if !strings.Contains(string(s.call("GET", "/runs/"+run+"/events?limit=200", nil).want(200).body),
		`"deliverable.created"`) {
		t.Error("the log forgot what was made")
	}
	s.call("GET", "/runs/"+run+"/deliverables.zip", nil).want(200)
}

// An agent that reaches its limit is stopped, and its deliverables stay.
func TestLimitKeepsDeliverables(t *testing.T) {
	t.Parallel()
	model := scriptedModel(t, `
turn 1: One.
  call create_deliverable {"name":"part.md","type":"document","content":"so far"}
turn 2: Two.
  call note_progress {"text":"going on"}
`)
	s := serve(t)
	s.define(fmt.Sprintf(`
agent: slow
kind: llm
provider: openai
base_url: %s/v1
model: m
tools: [create_deliverable, note_progress]
limits: { iterations: 2 }
---
workflow: slow
steps: [{ id: work, agent: slow }]
`, model.url))
	id := s.run("slow", map[string]int{})
	s.settles(id, "limit_reached")
	list := s.call("GET", "/deliverables?run="+id, nil).want(200)
	if list.count("items") != 1 || list.text("items.0.status") != "draft" {
		t.Fatalf("%s", list.body)
	}
	if b := s.call("GET", "/deliverables/"+list.text("items.0.id")+"/content", nil).want(200); string(b.body) != "so far" {
		t.Errorf("%s", b.body)
	}
}
