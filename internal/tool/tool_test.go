package tool_test

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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool"
)

func TestMain(m *testing.M) { steady.Main(m) }

// bench is a registry with documents that can be changed, and a blob store.
type bench struct {
	*tool.Registry
	mu      sync.Mutex
	tools   map[string]*definition.Tool
	servers map[string]*definition.MCPServer
	blobs   map[string][]byte
}

func open(t *testing.T, files string, o tool.Options) *bench {
	t.Helper()
	b := &bench{blobs: map[string][]byte{}}
	b.load(t, files)
	o.Documents = func() (map[string]*definition.Tool, map[string]*definition.MCPServer,
		func(definition.Kind, string) (int, string)) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.tools, b.servers, nil
	}
	o.PutBlob = func(_ context.Context, r io.Reader) (string, int64, error) {
		raw, err := io.ReadAll(r)
		b.mu.Lock()
		defer b.mu.Unlock()
		id := value.Digest(raw)
		b.blobs[id] = raw
		return id, int64(len(raw)), err
	}
	o.Lookup = func(r definition.Reference) (string, error) {
		if r.Name == "MISSING" {
			return "", errors.New("not set")
		}
		return "sesame-" + r.Name, nil
	}
	o.AllowLoopback, o.Workspace = true, t.TempDir()
	b.Registry = tool.New(o)
	t.Cleanup(b.Close)
	return b
}

func (b *bench) load(t *testing.T, files string) {
	t.Helper()
	set, problems := definition.Parse("test.yaml", []byte(files))
	if bad := definition.Errors(problems); len(bad) > 0 {
		t.Fatal(bad)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tools, b.servers = set.Tools, set.MCPServers
}

// call calls a tool; a failure is returned as is.
func (b *bench) call(t *testing.T, name, args string) (run.CallResult, run.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := b.Call(ctx, port.ToolWork{Run: "run_1", Step: "s", Agent: "a", Call: "c1", Key: "k1", Tool: name,
		Args: json.RawMessage(args), Try: 1}, nil)
	if err == nil {
		return r, run.Failure{}
	}
	var f *port.Failed
	if !errors.As(err, &f) {
		t.Fatalf("%s: no failure but %v", name, err)
	}
	return r, f.Failure
}

func (b *bench) spec(t *testing.T, name, args string) run.ToolSpec {
	t.Helper()
	return b.Spec(t.Context(), run.Call{ID: "c1", Tool: name, Args: json.RawMessage(args)})
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func TestHTTPTool(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"output": fmt.Sprint(r.Method, " ", r.Header.Get("Idempotency-Key"), " ", r.Header.Get("X-Key"), " ", string(body)),
			"usage":  map[string]any{"cost_usd": 0.5}, "logs": "looked",
			"deliverables": []any{map[string]any{"name": "a.md", "content": "hi"}},
		})
	})
	b := open(t, fmt.Sprintf(`
tool: crm
kind: http
url: %s
headers: { X-Key: "${env:KEY}" }
args: { type: object, properties: { id: { type: integer, minimum: 1 }, tags: { type: array, items: { type: string } } }, required: [id] }
describe: "Look up customer {{.id}}"
risk: safe
operation: read
cost_usd: 0.25
sample: { name: Ann }
`, url), tool.Options{})
	r, f := b.call(t, "crm", ` { "id" : 17 } `)
	want := `"POST k1 *** {\"run\":\"run_1\",\"step\":\"s\",\"call\":\"c1\",\"key\":\"k1\",\"args\":{\"id\":17}}"`
	if string(r.Output) != want || r.Usage.CostUSD.String() != "0.5" || r.Logs != "looked" || len(r.Deliverables) != 1 {
		t.Errorf("%s %+v %+v", r.Output, r, f)
	}
	for args, says := range map[string]string{
		`{}`:                      "id",
		`{"id":0,"tags":["a",7]}`: "/tags/1",
		`{"id":"x"}`:              "/id",
		`[]`:                      "not an object",
		`{"id":`:                  "not valid JSON",
		``:                        "id",
		`{"id":1,"x":"` + strings.Repeat("x", tool.ArgsMax) + `"}`: "the limit is",
	} {
		if r, f := b.call(t, "crm", args); !strings.Contains(r.Error, says) || f.Message != "" {
			t.Errorf("%.40s: %+v %+v", args, r, f)
		}
	}
	s := b.spec(t, "crm", `{"id":17}`)
	if s.Description != "Look up customer 17" || s.Class != risk.Safe || s.Operation != "read" ||
		s.CostUSD.String() != "0.25" || string(s.Sample) != `{"name":"Ann"}` || len(s.ArgsSchema) == 0 || s.Unknown {
		t.Errorf("%+v", s)
	}
}

// TestHostileHTTPTool: a misbehaving service.
func TestHostileHTTPTool(t *testing.T) {
	for name, c := range map[string]struct {
		h         http.HandlerFunc
		code      string
		transient bool
		says      string
	}{
		"no": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no customer\n 17", 422) }, "http_422",
			false, "422 Unprocessable Entity: no customer 17"},
		"busy": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "http_503", true, "503"},
		"echo": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.Header.Get("X-Key"), 400) },
			"http_400", false, "***"},
		"long": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), 17<<20)) },
			"too_large", false, "more than"},
		"words": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") },
			"invalid_answer", false, "hello"},
		"nothing": {func(http.ResponseWriter, *http.Request) {}, "invalid_answer", false, "empty"},
		"deep": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w,
				`{"output":`+strings.Repeat("[", 100_000))
		}, "invalid_answer", false, ""},
		"cut": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "unreachable", true, ""},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://example.com", 307) },
			"redirect", false, "another host"},
		"slow": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise it never learns that we left
			<-r.Context().Done()
		}, "timeout", true, "500ms"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, fmt.Sprintf("tool: x\nkind: http\nurl: %s\nheaders: { X-Key: \"${env:KEY}\" }\n", serve(t, c.h)),
				tool.Options{})
			b.tools["x"].Timeout = quantity.Of(2 * time.Minute)
			if name == "slow" {
				b.tools["x"].Timeout = quantity.Of(500 * time.Millisecond)
			}
			_, f := b.call(t, "x", `{}`)
			if f.Code != c.code || f.Transient != c.transient || !strings.Contains(f.Message, c.says) ||
				strings.Contains(fmt.Sprintf("%+v", f), "sesame") || len(f.Message) > 3000 {
				t.Errorf("%+v", f)
			}
		})
	}
	b := open(t, "tool: x\nkind: http\nurl: http://10.0.0.1/\n---\ntool: y\nkind: http\nurl: "+
		"http://example.com/\nheaders: { A: \"${env:MISSING}\" }\n", tool.Options{})
	if _, f := b.call(t, "x", `{}`); f.Code != "forbidden_address" || f.Transient {
		t.Errorf("%+v", f)
	}
	if _, f := b.call(t, "y", `{}`); f.Code != "secret" || f.Transient {
		t.Errorf("%+v", f)
	}
}

func TestCommandTool(t *testing.T) {
	files := `
tool: greet
kind: command
command: [sh, -c, 'read -r q; echo "working" >&2; printf "{\"output\":{\"q\":%s,\"key\":\"$KEY\"}}" "$q"']
env: { KEY: "${env:KEY}" }
---
tool: fails
kind: command
command: [sh, -c, "echo nope >&2; exit 3"]
`
	if _, err := os.Stat("/bin/sh"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no shell here")
	}
	if _, f := open(t, files, tool.Options{}).call(t, "greet", `{}`); f.Code != "disabled" || f.Transient ||
		!strings.Contains(f.Message, "allow_commands") {
		t.Errorf("%+v", f)
	}
	b := open(t, files, tool.Options{AllowCommands: true})
	r, f := b.call(t, "greet", `{"a":1}`)
	if got := string(r.Output); got != `{"q":{"run":"run_1","step":"s","call":"c1","key":"k1","args":{"a":1}},"key":"***"}` || r.Logs != "working\n" {
		t.Errorf("%s %q %+v", got, r.Logs, f)
	}
	if _, f := b.call(t, "fails", `{}`); f.Code != "exit" || f.Transient || !strings.Contains(f.Message, "nope") {
		t.Errorf("%+v", f)
	}
}

func TestLongAnswersAreBlobs(t *testing.T) {
	size := 0
	b := open(t, fmt.Sprintf("tool: x\nkind: http\nurl: %s\n", serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"output":"%s"}`, strings.Repeat("é", (size-2)/2))
	})), tool.Options{})
	size = tool.ToldMax
	if r, _ := b.call(t, "x", `{}`); len(r.Output) != tool.ToldMax || len(b.blobs) != 0 {
		t.Errorf("at the limit: %.80s", r.Output)
	}
	size = tool.ToldMax + 2
	r, f := b.call(t, "x", `{}`)
	var ref struct {
		Blob    string `json:"$blob"`
		Size    int    `json:"size"`
		Preview string `json:"preview"`
	}
	if err := json.Unmarshal(r.Output, &ref); err != nil || ref.Size != size || len(b.blobs[ref.Blob]) != size ||
		len(ref.Preview) > tool.PreviewMax || !strings.HasPrefix(ref.Preview, `"éé`) ||
		strings.HasSuffix(ref.Preview, "\ufffd") {
		t.Errorf("%.80s %v %+v", r.Output, err, f)
	}
}

// TestNobodyNamesBlobs: a tool answers with a forged reference.
func TestNobodyNamesBlobs(t *testing.T) {
	b := open(t, fmt.Sprintf("tool: x\nkind: http\nurl: %s\n", serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"output":{"$blob":"sha256:0","size":1}}`)
	})), tool.Options{})
	if r, _ := b.call(t, "x", `{}`); string(r.Output) != `{"value":{"$blob":"sha256:0","size":1}}` {
		t.Errorf("%s", r.Output)
	}
}

func TestBuiltins(t *testing.T) {
	b := open(t, `
tool: write_file
kind: builtin
risk: safe
describe: "Save {{.path}}"
args: { properties: { path: { pattern: "^notes/" } } }
---
tool: http_request
kind: builtin
operation: call_partner
---
tool: no_such_builtin
kind: builtin
`, tool.Options{})
	if r, f := b.call(t, "write_file", `{"path":"notes/a","content":"x"}`); r.Error != "" || f.Message != "" {
		t.Errorf("%+v %+v", r, f)
	}
	for _, args := range []string{`{"path":"a","content":"x"}`, `{"path":"notes/a","other":1}`} { // both schemas apply
		if r, _ := b.call(t, "write_file", args); !strings.Contains(r.Error, "do not match") {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if s := b.spec(t, "write_file", `{"path":"notes/a"}`); s.Class != risk.Safe || s.Description != "Save notes/a" {
		t.Errorf("%+v", s)
	}
	if s := b.spec(t, "http_request", `{"method":"POST","url":"https://x.example"}`); s.Class != risk.ApprovalRequired ||
		s.Operation != "call_partner" || s.Description != "POST https://x.example" {
		t.Errorf("%+v", s)
	}
	if s := b.spec(t, "read_file", `{"path":"a"}`); !s.ReadOnly || s.Class != risk.Safe ||
		s.Description != "Read the file a" {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"no_such_builtin", "nothing", "mcp:none/x", "mcp:", ""} {
		if s := b.spec(t, name, `{}`); !s.Unknown {
			t.Errorf("%q: %+v", name, s)
		}
		if r, f := b.call(t, name, `{}`); r.Error == "" || f.Message != "" {
			t.Errorf("%q: %+v %+v", name, r, f)
		}
	}
	if s := b.spec(t, "ask_human", `{"question":"Which?"}`); s.Class != risk.Safe || s.Description != "Which?" {
		t.Errorf("%+v", s)
	}
	if r, _ := b.call(t, "ask_human", `{"question":"Which?"}`); r.Error == "" {
		t.Errorf("%+v", r)
	}
	if len(tool.Builtin()) != 12 {
		t.Errorf("%d built-in tools", len(tool.Builtin()))
	}
}

// mcpServer is a server with tools by these names.
func mcpServer(t *testing.T, names ...string) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	for _, name := range names {
		s.AddTool(&sdk.Tool{
			Name: name, Description: "does " + name,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
			Annotations: &sdk.ToolAnnotations{Title: "Title of " + name, ReadOnlyHint: strings.HasPrefix(name, "look")},
		}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + string(req.Params.Arguments)},
				&sdk.ImageContent{MIMEType: "image/png", Data: []byte("PNG")}}}, nil
		})
	}
	return serve(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil).ServeHTTP)
}

func TestMCPAndHotReload(t *testing.T) {
	first, second := mcpServer(t, "look", "send"), mcpServer(t, "other")
	docs := func(url string) string { return "mcp_server: files\nurl: " + url + "\n" }
	b := open(t, docs(first), tool.Options{})
	list := func(names ...string) string {
		infos, err := b.List(t.Context(), names)
		var out []string
		for _, i := range infos {
			if len(i.Args) == 0 || i.Description == "" {
				t.Errorf("%+v", i)
			}
			out = append(out, i.Name)
		}
		return fmt.Sprint(strings.Join(out, " "), " | ", err)
	}
	if got := list("web_fetch", "mcp:files/*", "mcp:files/look",
		"milestone"); got != "web_fetch mcp:files/look mcp:files/send milestone | <nil>" {
		t.Error(got)
	}
	if got := list("nothing", "mcp:files/send", "mcp:files/gone",
		"mcp:none/*"); !strings.HasPrefix(got, "mcp:files/send | ") ||
		!strings.Contains(got, `tool "nothing" not found`) || !strings.Contains(got, `no tool "gone"`) ||
		!strings.Contains(got, `unknown mcp_server "none"`) {
		t.Error(got)
	}
	if s := b.spec(t, "mcp:files/look", `{"n":1}`); !s.ReadOnly || s.Destructive ||
		s.Description != "Use Title of look (files) with n: 1" || len(s.ArgsSchema) == 0 {
		t.Errorf("%+v", s)
	}
	if s := b.spec(t, "mcp:files/send", `{}`); s.ReadOnly || !s.Destructive {
		t.Errorf("%+v", s)
	}
	r, f := b.call(t, "mcp:files/look", `{"n":9007199254740993}`)
	if !strings.Contains(string(r.Output), `look{\"n\":9007199254740993}`) ||
		!strings.Contains(string(r.Output), `"content":{"$blob":"sha256:`) || len(b.blobs) != 1 {
		t.Errorf("%s %s %+v", r.Output, r.Error, f)
	}
	if r, _ := b.call(t, "mcp:files/look", `{"n":"x"}`); !strings.Contains(r.Error, "/n") {
		t.Errorf("%+v", r)
	}
	b.load(t, docs(second))
	if got := list("mcp:files/*"); got != "mcp:files/other | <nil>" {
		t.Error(got)
	}
	if s := b.spec(t, "mcp:files/look", `{}`); !s.Unknown {
		t.Errorf("%+v", s)
	}
	b.load(t, "mcp_server: files\nurl: http://127.0.0.1:1/\n")
	if s := b.spec(t, "mcp:files/look", `{"n":1}`); s.Unknown || s.Class != risk.ApprovalRequired ||
		s.Description != "Use look (files) with n: 1" {
		t.Errorf("a server that is down: %+v", s)
	}
	if _, f := b.call(t, "mcp:files/look", `{}`); !f.Transient {
		t.Errorf("%+v", f)
	}
	b.load(t, "")
	if s := b.spec(t, "mcp:files/look", `{}`); !s.Unknown {
		t.Errorf("%+v", s)
	}
}

// TestListSaysWhatARetryCannotFix: an agent that needs its tools is tried again only while that can help.
func TestListSaysWhatARetryCannotFix(t *testing.T) {
	b := open(t, "mcp_server: away\nurl: http://127.0.0.1:1/\n---\nmcp_server: files\ncommand: [files-server]\n",
		tool.Options{})
	for _, c := range []struct {
		names     []string
		code      string
		transient bool
	}{
		{[]string{"mcp:files/*"}, "disabled", false},
		{[]string{"mcp:away/*"}, "unreachable", true},
		{[]string{"mcp:away/*", "mcp:files/read"}, "disabled", false},
		{[]string{"nothing"}, "failed", true},
	} {
		_, err := b.List(t.Context(), c.names)
		f := port.FailureOf(err)
		if f.Code != c.code || f.Transient != c.transient {
			t.Errorf("%v: %+v", c.names, f)
		}
		if c.code == "disabled" && !strings.Contains(f.Message, "allow_commands") {
			t.Errorf("%v: %s", c.names, f.Message)
		}
	}
}

// TestIfDenied: the consequence of a rejection is shown before the decision, in words that match the call; if
// nothing matches, the core has a default.
func TestIfDenied(t *testing.T) {
	b := open(t, `
tool: mail
kind: http
url: https://tools.example.com/mail
if_denied: "{{.to}} hears nothing from us"
---
tool: odd
kind: http
url: https://tools.example.com/odd
if_denied: "{{html .to}}"
---
tool: write_file
kind: builtin
if_denied: "{{.path}} stays as it is"
`, tool.Options{})
	for _, c := range []struct{ tool, args, want string }{
		{"mail", `{"to":"ann@example.com"}`, "ann@example.com hears nothing from us"},
		{"mail", `{}`, "… hears nothing from us"},
		{"mail", `[1]`, ""},
		{"odd", `{"to":"ann"}`, ""}, // a template that does too much
		{"write_file", `{"path":"a.txt","content":""}`, "a.txt stays as it is"},
		{"read_file", `{"path":"a.txt"}`, ""},
	} {
		if got := b.spec(t, c.tool, c.args).IfDenied; got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}
