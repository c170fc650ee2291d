package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/tool/mcp/mcptest"
)

// everythingServer is the document of the real "everything" server.
func everythingServer(t *testing.T) string {
	t.Helper()
	mark := "--mark-" + filepath.Base(t.TempDir()) + "-" + t.Name()
	t.Cleanup(func() { endMarked(t, mark) })
	return fmt.Sprintf("mcp_server: everything\ncommand: [node, %q, stdio, %q]\n", mcptest.Script(t, "everything"), mark)
}

// endMarked stops what a killed server left behind: this one does not notice that its input is closed.
func endMarked(t *testing.T, mark string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range found {
		raw, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(raw), mark) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if p, err := os.FindProcess(pid); err == nil {
			t.Logf("end %d, which was left behind", pid)
			_ = p.Kill()
		}
	}
}

// A tool of an MCP server asks people in the middle of a call. The question waits in the inbox across a
// crash, and the answer reaches the server, whose answer reaches the model.
func TestServerAsksPeople(t *testing.T) {
	t.Parallel()
	model := scriptedModel(t, `
turn 1: I ask the server.
  call mcp_everything_trigger-elicitation-request {}
turn 2: Once more.
  call mcp_everything_trigger-elicitation-request {}
  hears User provided the requested information
  hears Ann Example
turn 3: Done.
  hears we have enough
`)
	dir := t.TempDir()
	documents := everythingServer(t) + fmt.Sprintf(`---
agent: clerk
kind: llm
provider: openai
base_url: %s/v1
model: m
system: You are a clerk.
tools: ["mcp:everything/*"]
autonomy: full
---
workflow: clerk-flow
steps: [{ id: work, agent: clerk }]
`, model.url)
	if err := writeFile(dir+"/clerk.yaml", documents); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--load", dir, "--allow-commands")
	id := s.run("clerk-flow", map[string]int{"customer": 1042})
	a := s.pending(id)
	if a.text("kind") != "input" || a.text("reason") != "call" ||
		a.text("action.tool") != "mcp:everything/trigger-elicitation-request" ||
		a.text("title") != "The tool trigger-elicitation-request of the server everything needs your input" ||
		!strings.Contains(a.text("description"), "Please provide inputs") ||
		a.text("input_schema.properties.integer.type") != "integer" {
		t.Errorf("%s", a.body)
	}
	inbox := s.call("GET", "/approvals?status=pending&run="+id, nil).want(200)
	if !strings.Contains(string(inbox.body), a.text("id")) {
		t.Errorf("it is not in the inbox: %s", inbox.body)
	}
	s.kill()
	s.start()
	decisions := "/approvals/" + a.text("id") + "/decisions"
	s.call("POST", decisions, `{"act":"submit","data":{"name":"Ann Example","integer":700},"version":1}`,
		as(bob)).want(422)
	s.call("POST", decisions, `{"act":"submit","data":{"name":"Ann Example","integer":7},"version":1}`, as(bob)).want(200)
	// Another call, another question: this one is rejected.
	second := s.pending(id)
	if second.text("id") == a.text("id") {
		t.Fatalf("%s", second.body)
	}
	s.call("POST", "/approvals/"+second.text("id")+"/decisions",
		`{"act":"reject","comment":"we have enough","version":1}`, as(bob)).want(200)
	if r := s.settles(id, "completed", "failed"); r.text("status") != "completed" {
		t.Errorf("%s", r.body)
	}
	model.check(t)
	log := string(s.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200).body)
	if n := strings.Count(log, `"call.input_needed"`); n != 2 {
		t.Errorf("%d questions in the log", n)
	}
}

// A step may be one tool of a server.
func TestMCPStep(t *testing.T) {
	t.Parallel()
	s := serve(t, "--allow-commands", "--load", func() string {
		dir := t.TempDir()
		if err := writeFile(dir+"/mcp.yaml", everythingServer(t)+`---
agent: adder
kind: mcp
server: everything
tool: get-sum
---
agent: weather
kind: mcp
server: everything
tool: get-structured-content
---
agent: asker
kind: mcp
server: everything
tool: trigger-elicitation-request
---
workflow: sums
steps:
  - { id: add, agent: adder, with: { a: input.a, b: input.b } }
  - { id: look, agent: weather, with: { location: "\"Chicago\"" } }
output: { sum: add.text, degrees: look.temperature }
---
workflow: asks
steps: [{ id: ask, agent: asker }]
`); err != nil {
			t.Fatal(err)
		}
		return dir
	}())
	r := s.settles(s.run("sums", map[string]any{"a": 40, "b": 2}), "completed", "failed")
	if r.text("status") != "completed" || !strings.Contains(r.text("output.sum"), "42") || r.get("output.degrees") == nil {
		t.Errorf("%s", r.body)
	}
	r = s.settles(s.run("sums", map[string]any{"a": "many", "b": 2}), "completed", "failed")
	if r.text("status") != "failed" || r.text("error.code") != "invalid_input" ||
		!strings.Contains(r.text("error.message"), "/a") {
		t.Errorf("%s", r.body)
	}
	r = s.settles(s.run("asks", map[string]any{}), "completed", "failed")
	if r.text("status") != "failed" || r.text("error.code") != "input_required" ||
		!strings.Contains(r.text("error.message"), "human step") {
		t.Errorf("%s", r.body)
	}
}
