package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// forgettable is in everything that people and agents send to one run, and lasting in everything that they
// send to another.
const (
	forgettable = "forget-me-9f81c2"
	lasting     = "keep-me-77aa10"
)

const forgetDocuments = `
workflow: letters
steps:
  - { id: draft, agent: writer, retry: { max: 2, backoff: 1ms } }
  - { id: more, workflow: inner }
  - { id: send, agent: mailer, operation: send_email }
gates:
  - { id: review, at: before send, title: Send it?, role: approver }
---
workflow: inner
steps:
  - { id: work, agent: writer }
---
agent: writer
kind: http
url: SERVICE/writer
---
agent: mailer
kind: http
url: SERVICE/mailer
`

// echoes are agents that repeat their input wherever they can.
func echoes(t *testing.T) string {
	t.Helper()
	first := true
	// Both are larger than 1 MiB, and so files.
	large := func(text string) string { return strings.Repeat(text, 1200<<10/len(text)) }
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		word := lasting
		if bytes.Contains(body, []byte(forgettable)) {
			word = forgettable
		}
		if first && word == forgettable {
			first = false
			http.Error(w, "busy with "+word, http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path == "/mailer" {
			http.Error(w, "refused: "+word, http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"output":    map[string]any{"text": "Dear " + word, "large": large(word + " ")},
			"reasoning": "because of " + word, "logs": "log " + word, "confidence": 0.95,
			"deliverables": []any{
				map[string]any{"name": word + ".md", "type": "document", "content": "Dear " + word, "description": word},
				map[string]any{"name": "large.txt", "type": "document", "content": large(word + " is large. ")},
			},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// wrote is a run that failed after a decision, with a word in every place.
func wrote(t *testing.T, s *server, word string) string {
	t.Helper()
	id := s.call("POST", "/runs", map[string]any{"workflow": "letters", "input": map[string]any{"to": word, word: 1},
		"labels": map[string]string{"for": word}}, as(ann),
		key(fmt.Sprintf("start-%d", time.Now().UnixNano()))).want(201).text("id")
	s.settles(id, "waiting")
	approval := s.call("GET", "/approvals?run="+id, nil).want(200).text("items.0.id")
	s.call("POST", "/approvals/"+approval+"/comments", map[string]string{"text": "I know " + word}, as(ann)).want(200)
	s.call("POST", "/runs/"+id+"/commands",
		map[string]string{"type": "message", "text": "it is " + word}, as(ann)).want(202)
	s.call("POST", "/runs/"+id+"/commands", map[string]string{"type": "snapshot"}).want(202)
	s.call("POST", "/approvals/"+approval+"/decisions",
		map[string]any{"act": "modify", "changes": map[string]string{"text": "To " + word}, "comment": "for " + word,
			"version": 1}, as(bob), key("decide-"+id)).want(200)
	s.settles(id, "failed")
	for _, text := range []string{"never to ", "always to "} { // every version is kept
		s.call("PUT", "/lessons/"+approval, map[string]any{"text": text + word, "reason": "it is " + word}).want(200)
	}
	return id
}

// onDisk lists the files of a directory that contain a word.
func onDisk(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // such as the anchor, which is written next to its final path and renamed
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(b, []byte(word)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func forgetServer(t *testing.T, args ...string) (*server, string) {
	t.Helper()
	dir, data := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"),
		[]byte(strings.ReplaceAll(forgetDocuments, "SERVICE", echoes(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, append([]string{"--load", dir, "--data", data}, args...)...), data
}

func (s *server) forget(id string, more map[string]any, options ...option) answer {
	s.t.Helper()
	body := map[string]any{"reason": "the customer asked for it"}
	for k, v := range more {
		body[k] = v
	}
	return s.call("DELETE", "/runs/"+id+"/payloads", body, options...)
}

// A run's payloads can be deleted: nothing of them is left on disk, and the history can still be viewed,
// replayed and proved.
func TestForget(t *testing.T) {
	t.Parallel()
	s, data := forgetServer(t)
	open := s.call("POST", "/runs", map[string]any{"workflow": "letters", "input": map[string]any{"to": lasting}},
		as(ann)).want(201).text("id")
	s.settles(open, "waiting")
	s.forget(open, nil).problem(409, "conflict")
	other := wrote(t, s, lasting)
	id := wrote(t, s, forgettable)
	if err := os.MkdirAll(filepath.Join(data, "workspace", id), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "workspace", id, "notes"), []byte(forgettable), 0o600); err != nil {
		t.Fatal(err)
	}
	before := s.call("GET", "/runs/"+id+"/events?limit=1000", nil).want(200)
	forked := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": 3}, as(ann)).want(201).text("id")
	s.settles(forked, "waiting")
	s.call("POST", "/runs/"+forked+"/commands", map[string]string{"type": "abort"}).want(202)
	s.settles(forked, "cancelled")

	s.forget(id, nil, as(ann)).problem(403, "forbidden")
	s.call("DELETE", "/runs/"+id+"/payloads", map[string]any{"reason": ""}).problem(422, "invalid")
	if got := s.call("GET", "/runs/"+id, nil).want(200); got.text("input.to") != forgettable {
		t.Fatalf("it went without anybody wanting that: %s", got.body)
	}
	gone := s.forget(id, nil).want(200)
	if gone.text("removed_by") != "admin" || gone.text("removed_at") == "" || gone.count("runs") != 2 ||
		gone.text("copies.0") != forked {
		t.Errorf("%s", gone.body)
	}
	if len(onDisk(t, data, forgettable)) == 0 {
		t.Error("the fork lost what it held, too")
	}
	all := s.forget(id, map[string]any{"with_copies": true}).want(200)
	if all.count("copies") != 0 || all.count("runs") < 3 {
		t.Errorf("%s", all.body)
	}
	if found := onDisk(t, data, forgettable); len(found) > 0 {
		t.Errorf("something is left in %v", found)
	}
	if len(onDisk(t, data, lasting)) == 0 || s.call("GET", "/runs/"+other, nil).want(200).text("input.to") != lasting {
		t.Error("another run lost what it held")
	}
	forgottenRun(t, s, id, before)
	approval := s.call("GET", "/approvals?run="+id, nil).want(200).text("items.0.id")
	s.call("PUT", "/lessons/"+approval, map[string]any{"text": "Be polite."}).problem(409, "conflict")
	lessons := s.call("GET", "/lessons", nil).want(200)
	if lessons.count("items") != 1 || lessons.text("items.0.run") != other {
		t.Errorf("agents learn from %s", lessons.body)
	}
	proved(t, s, data, id)
	s.stop()
	if found := onDisk(t, data, forgettable); len(found) > 0 {
		t.Errorf("after the end something is left in %v", found)
	}
}

// forgottenRun checks a run without payloads.
func forgottenRun(t *testing.T, s *server, id string, before answer) {
	t.Helper()
	v := s.call("GET", "/runs/"+id+"?full=true", nil).want(200)
	if v.text("removed.by") != "admin" || v.text("removed.reason") != "the customer asked for it" ||
		v.text("status") != "failed" || v.text("owner") != "ann" ||
		v.get("input.$removed") != true || v.text("steps.0.status") != "done" || v.text("thread.0.text") != "[removed]" ||
		v.text("error.message") != "[removed]" {
		t.Errorf("%.3000s", v.body)
	}
	after := s.call("GET", "/runs/"+id+"/events?limit=1000", nil).want(200)
	n := before.count("items")
	if after.count("items") != n+1 || after.text(fmt.Sprintf("items.%d.type", n)) != "payloads.removed" {
		t.Errorf("%d events, not %d", after.count("items"), n+1)
	}
	for i := range n {
		for _, field := range []string{"seq", "type", "at", "actor.name", "actor.kind", "feed"} {
			at := fmt.Sprintf("items.%d.%s", i, field)
			if fmt.Sprint(after.get(at)) != fmt.Sprint(before.get(at)) {
				t.Errorf("%s is %v, not %v", at, after.get(at), before.get(at))
			}
		}
	}
	for seq := 1; seq <= n+1; seq += 3 {
		s.call("GET", fmt.Sprintf("/runs/%s/state?at_seq=%d", id, seq), nil).want(200)
	}
	for _, path := range []string{"/runs/" + id + "/steps/draft", "/approvals?run=" + id,
		"/runs/" + id + "/deliverables.zip"} {
		s.call("GET", path, nil).want(200)
	}
	for _, path := range []string{"/retry", "/resume", "/fork"} {
		a := s.call("POST", "/runs/"+id+path, map[string]any{"/fork": map[string]any{"at_seq": 2}}[path],
			as(who{"admin", "admin"}))
		if a.status != 409 || !strings.Contains(string(a.body), "were deleted on") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	again := s.forget(id, nil).want(200)
	if again.text("removed_at") != v.text("removed.at") {
		t.Errorf("again: %s", again.body)
	}
	out, err := exec.Command(binary, "show", id, "--addr", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "deleted on") {
		t.Errorf("%v: %s", err, out)
	}
}

// proved checks the audit log, and a proof of a run.
func proved(t *testing.T, s *server, data, id string) {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"audit", "verify", "--addr", s.url}, {"audit", "proof", id, "--out", dir + "/p.json", "--addr", s.url},
		{"audit", "verify", dir + "/p.json"},
		{"audit", "export", "--out", dir + "/all.jsonl", "--addr", s.url}, {"audit", "verify", dir + "/all.jsonl"},
		{"replay", id, "--addr", s.url},
	} {
		if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if found := onDisk(t, dir, forgettable); len(found) > 0 {
		t.Errorf("what was removed is in %v", found)
	}
	entries := s.call("GET", "/audit?action=payloads.removed&outcome=done&target="+id, nil).want(200)
	if entries.count("items") != 1 || entries.text("items.0.detail.reason") != "the customer asked for it" ||
		entries.text("items.0.actor.name") != "admin" {
		t.Errorf("%s", entries.body)
	}
}

// A server that is killed during a deletion completes it after a restart.
func TestForgetSurvivesKill(t *testing.T) {
	t.Parallel()
	s, data := forgetServer(t)
	var ids []string
	for range 4 {
		ids = append(ids, wrote(t, s, forgettable))
	}
	for round, id := range ids {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.try("DELETE", "/runs/"+id+"/payloads", map[string]string{"reason": "asked for"})
		}()
		time.Sleep(time.Duration(round*round*4) * time.Millisecond) // in the middle of it, or before, or after
		s.kill()
		<-done
		s.start()
		waitFor(t, "the deletion to be complete, or never requested", func() bool {
			v := s.call("GET", "/runs/"+id, nil)
			return v.status == 200 && (v.get("removed") == nil || v.get("input.$removed") == true)
		})
		if v := s.call("GET", "/runs/"+id, nil).want(200); v.get("removed") == nil && v.text("input.to") != forgettable {
			t.Errorf("half of it is gone: %s", v.body)
		}
		s.forget(id, nil).want(200)
	}
	if found := onDisk(t, data, forgettable); len(found) > 0 {
		t.Errorf("something is left in %v", found)
	}
	if out, err := exec.Command(binary, "audit", "verify", "--addr", s.url).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Retention deletes automatically, and on the command line.
func TestForgetByTime(t *testing.T) {
	t.Parallel()
	s, data := forgetServer(t, "--retain-payloads", "1ms")
	id := wrote(t, s, forgettable)
	s.stop()
	s.start() // it sweeps when it starts
	waitFor(t, "retention to delete the payloads", func() bool {
		return s.call("GET", "/runs/"+id, nil).text("removed.by") == "retention"
	})
	waitFor(t, "the data directory to hold nothing of it", func() bool { return len(onDisk(t, data, forgettable)) == 0 })
	again := wrote(t, s, forgettable)
	out, err := exec.Command(binary, "runs", "forget", again, "--reason", "asked for", "--addr", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "are deleted") {
		t.Errorf("%v: %s", err, out)
	}
	if found := onDisk(t, data, forgettable); len(found) > 0 {
		t.Errorf("something is left in %v", found)
	}
}
