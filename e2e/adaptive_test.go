package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/tool/mcp/mcptest"
)

// filesystemServer is the document of the real filesystem server over a directory with two files.
func filesystemServer(t *testing.T) (document, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"data.json": `{"n":1}`, "config.xml": "<answer>42</answer>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { endMarked(t, dir) })
	return fmt.Sprintf("mcp_server: files\ncommand: [node, %q, %q]\n", mcptest.Script(t, "filesystem"), dir), dir
}

// loads writes documents to a folder.
func loads(t *testing.T, documents string) string {
	t.Helper()
	dir := t.TempDir()
	if err := writeFile(dir+"/all.yaml", documents); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listed waits until the tools of an MCP server are known. Searches wait for a list for two seconds only, which a busy
// machine may need to start the server.
func (s *server) listed(name string) {
	waitFor(s.t, "the tools of "+name, func() bool {
		return strings.Contains(string(s.call("GET", "/tools?limit=200", nil).want(200).body), `"mcp:`+name+`/`)
	})
}

// recorded counts the events of a type.
func (s *server) recorded(run, typ string) int {
	log := string(s.call("GET", "/runs/"+run+"/events?full=true&limit=1000", nil).want(200).body)
	return strings.Count(log, `"type":"`+typ+`"`)
}

// AC-3.3 and AC-3.6 of specification 001, workflow 4: a run that meets an XML file finds a tool for it among
// those of a real MCP server, shows people the plan before and after, and continues without restarting. It is
// killed while people decide.
func TestAC33Discovery(t *testing.T) {
	t.Parallel()
	server, dir := filesystemServer(t)
	s := serve(t, "--allow-commands", "--load", loads(t, server+fmt.Sprintf(`---
workflow: parse-files
loops: { agent: { agent: planner_agent, at: per_layer } }
steps:
  - { id: list, agent: lister }
  - { id: parse_json, agent: json_parser, with: { path: 'list.files[0]' } }
  - { id: analyze, agent: analyst }
---
agent: planner_agent
kind: scripted
answers:
  - { output: { action: replan, requirement: read the text of the XML file, reasoning: an XML file was found } }
  - { output: { action: continue } }
---
agent: lister
kind: scripted
answers: [{ output: { files: [%[1]q, %[2]q] } }]
---
agent: json_parser
kind: scripted
answers: [{ output: { json: { n: 1 } } }]
---
agent: analyst
kind: scripted
answers: [{ output: { done: true } }]
`, dir+"/data.json", dir+"/config.xml")))
	s.listed("files")
	id := s.run("parse-files", map[string]string{"dir": dir})
	a := s.pending(id)
	if a.text("reason") != "loop" || a.text("action.type") != "replan" ||
		!strings.Contains(string(a.body), `"before":`) || !strings.Contains(string(a.body), `"after":`) ||
		!strings.Contains(a.text("proposed.inject_steps.0.tool"), "mcp:files/read") ||
		a.text("proposed.inject_steps.0.with.path") != "list.files[1]" {
		t.Fatalf("%s", a.body)
	}
	s.kill()
	s.start()
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" {
		t.Fatalf("%s\n%s", r.body, s.log)
	}
	added := a.text("proposed.inject_steps.0.id")
	var run struct {
		Steps []struct {
			ID, Tool, Kind, Status string
			Needs                  []string
			Layer                  int
			Output                 json.RawMessage
		}
	}
	if err := json.Unmarshal(r.body, &run); err != nil {
		t.Fatal(err)
	}
	for _, step := range run.Steps {
		switch step.ID {
		case added:
			if step.Kind != "tool" || step.Layer != 1 || !strings.Contains(string(step.Output), "42") {
				t.Errorf("%+v %s", step, step.Output)
			}
		case "analyze":
			if strings.Join(step.Needs, " ") != "parse_json "+added || step.Layer != 2 {
				t.Errorf("%+v", step)
			}
		}
	}
	for typ, n := range map[string]int{"replan.requested": 1, "replan.answered": 1, "replan.settled": 1, "plan.changed": 1,
		"call.started": 1, "call.completed": 1} {
		if got := s.recorded(id, typ); got != n {
			t.Errorf("%s: %d times, want %d", typ, got, n)
		}
	}
}

// mailbox is a tool that counts what it received, by key.
type mailbox struct {
	url  string
	mu   sync.Mutex
	keys map[string]string
	fail int // answers 503 so often
}

func newMailbox(t *testing.T) *mailbox {
	m := &mailbox{keys: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var in struct {
			Key  string
			Args json.RawMessage
		}
		_ = json.Unmarshal(raw, &in)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.keys[in.Key] = string(in.Args)
		if m.fail > 0 {
			m.fail--
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"output":{"sent":true}}`)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *mailbox) got() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for k, v := range m.keys {
		out[k] = v
	}
	return out
}

// A step that calls a tool meets what the call of an agent meets: its risk asks, a rule refuses, a gate stops
// it, and what is decided is what is sent, once.
func TestToolSteps(t *testing.T) {
	t.Parallel()
	m := newMailbox(t)
	m.fail = 2
	s := serve(t, "--load", loads(t, fmt.Sprintf(`
tool: email_send
kind: http
url: %s
args: { type: object, required: [to], properties: { to: { type: string } }, additionalProperties: false }
operation: send_email
describe: "Write to {{.to}}"
---
policy: default
rules:
  - { name: Never to spam, priority: 1, trigger: { operation_type: [send_email], custom_field: { field: to, operator: "==", value: spam@example.com } }, action: { deny: "spam is switched off" } }
---
workflow: mail
steps: [{ id: send, tool: email_send, with: { to: input.to }, risk: low, retry: { max: 5, backoff: 10ms } }]
---
tool: wire
kind: http
url: %[1]s
risk: critical
---
workflow: transfer
loops: { human: critical_only }
steps: [{ id: check, agent: checker }, { id: wire, tool: wire }]
---
agent: checker
kind: scripted
answers: [{ output: { ok: true } }]
---
agent: courier
kind: scripted
description: Delivers parcels by bicycle
answers: [{ output: { ok: true } }]
`, m.url)))
	s.riskBeforeToolSteps()
	id := s.run("mail", map[string]string{"to": "ann@example.com"})
	a := s.pending(id)
	if a.text("reason") != "call" || a.text("action.tool") != "email_send" || a.text("risk.level") != "high" ||
		!strings.Contains(a.text("title"), "Write to ann@example.com") || len(m.got()) != 0 {
		t.Fatalf("%s; %v", a.body, m.got())
	}
	s.kill()
	s.start()
	s.call("POST", "/approvals/"+a.text("id")+"/decisions",
		`{"act":"modify","changes":{"to":"bob@example.com"},"comment":"wrong person","version":1}`, as(bob)).want(200)
	if r := s.settles(id, "completed", "failed"); r.text("status") != "completed" || r.get("output.sent") != true {
		t.Fatalf("%s", r.body)
	}
	if got := m.got(); len(got) != 1 || !strings.Contains(fmt.Sprint(got), "bob@example.com") {
		t.Errorf("three tries are one piece of work: %v", got)
	}
	denied := s.run("mail", map[string]string{"to": "spam@example.com"})
	if r := s.settles(denied, "completed", "failed"); r.text("status") != "failed" || r.text("error.code") != "denied" {
		t.Errorf("%s", r.body)
	}
	rejected := s.run("mail", map[string]string{"to": "carl@example.com"})
	b := s.pending(rejected)
	s.call("POST", "/approvals/"+b.text("id")+"/decisions", `{"act":"reject","comment":"no","version":1}`,
		as(bob)).want(200)
	r := s.settles(rejected, "completed", "failed")
	if r.text("status") != "failed" || r.text("error.code") != "rejected" {
		t.Errorf("%s", r.body)
	}
	if got := m.got(); len(got) != 1 {
		t.Errorf("something refused was sent: %v", got)
	}
	// What cannot work is refused when it is saved.
	for name, step := range map[string]string{
		"unknown": `{"id":"a","tool":"email_sent"}`, "own": `{"id":"a","tool":"hand_off"}`,
		"argument": `{"id":"a","tool":"email_send","with":{"too":"input.to"}}`, "missing": `{"id":"a","tool":"email_send"}`,
		"lowered": `{"id":"a","tool":"email_send","with":{"to":"input.to"},"operation":"read"}`,
		"server":  `{"id":"a","tool":"mcp:nowhere/read"}`, "several": `{"id":"a","tool":"mcp:files/*"}`,
	} {
		body := fmt.Sprintf(`{"workflow":"bad","steps":[%s]}`, step)
		if r := s.call("PUT", "/workflows/bad?publish=true", body, as(who{"ada", "admin"})); r.status != 422 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

// riskBeforeToolSteps: the risk of a tool opens a decision point, and that of what a search found is shown before it is
// added. An agent that declares nothing counts as high.
func (s *server) riskBeforeToolSteps() {
	id := s.run("transfer", map[string]string{"to": "ann@example.com"})
	a := s.pending(id)
	if a.text("action.type") != "layer" || a.text("risk.level") != "critical" ||
		a.text("show.next.0.risk") != "critical" || !strings.Contains(a.text("so_far"), "wire: tool wire, critical risk") {
		s.t.Errorf("%s", a.body)
	}
	for requirement, want := range map[string]string{"send an email": "uses email_send (send_email, high risk)",
		"deliver parcels by bicycle": "uses the agent courier (high risk)"} {
		s.steer(id, map[string]any{"type": "replan", "requirement": requirement})
		one := s.replanned(id)
		if one.text("risk.level") != "high" || !strings.Contains(one.text("description"), want) ||
			!strings.Contains(string(one.body), `"added":true,"risk":"high"`) {
			s.t.Errorf("%s: %s", requirement, one.body)
		}
		s.decide(one, "reject", "not needed")
	}
	s.steer(id, map[string]any{"type": "cancel", "reason": "enough"})
	s.settles(id, "cancelled")
}

// replanned waits for the question about steps that were found.
func (s *server) replanned(run string) (a answer) {
	s.t.Helper()
	waitFor(s.t, "a question about new steps", func() bool {
		for n := range 2 {
			id := s.call("GET", "/runs/"+run, nil).want(200).text(fmt.Sprintf("pending_approvals.%d", n))
			if id == "" {
				return false
			}
			if a = s.call("GET", "/approvals/"+id+"?full=true", nil).want(200); a.text("action.type") == "replan" {
				return true
			}
		}
		return false
	})
	return a
}

// Everything that can be called is found by what it is wanted for, the tools of a real MCP server included.
func TestToolSearch(t *testing.T) {
	t.Parallel()
	server, _ := filesystemServer(t)
	s := serve(t, "--allow-commands", "--load", loads(t, server+`---
agent: translator
kind: scripted
description: Translates letters into other languages
capabilities: [translation]
answers: [{ output: { ok: true } }]
`))
	s.listed("files")
	r := s.call("GET", "/tools?q="+strings.ReplaceAll("create a new directory", " ", "+")+"&limit=3", nil).want(200)
	if r.text("items.0.name") != "mcp:files/create_directory" || r.text("items.0.source") != "mcp" ||
		r.text("items.0.args_schema.required.0") != "path" || r.text("items.0.why.0") == "" {
		t.Errorf("%s", r.body)
	}
	if r := s.call("GET", "/tools?q=translation", nil).want(200); r.text("items.0.name") != "agent:translator" {
		t.Errorf("%s", r.body)
	}
	if r := s.call("GET", "/tools?q=zymurgy", nil).want(200); r.number("total") != 0 {
		t.Errorf("%s", r.body)
	}
	// A document that is published now is found now.
	s.call("PUT", "/agents/brewer", `{"agent":"brewer","kind":"scripted","description":"Knows zymurgy","answers":[{"output":1}]}`,
		as(who{"ada", "admin"})).want(201)
	if r := s.call("GET", "/tools?q=zymurgy", nil).want(200); r.text("items.0.name") != "agent:brewer" {
		t.Errorf("%s", r.body)
	}
}

// moody is an MCP server of which no tool works: one fails, one answers with something else than JSON, and one is gone
// when it is called.
func moody(t *testing.T) (tools *sdk.Server, url string) {
	tools = sdk.NewServer(&sdk.Implementation{Name: "moody", Version: "1"}, nil)
	for _, name := range []string{"tides", "winds", "waves"} {
		tools.AddTool(&sdk.Tool{Name: "read_" + name, Description: "Read the " + name + " of today",
			InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return nil, errors.New("the gauge is broken")
			})
	}
	speak := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		call := bytes.Contains(raw, []byte(`"tools/call"`))
		switch {
		case call && bytes.Contains(raw, []byte("read_winds")):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "strong, from the west")
			return
		case call && bytes.Contains(raw, []byte("read_waves")):
			tools.RemoveTools("read_waves")
		}
		speak.ServeHTTP(w, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	return tools, server.URL
}

// serverChanges: a server that announces a new tool, and a document that describes another server, change what is found
// long before a list is read again anyway.
func (s *server) serverChanges(t *testing.T, tools *sdk.Server) {
	finds := func(what string) bool {
		return s.call("GET", "/tools?q=read+the+"+what, nil).want(200).text("items.0.name") == "mcp:moody/read_"+what
	}
	tool := &sdk.Tool{Name: "read_clouds", Description: "Read the clouds", InputSchema: map[string]any{"type": "object"}}
	nothing := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("nothing to see")
	}
	tools.AddTool(tool, nothing)
	waitFor(s.t, "the new tool of the server", func() bool { return finds("clouds") })
	other := sdk.NewServer(&sdk.Implementation{Name: "other", Version: "1"}, nil)
	other.AddTool(&sdk.Tool{Name: "read_stars", Description: "Read the stars", InputSchema: tool.InputSchema}, nothing)
	speak := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return other }, nil))
	s.t.Cleanup(speak.CloseClientConnections)
	s.must("", "load", loads(t, "mcp_server: moody\nurl: "+speak.URL+"\n"), "--force")
	waitFor(s.t, "the tools of the other server", func() bool { return finds("stars") })
	if finds("tides") || finds("clouds") {
		s.t.Error("the tools of the server before are still found")
	}
}

// NFR-R2 of specification 001: a catalogue that cannot be reached stops no run, and neither do found tools that fail.
func TestNFRR2Degrades(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(func() {
		close(over)
		hang.Close()
	})
	tools, url := moody(t)
	s := serve(t, "--load", loads(t, fmt.Sprintf(`
mcp_server: dead
url: %s/mcp
---
mcp_server: moody
url: %s
---
workflow: go-on
loops: { replan: go }
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: worker, with: { n: input.n } }]
---
agent: worker
kind: scripted
answers: [{ output: { ok: true } }]
`, hang.URL, url)))
	s.listed("moody")
	id := s.run("go-on", map[string]int{"n": 1})
	a := s.pending(id)
	for n, what := range []string{"tides", "winds", "waves"} {
		s.steer(id, map[string]any{"type": "replan", "requirement": "read the " + what + " of today"})
		waitFor(t, "the step that reads the "+what+" to fail", func() bool { return s.recorded(id, "step.failed") == n+1 })
	}
	s.call("POST", "/runs/"+id+"/commands", `{"type":"replan","requirement":"levitate the piano"}`, as(bob)).want(202)
	waitFor(t, "the search to end", func() bool { return s.recorded(id, "replan.answered") > 0 })
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" || !strings.Contains(string(r.body), "nothing_found") ||
		strings.Count(string(r.body), `"step_failed"`) != 3 {
		t.Errorf("%s", r.body)
	}
	s.serverChanges(t, tools)
}

// speaker is an MCP server that answers lists and calls with what it is given. An empty answer never comes; at the
// answer gone, the server dies.
func speaker(t *testing.T, list, call string) (url string) {
	var dead atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage
			Method string
		}
		switch {
		case dead.Load():
			panic(http.ErrAbortHandler)
		case r.Method != http.MethodPost: // it sends nothing by itself
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case json.NewDecoder(r.Body).Decode(&in) != nil || len(in.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		said, known := map[string]string{"tools/list": list, "tools/call": call, "initialize": `"result":{"protocolVersion":
			"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"speaker","version":"1"}}`}[in.Method]
		if !known {
			said = `"error":{"code":-32601,"message":"no such method"}`
		}
		switch said {
		case gone:
			dead.Store(true)
			panic(http.ErrAbortHandler)
		case "":
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, in.ID, said)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

const gone = "gone"

// NFR-R2 of specification 001, the rest: catalogues that fail and that lie, and servers that are slow and that lie when
// they are called. What is sound is found among them.
func TestNFRR2Servers(t *testing.T) {
	t.Parallel()
	tool := func(name, about string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
			name, about)
	}
	lists := func(tools ...string) string { return `"result":{"tools":[` + strings.Join(tools, ",") + `]}` }
	fails := `"error":{"code":-32603,"message":"the index is gone"}`
	s := serve(t, "--load", loads(t, fmt.Sprintf(`
mcp_server: fails
url: %s
---
mcp_server: garbles
url: %s
---
mcp_server: lies
url: %s
---
mcp_server: hangs
url: %s
timeout: 500ms
---
mcp_server: babbles
url: %s
---
workflow: go-on
loops: { replan: go }
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: opener, with: { n: input.n } }]
---
agent: opener
kind: scripted
description: Opens umbrellas
effects: none
answers: [{ output: { open: true } }]
`, speaker(t, fails, fails), speaker(t, `"result":{"tools":"many"}`, fails),
		speaker(t, lists(`{"name":"read_moon","description":"Read the moon of today",
				"inputSchema":{"type":"objekt","$ref":"http://127.0.0.1:1/"}}`,
			tool("read_sun", "Read the sun of today"), tool("read_sun", "Read the sun of today"), tool("", "Read the rain"),
			tool("../read snow", "Read the snow of today"), tool("hand_off", "Read the hail of today")), fails),
		speaker(t, lists(tool("read_fog", "Read the fog of today")), ""),
		speaker(t, lists(tool("read_wind", "Read the wind of today")), `"result":{"content":"strong"}`))))
	s.listed("lies")
	s.listed("hangs")
	s.listed("babbles")
	id := s.run("go-on", map[string]int{"n": 1})
	a := s.pending(id)
	settled := 0
	for _, what := range []string{"moon", "sun", "rain", "snow", "hail", "fog", "wind"} {
		s.steer(id, map[string]any{"type": "replan", "requirement": "read the " + what + " of today"})
		settled++
		waitFor(t, "the search for the "+what, func() bool { return s.recorded(id, "replan.answered") == settled })
	}
	s.steer(id, map[string]any{"type": "replan", "requirement": "open the umbrella"})
	waitFor(t, "the agent that is sound", func() bool { return s.recorded(id, "step.completed") >= 1 })
	s.decide(a, "approve", "")
	for {
		r := s.settles(id, "waiting", "completed", "failed")
		if r.text("status") == "waiting" { // what a call of an unknown risk asks
			s.decide(s.call("GET", "/approvals/"+r.text("pending_approvals.0"), nil).want(200), "approve", "")
			continue
		}
		text := string(r.body)
		if r.text("status") != "completed" || !strings.Contains(text, `"opener":{"open":true}`) {
			t.Errorf("%s", r.body)
		}
		for _, step := range []string{"read_fog", "read_wind"} {
			if !strings.Contains(text, fmt.Sprintf(`"id":%q`, step)) {
				t.Errorf("%s was not added: %s", step, r.body)
			}
		}
		break
	}
	if list := s.call("GET", "/mcp_servers", nil, boss).want(200); strings.Count(string(list.body), `"failing"`) != 2 {
		t.Errorf("%s", list.body)
	}
}

// A process that is killed in the middle of a search leaves it to the next one: the plan grows once, by one step.
func TestReplanningOutlivesAKill(t *testing.T) {
	t.Parallel()
	asked, over := make(chan struct{}, 100), make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	t.Cleanup(func() {
		close(over)
		hang.Close()
	})
	s := serve(t, "--load", loads(t, fmt.Sprintf(`
mcp_server: slow
url: %s/mcp
---
workflow: translate
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: worker }]
---
agent: worker
kind: scripted
answers: [{ output: { ok: true } }]
---
agent: translator
kind: scripted
description: Translates letters into other languages
effects: none
answers: [{ output: { translated: true } }]
`, hang.URL)))
	id := s.run("translate", map[string]int{})
	a := s.pending(id)
	s.call("POST", "/runs/"+id+"/commands", `{"type":"replan","requirement":"translate letters into languages"}`, as(bob)).
		want(202)
	select { // the search waits for the list of the server, which never comes
	case <-asked:
	case <-time.After(patience):
		t.Fatal("the server was never asked for its tools")
	}
	if n := s.recorded(id, "replan.answered"); n != 0 {
		t.Fatalf("the search was over before the kill: %d", n)
	}
	s.kill()
	s.start()
	waitFor(t, "the search to end", func() bool { return s.recorded(id, "replan.answered") > 0 })
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" || !strings.Contains(string(r.body), `"agent":"translator"`) {
		t.Errorf("%s", r.body)
	}
	for _, typ := range []string{"replan.requested", "replan.answered", "plan.changed"} {
		if n := s.recorded(id, typ); n != 1 {
			t.Errorf("%s: %d times, want once", typ, n)
		}
	}
}
