package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// seenFiles are a directory as people load it: programs as agents and tools, roles, and a rule with an
// unsuitable role.
const seenFiles = `
agent: worker
kind: llm
provider: scripted
tools: [wipe]
turns: [{ calls: [{ tool: wipe, args: { disk: a } }] }, { answer: { done: true } }]
---
tool: wipe
kind: command
command: [sh, -c, "echo wiped > DIR/first; echo '{}'"]
risk: high
---
workflow: wipes
steps: [{ id: work, agent: worker }]
---
agent: program
kind: command
command: [sh, -c, "echo ran > DIR/program; echo '{\"output\":{}}'"]
---
workflow: programs
steps: [{ id: run, agent: program }]
---
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: pays
steps: [{ id: pay, agent: payer, operation: payment }]
---
role: picker
kinds: [choice]
permissions: [view, decide]
---
policy: house
rules: [{ name: Payments ask, priority: 1, trigger: { workflow: [pays] }, action: { role: picker } }]
`

// TestSeenInFiles replays reported defects with documents in a directory, on one server.
func TestSeenInFiles(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(dir, name), strings.ReplaceAll(text, "DIR", out)); err != nil {
			t.Fatal(err)
		}
	}
	write("all.yaml", seenFiles)
	write("never.yaml", "workflow: never\nsteps: [{ id: pay, agent: payer }]\ngates: [{ id: pick, at: before pay, "+
		"kind: choice, role: reviewer, options: [{ value: a }, { value: b }] }]\n")
	s := serve(t, "--load", dir, "--allow-commands")
	made := func(name string) bool {
		files, err := filepath.Glob(filepath.Join(out, name))
		return err == nil && len(files) > 0
	}
	for _, c := range []struct {
		seen string
		play func(t *testing.T, s *server)
	}{
		{"a gate whose role can never answer it is saved", func(t *testing.T, s *server) {
			s.call("GET", "/workflows/never", nil).problem(404, "not_found")
			s.says(`the role "reviewer" can never answer this gate: its kinds do not include choice`)
		}},
		{"a 403 names a role that the person holds", func(t *testing.T, s *server) {
			a := s.pending(s.run("pays", map[string]any{}))
			p := s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`,
				as(who{"pia", "picker"})).problem(403, "forbidden")
			if !strings.Contains(p.text("detail"), "is for approvals of kind choice, and this is of kind approval") {
				t.Errorf("%s", p.body)
			}
		}},
		{"test mode runs a program that says nothing about itself", func(t *testing.T, s *server) {
			id := s.call("POST", "/runs", `{"workflow":"programs","input":{},"test_mode":true}`).want(201).text("id")
			if s.settles(id, "completed", "failed"); made("program") {
				t.Error("it ran")
			}
		}},
		{"after a yes another program runs than was shown", func(t *testing.T, s *server) {
			id := s.run("wipes", map[string]any{})
			a := s.pending(id)
			write("all.yaml", strings.ReplaceAll(seenFiles, "DIR/first", "DIR/second")+
				"---\nagent: mark\nkind: scripted\nanswers: [{ output: {} }]\n")
			waitFor(t, "in force: "+s.log.String(), func() bool { return s.call("GET", "/agents/mark", nil).status == 200 })
			s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
			r := s.settles(id, "waiting", "completed", "failed")
			if r.text("status") != "waiting" || made("first") || made("second") {
				t.Fatalf("first: %v, second: %v: %s", made("first"), made("second"), r.body)
			}
			if again := s.pending(id); again.text("changed.0.kind") != "tool" || again.text("changed.0.name") != "wipe" {
				t.Errorf("%s", again.body)
			}
		}},
		{"a list of keys in a flag fails", func(t *testing.T, _ *server) {
			shown, err := exec.Command(binary, "config", "--data", out, "--encryption-keys",
				"${file:a.key},${env:B}").CombinedOutput()
			if err != nil || !strings.Contains(string(shown), "${file:a.key},${env:B}") {
				t.Errorf("%v: %s", err, shown)
			}
		}},
	} {
		t.Run(c.seen, func(t *testing.T) {
			own := *s
			own.t = t
			c.play(t, &own)
		})
	}
}
