package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// hostile is a server that completes the handshake, more or less, and then acts according to its mode.
func hostile(mode string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	switch mode {
	case "asks":
		asking(in)
		return
	case "dies":
		fmt.Fprintln(os.Stderr, "no licence for sesame-KEY")
		os.Exit(3)
	case "garbage":
		fmt.Println("Welcome to my server!")
	case "endless":
		for {
			_, err := os.Stdout.WriteString(strings.Repeat("[", 1<<20))
			if err != nil {
				return
			}
		}
	case "silent":
		time.Sleep(time.Hour)
	case "family": // a child that ignores everything and holds the pipes open
		signal.Ignore(syscall.SIGTERM)
		cmd := exec.Command(os.Args[0], asHostile, "stubborn")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = cmd.Start()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	}
	pages := 0
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			continue
		}
		answer := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result) }
		switch m.Method {
		case "initialize":
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`)
		case "tools/list":
			pages++
			answer(hostileList(mode, pages))
			if mode == "late" && pages == 1 {
				time.AfterFunc(300*time.Millisecond,
					func() { fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) })
			}
			if mode == "deaf" {
				time.Sleep(time.Hour)
			}
		case "tools/call":
			hostileCall(mode, string(m.ID), answer)
		default:
			if len(m.ID) > 0 {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
			}
		}
	}
	if mode == "family" {
		time.Sleep(time.Hour)
	}
}

const oneTool = `{"name":"do","description":"d","inputSchema":{"type":"object"}}`

func hostileList(mode string, page int) string {
	switch mode {
	case "pages":
		return fmt.Sprintf(`{"tools":[{"name":"do%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}`, page, page)
	case "many":
		var b strings.Builder
		for i := range mcp.ToolsMax + 50 {
			fmt.Fprintf(&b, `{"name":"do%d","inputSchema":{}},`, i)
		}
		return `{"tools":[` + strings.TrimSuffix(b.String(), ",") + `]}`
	case "odd":
		return `{"tools":[null,{},{"name":""},{"name":"a\u0000b","inputSchema":{}},{"name":"*","inputSchema":{}},{"name":"x","inputSchema":7},{"name":"y","inputSchema":null},
			{"name":"` + strings.Repeat("n", 201) + `","inputSchema":{}},{"name":"big","inputSchema":{"description":"` +
			strings.Repeat("s", 70_000) + `"}},
			{"name":"words","description":"` + strings.Repeat("d", 20_000) +
			`","inputSchema":{}},{"name":"do","inputSchema":{}},{"name":"do","inputSchema":{}},
			{"name":"both","inputSchema":{},"annotations":{"readOnlyHint":true,"destructiveHint":true}},
			{"name":"quiet","inputSchema":{},"annotations":{}}]}`
	case "late":
		if page == 1 {
			return `{"tools":[]}`
		}
	case "destroys":
		return `{"tools":[{"name":"do","inputSchema":{},"annotations":{"destructiveHint":true}}]}`
	}
	return `{"tools":[` + oneTool + `]}`
}

func hostileCall(mode, id string, answer func(string)) {
	switch mode {
	case "requests": // its requests are invalid
		for _, m := range []string{
			`"id":7,"method":"elicitation/create"`, `"id":8,"method":"elicitation/create","params":null`,
			`"id":9,"method":"elicitation/create","params":{"message":7}`,
			`"method":"notifications/elicitation/complete"`, `"method":"notifications/progress"`,
			`"method":"notifications/progress","params":{"progressToken":{"a":[]},"progress":1}`,
			`"method":"notifications/cancelled"`, `"method":"notifications/cancelled","params":{"requestId":{}}`,
			`"id":10,"method":"sampling/createMessage"`, `"id":11,"method":"roots/list"`,
			`"method":"notifications/tools/list_changed","params":null`, `"id":12,"method":"no/such","params":[]`,
			`"id":` + id + `,"method":"ping"`,
			`"id":"unasked","result":{}`, `"id":99999,"result":null`, `"method":"notifications/message"`,
			`"method":"notifications/resources/updated"`,
		} {
			fmt.Printf(`{"jsonrpc":"2.0",%s}`+"\n", m)
		}
		answer(`{"content":[{"type":"text","text":"survived"}]}`)
	case "null input":
		answer(`{"resultType":"input_required","inputRequests":{"a":null}}`)
	case "contents":
		answer(`{"content":[{"type":"resource"},{"type":"image"},{"type":"text"},{"type":"resource","resource":{"uri":"x"}}]}`)
	case "unknown content":
		answer(`{"content":[{"type":"hologram"}]}`)
	case "null contents":
		answer(`{"content":[null]}`)
	case "nothing":
		answer(`{}`)
	case "null":
		answer(`null`)
	case "list":
		answer(`[1,2]`)
	case "deep":
		answer(`{"structuredContent":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}`)
	case "long":
		answer(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 17<<20) + `"}]}`)
	case "digits":
		answer(`{"structuredContent":{"n":9007199254740993,"m":0.10},"content":[{"type":"text","text":"{\"n\":9007199254740993,\"m\":0.10}"}]}`)
	case "error":
		answer(`{"isError":true,"content":[{"type":"text","text":"` + strings.Repeat("no ", 10_000) + `sesame-KEY"}]}`)
	case "protocol error":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"broken: sesame-KEY"}}`+"\n", id)
	case "url":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"sign in","data":{"elicitations":[null,{"mode":"url","message":"Sign in, please","url":"https://example.com/in","elicitationId":"1"}]}}}`+"\n", id)
	case "flood":
		for i := range 5000 {
			fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"assent-%d","progress":%d}}`+"\n", i%100, i)
		}
		answer(`{"content":[]}`)
	case "twice":
		answer(`{"content":[{"type":"text","text":"one"}]}`)
		answer(`{"content":[{"type":"text","text":"two"}]}`)
	case "hangs":
	case "exits", "destroys":
		fmt.Fprintln(os.Stderr, "segmentation fault near sesame-KEY")
		os.Exit(9)
	default:
		answer(`{"content":[{"type":"text","text":"done"}]}`)
	}
}

func hostileDoc(t *testing.T, mode string) *definition.MCPServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &definition.MCPServer{
		Name: "x", Command: []string{self, asHostile, mode}, Timeout: within(time.Minute),
		Env: map[string]definition.Secret{"KEY": secret(t, "${env:KEY}"), "GORACE": secret(t, "atexit_sleep_ms=0")},
	}
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, output, says string }{
		{"requests", `{"text":"survived"}`, ""},
		{"contents", `{"content":[{"type":"resource"},{"type":"image"},{"type":"text","text":""},{"type":"resource","text":"","uri":"x"}]}`, ""},
		{"nothing", `{}`, ""},
		{"digits", `{"n":9007199254740993,"m":0.10}`, ""},
		{"flood", `{}`, ""},
		{"twice", `{"text":"one"}`, ""},
		{"error", "", "no no no"},
		{"protocol error", "", "broken: ***"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			r := call(t, open(t, mcp.Options{}).Use(hostileDoc(t, c.mode)), "do", `{}`)
			if string(r.Output) != c.output || !strings.Contains(r.Error, c.says) || len(r.Error) > 9000 ||
				strings.Contains(r.Error, "sesame") {
				t.Errorf("%s, %.300q", r.Output, r.Error)
			}
		})
	}
}

func TestHostileFailures(t *testing.T) {
	t.Parallel()
	for mode, says := range map[string]string{
		"null input": "cannot be read", "unknown content": "hologram", "null contents": "nil content", "null": "",
		"list": "", "deep": "depth", "long": "",
		"dies": "no licence for ***", "garbage": "does not speak MCP", "endless": "does not speak MCP",
		"exits": "segmentation fault near ***",
	} {
		t.Run(mode, func(t *testing.T) {
			r, err := open(t, mcp.Options{}).Use(hostileDoc(t, mode)).Call(soon(t), "do", work(`{}`), func(port.Progress) {})
			if mode == "null" && err == nil {
				return // a missing result is an empty one
			}
			f := failure(t, r, err)
			if !f.Transient || !strings.Contains(f.Message, says) || strings.Contains(fmt.Sprintf("%+v", f), "sesame") ||
				len(f.Message) > 8000 {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestDestructive: a server dies during a call that must not be repeated.
func TestDestructive(t *testing.T) {
	r := call(t, open(t, mcp.Options{}).Use(hostileDoc(t, "destroys")), "do", `{}`)
	if !contains(r.Error, "may have been carried out", "segmentation fault near ***") {
		t.Errorf("%+v", r)
	}
}

func TestHostileLists(t *testing.T) {
	if got := names(t, open(t, mcp.Options{}).Use(hostileDoc(t, "pages"))); len(got) != 1000 {
		t.Errorf("%d tools of a list without end", len(got))
	}
	if got := names(t, open(t, mcp.Options{}).Use(hostileDoc(t, "many"))); len(got) != mcp.ToolsMax {
		t.Errorf("%d tools", len(got))
	}
	tools, err := open(t, mcp.Options{}).Use(hostileDoc(t, "odd")).Tools(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range tools {
		got = append(got, fmt.Sprint(tool.Name, " ", tool.ReadOnly, tool.Destructive, len(tool.Description)))
	}
	if want := "y false false 0, words false false 8195, do false false 0, both true true " +
		"0, quiet false true 0"; strings.Join(got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
}

// TestStuck: servers that do not answer, and one that does not even read: the pipe to it fills up before the
// request is sent.
func TestStuck(t *testing.T) {
	for mode, args := range map[string]string{"hangs": `{}`, "deaf": `{"x":"` + strings.Repeat("x", 1<<20) + `"}`} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			doc := hostileDoc(t, mode)
			doc.Timeout = within(time.Second)
			s := open(t, mcp.Options{}).Use(doc)
			if f := fails(t, s, "do", args); f.Code != "timeout" || !f.Transient {
				t.Errorf("%+v", f)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := s.Call(ctx, "do", work(args), func(port.Progress) {}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestGivingUpWhileItStarts(t *testing.T) {
	p := open(t, mcp.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.Use(hostileDoc(t, "silent")).Tools(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	begun := time.Now()
	p.Close() // does not wait for the handshake
	if d := time.Since(begun); d > 20*time.Second {
		t.Errorf("closing took %s", d)
	}
	if f := failureOf(p.Use(hostileDoc(t, "fine")).Tools(soon(t))); f == nil || f.Code != "changed" {
		t.Errorf("after closing: %+v", f)
	}
}

func failureOf(_ any, err error) *outbound.Failed {
	var f *outbound.Failed
	errors.As(err, &f)
	return f
}

func TestBackOff(t *testing.T) {
	now := time.Now()
	p := open(t, mcp.Options{Now: func() time.Time { return now }})
	s := p.Use(hostileDoc(t, "exits"))
	for i, want := range []string{"exit", "exit", outbound.Unreachable} { // the second time in a row, it is not started
		f := fails(t, s, "do", `{}`)
		if f.Code != want || (f.RetryAfter > 0) != (want == outbound.Unreachable) {
			t.Fatalf("%d: %+v", i, f)
		}
		eventually(t, "it is known to be gone", func() bool { return !s.Alive() })
	}
	now = now.Add(time.Minute)
	if f := fails(t, s, "do", `{}`); f.Code != "exit" {
		t.Errorf("%+v", f)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	p := open(t, mcp.Options{})
	doc := hostileDoc(t, "family")
	s := p.Use(doc)
	if got := names(t, s); len(got) != 1 {
		t.Fatal(got)
	}
	pid := pidOf(t, "family")
	if pid == 0 {
		t.Fatal("it does not run")
	}
	p.Close()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, s := range stats {
		raw, _ := os.ReadFile(s)
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if len(fields) > 2 && fields[2] == fmt.Sprint(pid) && fields[0] != "Z" {
			t.Errorf("something is left of the group: %s", raw)
		}
	}
}

func TestChangedDocument(t *testing.T) {
	p := open(t, mcp.Options{})
	doc := hostileDoc(t, "fine")
	s := p.Use(doc)
	if got := text(t, call(t, s, "do", `{}`)); got != "done" {
		t.Fatal(got)
	}
	same := *doc
	if p.Use(&same) != s {
		t.Error("the same content is another server")
	}
	other := hostileDoc(t, "twice")
	next := p.Use(other)
	if next == s {
		t.Fatal("another content is the same server")
	}
	if got := text(t, call(t, next, "do", `{}`)); got != "one" {
		t.Error(got)
	}
	if f := fails(t, s, "do", `{}`); f.Code != "changed" || !f.Transient {
		t.Errorf("%+v", f)
	}
	p.Retain(map[string]*definition.MCPServer{})
	if f := fails(t, next, "do", `{}`); f.Code != "changed" {
		t.Errorf("%+v", f)
	}
}

func TestProgramsAreOffUnlessEnabled(t *testing.T) {
	p := mcp.New(mcp.Options{})
	defer p.Close()
	s := p.Use(hostileDoc(t, "fine"))
	for range 4 { // the reason stays, however often they are called
		if f := fails(t, s, "do", `{}`); f.Code != "disabled" || f.Transient || !contains(f.Message, mcp.Setting) {
			t.Errorf("%+v", f)
		}
	}
}
