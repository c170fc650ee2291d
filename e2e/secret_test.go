package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Secrets that documents refer to, by purpose. Some contain characters that look different in JSON and in
// URLs.
var planted = map[string]string{
	"MODEL_KEY": "sk-planted-model-key-0123456789", "GATEWAY": "planted-gateway-token-42",
	"HTTP_TOOL":  `planted"tool&key<7>/x+y`,
	"HTTP_AGENT": "planted-agent-bearer-ümlaut-1", "COMMAND_TOOL": "planted-command-tool-2",
	"COMMAND_AGENT": "planted-command-agent-3",
	"MCP_LOCAL":     "planted-mcp-local-4", "MCP_REMOTE": "planted-mcp-remote-5",
}

// typed is what a person enters into a run: data that is stored and shown, but must never be logged.
const typed = "sk-typed-by-a-person-0123456789"

// The test binary is an MCP server on request: it leaks its environment wherever a server can.
func init() {
	if secret := os.Getenv("E2E_MCP_SECRET"); secret != "" {
		fmt.Fprintln(os.Stderr, "started with", secret)
		if err := indiscreet(secret).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err, secret)
		}
		os.Exit(0)
	}
}

func indiscreet(secret string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "indiscreet " + secret, Version: "1"},
		&sdk.ServerOptions{Instructions: "Use " + secret})
	object := json.RawMessage(`{"type":"object","description":` + quoted(secret) + `}`)
	s.AddTool(&sdk.Tool{Name: "echo", Description: "Says " + secret, InputSchema: object,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, Title: secret}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "you are " + secret}},
				StructuredContent: map[string]string{secret: secret}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "fail", InputSchema: json.RawMessage(`{"type":"object"}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return nil, fmt.Errorf("not with %s", secret)
		})
	return s
}

const secretDocuments = `
agent: clerk
kind: llm
provider: PROVIDER
base_url: MODEL/v1
model: m
api_key: ${env:MODEL_KEY}
headers: { X-Gateway: "${file:GATEWAY}" }
system: Be discreet.
tools: [echo_http, fail_http, moved_http, echo_command, fail_command, "mcp:local/*", "mcp:remote/*", create_deliverable]
autonomy: full
---
agent: refused
kind: llm
provider: PROVIDER
base_url: MODEL/none
model: m
api_key: ${env:MODEL_KEY}
headers: { X-Gateway: "${file:GATEWAY}" }
---
agent: unset
kind: llm
provider: PROVIDER
base_url: MODEL/v1
model: m
api_key: sk-${env:E2E_IS_NOT_SET}
---
agent: service
kind: http
url: SERVICE/agent
headers: { Authorization: "Bearer ${env:HTTP_AGENT}" }
---
agent: bad-service
kind: http
url: SERVICE/bad-agent
headers: { Authorization: "Bearer ${env:HTTP_AGENT}" }
---
agent: program
kind: command
command: [sh, -c, 'echo "log $S" >&2; printf "{\"output\":{\"k\":\"%s\",\"%s\":1},\"reasoning\":\"%s\",\"logs\":\"%s\",\"deliverables\":[{\"name\":\"%s.md\",\"type\":\"document\",\"content\":\"%s\"}]}" "$S" "$S" "$S" "$S" "$S" "$S"']
env: { S: "${env:COMMAND_AGENT}" }
---
agent: bad-program
kind: command
command: [sh, -c, 'echo "no $S"; echo "log $S" >&2; exit 3']
env: { S: "${env:COMMAND_AGENT}" }
---
tool: echo_http
kind: http
url: SERVICE/tool
headers: { X-Key: "${env:HTTP_TOOL}" }
risk: safe
---
tool: fail_http
kind: http
url: SERVICE/bad-tool
headers: { X-Key: "${env:HTTP_TOOL}" }
risk: safe
---
tool: moved_http
kind: http
url: SERVICE/moved
headers: { X-Key: "${env:HTTP_TOOL}" }
risk: safe
---
tool: echo_command
kind: command
command: [sh, -c, 'echo "log $S" >&2; printf "{\"output\":\"%s\",\"logs\":\"%s\",\"deliverables\":[{\"name\":\"c.md\",\"type\":\"document\",\"content_base64\":\"%s\"}]}" "$S" "$S" "$(printf %s "$S" | base64)"']
env: { S: "${env:COMMAND_TOOL}" }
risk: safe
---
tool: fail_command
kind: command
command: [sh, -c, 'echo "$S"; echo "$S" >&2; exit 1']
env: { S: "${env:COMMAND_TOOL}" }
risk: safe
---
mcp_server: local
command: ["PROGRAM"]
env: { E2E_MCP_SECRET: "${env:MCP_LOCAL}" }
---
mcp_server: remote
url: SERVICE/mcp
headers: { Authorization: "Bearer ${env:MCP_REMOTE}" }
---
workflow: talk
steps: [{ id: work, agent: clerk, retry: { max: 20, backoff: 5ms, max_backoff: 10ms } }]
---
workflow: calls
stop_on_error: false
steps:
  - { id: a, agent: service, needs: [] }
  - { id: b, agent: program, needs: [] }
  - { id: c, agent: bad-service, needs: [], retry: { max: 1 } }
  - { id: d, agent: bad-program, needs: [], retry: { max: 1 } }
  - { id: e, agent: refused, needs: [], retry: { max: 1 } }
  - { id: f, agent: unset, needs: [], retry: { max: 1 } }
---
workflow: one-fails
steps: [{ id: only, agent: bad-service, retry: { max: 2, backoff: 5ms } }]
`

// gossip is a service that repeats its request headers in every place.
func gossip(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	secret := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Key")
	w.Header().Set("X-Echo", secret)
	switch r.URL.Path {
	case "/bad-tool":
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"error":%s,"plain":%s}`, plainly(secret), quoted(secret))
		return
	case "/bad-agent":
		http.Error(w, "go away, "+secret, http.StatusInternalServerError)
		return
	case "/moved":
		http.Redirect(w, r, "http://"+url.PathEscape(secret)+".example/"+url.QueryEscape(secret),
			http.StatusTemporaryRedirect)
		return
	}
	s := plainly(secret)
	base := base64.StdEncoding.EncodeToString([]byte("bytes " + secret))
	fmt.Fprintf(w, `{"output":{"k":%s,%s:[%s]},"reasoning":%s,"logs":%s,"deliverables":[{"name":%s,"type":"document","content":%s,"description":%s},{"name":"b","type":"data","content_base64":%q},{"name":"u","type":"data","url":"https://example.com/?k=%s"}]}`,
		quoted(secret), s, s, s, s, s, s, s, base, url.QueryEscape(secret))
}

// plainly is JSON with minimal escaping.
func plainly(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}

// Secrets that documents refer to are used and never revealed: not in the server's output, the API, the
// stream, exports, or anything on disk, however much models, services, programs and MCP servers repeat them.
func TestSecretsStaySecret(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		l := newLeakTest(t, provider)
		talk := l.s.run("talk", map[string]string{"note": typed}, as(ann))
		done := l.s.settles(talk, "completed", "failed")
		if done.text("status") != "completed" || !strings.Contains(string(done.body), "***") {
			t.Errorf("%s", done.body)
		}
		for _, w := range []string{"calls", "one-fails"} {
			l.s.settles(l.s.run(w, map[string]string{"note": typed}), "completed", "failed")
		}
		l.s.call("GET", "/me", nil, header("Authorization", "Bearer planted-token-of-a-client")) // whatever comes of it
		l.used()
		l.crawl()
		l.commands()
		l.stop()
		l.disk()
	})
}

// leakTest is a server whose output is recorded.
type leakTest struct {
	*testing.T
	s      *server
	model  *model
	data   string
	said   *bytes.Buffer
	stream *bytes.Buffer
	mu     sync.Mutex // of both
	close  func()
	seen   map[string]bool // secrets that were really sent
	looked int             // places
	stars  int
}

func newLeakTest(t *testing.T, provider string) *leakTest {
	l := &leakTest{T: t, data: t.TempDir(), said: &bytes.Buffer{}, stream: &bytes.Buffer{}, seen: map[string]bool{}}
	echo := planted["MODEL_KEY"] + " and " + planted["GATEWAY"]
	l.model = scriptedModel(t, strings.NewReplacer("SECRET", planted["MODEL_KEY"], "GATE", planted["GATEWAY"]).Replace(`
turn 1: You sent me SECRET and GATE, did you not?
  call echo_http {"text":"SECRET"}
  call fail_http {"GATE":1}
  call moved_http {}
  call echo_command {}
  call fail_command {}
  call mcp_local_echo {}
  call mcp_local_fail {}
  call mcp_remote_echo {}
  call mcp_remote_fail {}
  call create_deliverable {"name":"SECRET.md","type":"document","content":"GATE"}
  trouble 500 1
  trouble 429 1
  trouble overloaded 1
  trouble cut 700 1
turn 2: All of it is about SECRET.
`))
	l.model.echo = echo
	service := http.NewServeMux()
	service.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		l.saw(r.Header)
		gossip(w, r)
	})
	remote := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		l.saw(r.Header)
		return indiscreet(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}, nil)
	service.Handle("/mcp", remote)
	outside := httptest.NewServer(service)
	t.Cleanup(outside.Close)
	l.start(provider, outside.URL)
	return l
}

func (l *leakTest) start(provider, service string) {
	l.Helper()
	dir := l.TempDir()
	program, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	documents := strings.NewReplacer("PROVIDER", provider, "MODEL/", l.model.url+"/", "SERVICE/", service+"/",
		"file:GATEWAY", "file:"+dir+"/gateway", "PROGRAM", program).Replace(secretDocuments)
	if err := os.Mkdir(dir+"/documents", 0o700); err != nil {
		l.Fatal(err)
	}
	for name, text := range map[string]string{"/gateway": planted["GATEWAY"] + "\n", "/documents/all.yaml": documents} {
		if err := writeFile(dir+name, text); err != nil {
			l.Fatal(err)
		}
	}
	l.s = &server{t: l.T, log: &tail{}}
	cmd := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", l.data, "--load", dir+"/documents",
		"--allow-commands", "--log-level", "debug")
	cmd.Env = os.Environ()
	for name, secret := range planted {
		if name != "GATEWAY" {
			cmd.Env = append(cmd.Env, name+"="+secret)
		}
	}
	cmd.Stdout, cmd.Stderr = keeper{l, l.said}, keeper{l, l.said}
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	l.s.cmd = cmd
	l.Cleanup(func() {
		if l.s.cmd != nil {
			l.s.kill()
		}
	})
	waitFor(l.T, "the server to be ready", func() bool {
		_, rest, ok := strings.Cut(l.text(l.said), "assent: ready on ")
		l.s.url, _, _ = strings.Cut(rest, "\n")
		return ok && l.s.url != ""
	})
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", l.s.url+"/api/v1/events?after=0&progress=true", nil)
	if err != nil {
		l.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		_, _ = io.Copy(keeper{l, l.stream}, res.Body)
		res.Body.Close()
	})
	l.close = func() { cancel(); all.Wait() }
}

// keeper records what is written.
type keeper struct {
	l    *leakTest
	into *bytes.Buffer
}

func (k keeper) Write(p []byte) (int, error) {
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	return k.into.Write(p)
}

func (l *leakTest) text(b *bytes.Buffer) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return b.String()
}

func (l *leakTest) saw(h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, secret := range planted {
		if h.Get("X-Key") == secret || h.Get("Authorization") == "Bearer "+secret {
			l.seen[name] = true
		}
	}
}

// used checks that the secrets were really sent, and that responses were redacted rather than empty.
func (l *leakTest) used() {
	l.Helper()
	q := l.model.last(l.T, 1)
	if q.header.Get("X-Gateway") != planted["GATEWAY"] ||
		!strings.Contains(q.header.Get("Authorization")+q.header.Get("X-Api-Key"), planted["MODEL_KEY"]) {
		l.Errorf("the model got %v", q.header)
	}
	for _, name := range []string{"HTTP_TOOL", "HTTP_AGENT", "MCP_REMOTE"} {
		if !l.seen[name] {
			l.Errorf("nobody was sent %s", name)
		}
	}
	heard := l.model.last(l.T, 2).results(l.T)
	for n, want := range map[int]string{1: "***", 2: "***", 4: "***", 6: "***", 7: "not with ***",
		8: "***", 9: "not with ***"} {
		if got := heard[fmt.Sprintf("t1c%d", n)]; !strings.Contains(got, want) {
			l.Errorf("call %d brought %q", n, got)
		}
	}
	for _, q := range l.model.questions() {
		for name, secret := range planted {
			if strings.Contains(q.body, secret) || strings.Contains(q.words, secret) {
				l.Errorf("%s is in what the model reads: %.3000s", name, q.body)
			}
		}
	}
}

// Authors of documents cannot use them to read the machine's secrets: a referenced secret is sent where the
// document says.
func TestDocumentsDoNotReadTheMachine(t *testing.T) {
	t.Parallel()
	const shadow = "for the owner's eyes"
	file := filepath.Join(t.TempDir(), "shadow")
	if err := os.WriteFile(file, []byte(shadow), 0o600); err != nil {
		t.Fatal(err)
	}
	var heard atomic.Bool
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard.Store(heard.Load() || strings.Contains(fmt.Sprint(r.Header), shadow))
		fmt.Fprint(w, `{"output":1}`)
	}))
	defer listener.Close()
	s := serve(t)
	put := func(ref string) answer {
		return s.call("PUT", "/agents/spy", fmt.Sprintf("agent: spy\nkind: http\nurl: %s\nheaders: { X-Key: %q }\n",
			listener.URL, ref), header("Content-Type", "application/yaml"))
	}
	for _, ref := range []string{"${file:" + file + "}", "${env:HOME}", "${env:ASSENT_TOKEN}",
		"${file:/run/secrets/../.." + file + "}"} {
		if p := put(ref).want(422); !strings.Contains(string(p.body), "references") ||
			!strings.Contains(string(p.body), "headers.X-Key") {
			t.Errorf("%s: %s", ref, p.body)
		}
	}
	put("${env:ASSENT_SECRET_RISK}").want(201)
	if heard.Load() {
		t.Error("a file of the machine reached a listener")
	}
	// The operator's documents in a directory may refer to them.
	s.stop()
	folder := t.TempDir()
	text := fmt.Sprintf("agent: spy\nkind: http\nurl: %s\nheaders: { X-Key: \"${file:%s}\" }\n---\nworkflow: "+
		"spying\nsteps: [{ id: look, agent: spy }]\n", listener.URL, file)
	if err := os.WriteFile(filepath.Join(folder, "spy.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = append(s.args, "--load", folder)
	s.start()
	s.settles(s.run("spying", map[string]any{}), "completed")
	if !heard.Load() {
		t.Error("an operator's own document does not read its secret")
	}
}
