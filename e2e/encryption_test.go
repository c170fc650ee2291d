package e2e

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sealedWorld contains words in every place where people and agents can put them.
const sealedWorld = `
agent: writer
kind: scripted
answers:
  - output: { letter: planted-output-51c7 }
    reasoning: planted-reasoning-51c7
    confidence: 0.9
    deliverables:
      - { name: letter.md, type: document, description: planted-description-51c7, content: "planted-content-51c7 LONG" }
---
agent: breaker
kind: scripted
answers:
  - fail: planted-error-51c7
---
workflow: letters
steps:
  - { id: draft, agent: writer, operation: write }
  - { id: send, agent: writer, operation: send, needs: [draft], with: { to: input.to } }
gates:
  - { id: review, at: before send, title: "Send planted-title-51c7?", role: approver }
---
workflow: broken
steps: [{ id: only, agent: breaker }]
`

// hidden are the words, by where they were planted.
var hidden = []string{
	"planted-input-51c7", "planted-output-51c7", "planted-reasoning-51c7", "planted-argument-51c7", "planted-title-51c7",
	"planted-comment-51c7",
	"planted-description-51c7", "planted-content-51c7", "planted-error-51c7", "planted-message-51c7",
}

// letters uses everything once and returns the id of the run.
func letters(s *server) string {
	s.t.Helper()
	s.define(strings.ReplaceAll(sealedWorld, "LONG", strings.Repeat("planted-content-51c7 ", 1<<16)))
	id := s.run("letters", map[string]any{"order": "planted-input-51c7", "to": "planted-argument-51c7"}, key("letters"))
	waiting := s.settles(id, "waiting")
	s.call("POST", "/runs/"+id+"/commands", `{"type":"message","text":"planted-message-51c7"}`).want(202)
	approval := waiting.text("pending_approvals.0")
	s.call("POST", "/approvals/"+approval+"/decisions",
		map[string]any{"act": "approve", "version": 1, "comment": "planted-comment-51c7"},
		as(who{"ann", "approver"})).want(200)
	s.settles(id, "completed")
	s.settles(s.run("broken", nil), "failed")
	return id
}

// lying counts the words that are readable in a directory.
func lying(t *testing.T, dir string) (found []string) {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range hidden {
		if bytes.Contains(all.Bytes(), []byte(word)) {
			found = append(found, word)
		}
	}
	return found
}

func (s *server) data() string { return s.args[4] }

// assent runs a command on the server's data directory.
func (s *server) assent(args ...string) (string, error) {
	cmd := exec.Command(binary, append(args, "--data", s.data())...)
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newKeyFile creates a key and returns its path.
func newKeyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "assent.key")
	if out, err := exec.Command(binary, "keys", "new", "--out", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestEncryption: with a key, no text from people or agents is readable in the data directory, of a running
// server or a stopped one; without, all of it is.
func TestEncryption(t *testing.T) {
	t.Parallel()
	plain := serve(t)
	letters(plain)
	plain.stop()
	if found := lying(t, plain.data()); len(found) != len(hidden) {
		t.Errorf("of %d words only %q were found without a key: the search is no good", len(hidden), found)
	}

	file := newKeyFile(t)
	s := serve(t, "--encryption-keys", "${file:"+file+"}")
	id := letters(s)
	if found := lying(t, s.data()); len(found) > 0 {
		t.Errorf("while the server runs: %q", found)
	}
	if out, err := s.assent("backup", filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	s.kill()
	if found := lying(t, s.data()); len(found) > 0 {
		t.Errorf("after a crash: %q", found)
	}
	s.start()
	whole := string(s.call("GET", "/runs/"+id+"?full=true", nil).want(200).body) +
		string(s.call("GET", "/runs/"+id+"/events?limit=200", nil).want(200).body)
	for _, word := range []string{"planted-input-51c7", "planted-output-51c7", "planted-comment-51c7"} {
		if !strings.Contains(whole, word) {
			t.Errorf("%s is gone", word)
		}
	}
	if log := s.log.String(); strings.Contains(log, "51c7") || strings.Contains(log, keyText(t, file)) {
		t.Errorf("the log says too much: %s", log)
	}
	if check := s.call("GET", "/audit/verify", nil).want(200); check.get("ok") != true {
		t.Errorf("the audit log does not verify: %s", check.body)
	}
	s.stop()
	if found := lying(t, s.data()); len(found) > 0 {
		t.Errorf("after a stop: %q", found)
	}
}

func keyText(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(b))
	if raw, err := base64.StdEncoding.DecodeString(text); err != nil || len(raw) != 32 {
		t.Fatalf("the key has %d bytes, %v", len(raw), err)
	}
	return text
}

// TestRotation: the keys are rotated on a running server that is killed in the middle of it; nothing is lost,
// and in the end the first key is not needed.
func TestRotation(t *testing.T) {
	t.Parallel()
	one, two := newKeyFile(t), newKeyFile(t)
	settings := filepath.Join(t.TempDir(), "assent.yaml")
	write := func(files ...string) {
		t.Helper()
		text := "encryption_keys:\n"
		for _, f := range files {
			text += `  - "${file:` + f + `}"` + "\n"
		}
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(one)
	s := serve(t, "--config", settings)
	s.env = append(s.env, "ASSENT_CONFIG="+settings)
	id := letters(s)
	write(two, one)
	for round := range 3 {
		rotating := exec.Command(binary, "keys", "rotate", "--values", "--data", s.data())
		rotating.Env = append(os.Environ(), s.env...)
		if err := rotating.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+60*round) * time.Millisecond) // somewhere in the middle
		s.kill()
		_ = rotating.Wait() // its server is gone
		s.start()
		s.settles(id, "completed")
	}
	if out, err := s.assent("keys", "rotate", "--values"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := s.assent("keys", "list")
	if err != nil || strings.Count(out, "\n") < 3 {
		t.Fatalf("%v: %s", err, out)
	}
	s.stop()
	write(two)
	s.start()
	if got := s.settles(id, "completed").text("input.order"); got != "planted-input-51c7" {
		t.Errorf("the input is %q", got)
	}
	s.stop()
	write(one)
	if out, err := exec.Command(binary, s.args...).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "need encryption key") {
		t.Errorf("with the old key alone: %v, %s", err, out)
	}
	write(two)
	s.start()
}
