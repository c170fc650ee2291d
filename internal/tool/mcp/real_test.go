package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/steady"
	"github.com/assent-run/assent/internal/tool/mcp"
	"github.com/assent-run/assent/internal/tool/mcp/mcptest"
)

func node(t *testing.T, server string, args ...string) *definition.MCPServer {
	t.Helper()
	return &definition.MCPServer{Name: server, Command: append([]string{"node", mcptest.Script(t, server)}, args...)}
}

func TestFilesystem(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, mcp.Options{}).Use(node(t, "filesystem", dir))
	tools, err := s.Tools(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	hints := map[string]string{}
	for _, tool := range tools {
		hints[tool.Name] = fmt.Sprint(tool.ReadOnly, tool.Destructive, tool.Idempotent, len(tool.Args) > 0,
			tool.Description != "")
	}
	for name, want := range map[string]string{
		"read_text_file": "true false false true true", "write_file": "false true true true true",
		"edit_file": "false true false true true", "create_directory": "false false true true true",
	} {
		if hints[name] != want {
			t.Errorf("%s: %s, want %s", name, hints[name], want)
		}
	}
	file := filepath.Join(dir, "a.txt")
	if r := call(t, s, "write_file", fmt.Sprintf(`{"path":%q,"content":"grüße"}`, file)); r.Error != "" {
		t.Fatal(r.Error)
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "grüße" {
		t.Errorf("%q, %v", raw, err)
	}
	r := call(t, s, "read_text_file", fmt.Sprintf(`{"path":%q}`, file))
	if got, _ := value.Get(r.Output, "content"); string(got) != `"grüße"` {
		t.Errorf("%s, %s", r.Output, r.Error)
	}
	if r := call(t, s, "read_text_file", `{"path":"/etc/passwd"}`); !strings.Contains(r.Error, "Access denied") ||
		r.Output != nil {
		t.Errorf("%+v", r)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	doc := node(t, "memory")
	doc.Env = map[string]definition.Secret{"MEMORY_FILE_PATH": secret(t, filepath.Join(t.TempDir(), "memory.json"))}
	s := open(t, mcp.Options{}).Use(doc)
	r := call(t, s, "create_entities", `{"entities":[{"name":"ann","entityType":"person","observations":["likes tea"]}]}`)
	if r.Error != "" {
		t.Fatal(r.Error)
	}
	r = call(t, s, "read_graph", `{}`)
	if got, _ := value.Get(r.Output, "entities", "0", "name"); string(got) != `"ann"` {
		t.Errorf("%s", r.Output)
	}
}

// everything are the ways to reach the "everything" server.
func everything(o mcp.Options) map[string]func(t *testing.T) *mcp.Server {
	return map[string]func(t *testing.T) *mcp.Server{
		"stdio": func(t *testing.T) *mcp.Server { return open(t, o).Use(node(t, "everything", "stdio")) },
		"http": func(t *testing.T) *mcp.Server {
			h := serveEverything(t)
			return open(t, o).Use(&definition.MCPServer{Name: "everything", URL: h.url})
		},
	}
}

// served is the real server over HTTP, which can be killed and restarted.
type served struct {
	t         *testing.T
	port, url string
	cmd       *exec.Cmd
}

func serveEverything(t *testing.T) *served {
	t.Helper()
	port := steady.Port(t)
	h := &served{t: t, port: port, url: "http://127.0.0.1:" + port + "/mcp"}
	h.start()
	t.Cleanup(h.kill)
	return h
}

func (h *served) start() {
	h.t.Helper()
	h.cmd = exec.Command("node", mcptest.Script(h.t, "everything"), "streamableHttp")
	h.cmd.Env = append(os.Environ(), "PORT="+h.port)
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	eventually(h.t, "the server listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+h.port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func (h *served) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

func TestEverything(t *testing.T) {
	t.Parallel()
	b := &blobs{}
	for way, reach := range everything(mcp.Options{Keep: b.keep}) {
		t.Run(way, func(t *testing.T) {
			s := reach(t)
			b.kept = nil
			if got := text(t, call(t, s, "echo", `{"message":"grüße <&>"}`)); got != "Echo: grüße <&>" {
				t.Errorf("%q", got)
			}
			r := call(t, s, "get-structured-content", `{"location":"Chicago"}`)
			if got, ok := value.Get(r.Output, "temperature"); !ok {
				t.Errorf("%s %s", got, r.Output)
			}
			r = call(t, s, "get-tiny-image", `{}`)
			if len(b.kept) != 1 || !strings.HasPrefix(string(b.kept[0]), "\x89PNG") ||
				!contains(string(r.Output), `"type":"image"`, `"mime_type":"image/png"`, `{"$blob":"1"`) {
				t.Errorf("%d kept, %s", len(b.kept), r.Output)
			}
			if r = call(t, s, "get-resource-reference", `{"resourceType":"Text","resourceId":1}`); !contains(string(r.Output),
				`"type":"resource"`, `"uri":"demo://`) {
				t.Errorf("%s %s", r.Output, r.Error)
			}
			if r = call(t, s, "get-resource-links", `{"count":2}`); !contains(string(r.Output), `"type":"resource_link"`) {
				t.Errorf("%s %s", r.Output, r.Error)
			}
			if r = call(t, s, "get-sum", `{"a":"x"}`); r.Error == "" || r.Output != nil {
				t.Errorf("%+v", r)
			}
			if r = call(t, s, "no-such-tool", `{}`); !strings.Contains(r.Error, "no tool") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestListChanged relies on a behaviour of the server: once it knows our capabilities, it adds matching tools
// and sends a notification.
func TestListChanged(t *testing.T) {
	t.Parallel()
	for way, reach := range everything(mcp.Options{}) {
		t.Run(way, func(t *testing.T) {
			s := reach(t)
			if got := names(t, s); !slices.Contains(got, "echo") {
				t.Fatalf("%v", got)
			}
			eventually(t, "the list changes", func() bool { return slices.Contains(names(t, s), "trigger-elicitation-request") })
		})
	}
}

func TestProgressAndCancellation(t *testing.T) {
	t.Parallel()
	for way, reach := range everything(mcp.Options{}) {
		t.Run(way, func(t *testing.T) {
			s := reach(t)
			names(t, s)
			var mu sync.Mutex
			var told []port.Progress
			over := false
			tell := func(p port.Progress) {
				mu.Lock()
				defer mu.Unlock()
				if over {
					t.Error("told after the end")
				}
				told = append(told, p)
			}
			r, err := s.Call(soon(t), "trigger-long-running-operation", work(`{"duration":1,"steps":4}`), tell)
			mu.Lock()
			over = true
			mu.Unlock()
			if err != nil || r.Error != "" {
				t.Fatal(r.Error, err)
			}
			if len(told) < 3 || told[0].Percent != 25 {
				t.Errorf("told %+v", told)
			}
			ctx, cancel := context.WithCancel(soon(t))
			_, err = s.Call(ctx, "trigger-long-running-operation", work(forLong), func(port.Progress) { cancel() })
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if got := text(t, call(t, s, "echo", `{"message":"still there"}`)); got != "Echo: still there" {
				t.Errorf("%q", got)
			}
		})
	}
}

// forLong is work that soon reports progress, and does not end by itself during a test.
const forLong = `{"duration":600,"steps":2400}`

func TestTimeout(t *testing.T) {
	t.Parallel()
	doc := node(t, "everything", "stdio")
	doc.Timeout = within(500 * time.Millisecond)
	p := open(t, mcp.Options{})
	s := p.Use(doc)
	eventually(t, "it starts", func() bool { _, err := s.Tools(soon(t)); return err == nil })
	f := fails(t, s, "trigger-long-running-operation", `{"duration":60,"steps":2}`)
	if f.Code != "timeout" || !f.Transient {
		t.Errorf("%+v", f)
	}
}

// pidOf asks the kernel for our children that run a script.
func pidOf(t *testing.T, part string) int {
	t.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		raw, err := os.ReadFile(d)
		if err != nil || !strings.Contains(string(raw), part) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(d), "stat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == fmt.Sprint(os.Getpid()) && fields[0] != "Z" {
			pid := 0
			_, _ = fmt.Sscan(filepath.Base(filepath.Dir(d)), &pid)
			return pid
		}
	}
	return 0
}

func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	mark := "--mark-" + filepath.Base(t.TempDir())
	s := open(t, mcp.Options{}).Use(node(t, "everything", "stdio", mark))
	names(t, s)
	first := pidOf(t, mark)
	if first == 0 {
		t.Fatal("the program is not to be found")
	}
	process, err := os.FindProcess(first)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Call(soon(t), "trigger-long-running-operation", work(forLong),
		func(port.Progress) { _ = process.Kill() })
	f := failure(t, r, err)
	if !f.Transient || !contains(f.Message, "everything", "killed") {
		t.Errorf("%+v", f)
	}
	if got := text(t, call(t, s, "echo", `{"message":"again"}`)); got != "Echo: again" {
		t.Errorf("%q", got)
	}
	if second := pidOf(t, mark); second == 0 || second == first {
		t.Errorf("it was %d and is %d", first, second)
	}
}

func TestHTTPServerIsStartedAnew(t *testing.T) {
	t.Parallel()
	h := serveEverything(t)
	s := open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "everything", URL: h.url})
	names(t, s)
	kill := sync.OnceFunc(h.kill)
	r, err := s.Call(soon(t), "trigger-long-running-operation", work(forLong), func(port.Progress) { kill() })
	if f := failure(t, r, err); !f.Transient {
		t.Errorf("%+v", f)
	}
	kill() // it has ended
	h.start()
	eventually(t, "it answers again", func() bool {
		r, err := s.Call(soon(t), "echo", work(`{"message":"again"}`), func(port.Progress) {})
		return err == nil && r.Error == ""
	})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ASSENT_TOKEN", "ours alone")
	doc := node(t, "everything", "stdio")
	doc.Env = map[string]definition.Secret{"API_KEY": secret(t, "${env:KEY}"), "PLAIN": secret(t, "swordfish")}
	s := open(t, mcp.Options{}).Use(doc)
	r := call(t, s, "get-env", `{}`)
	got := string(r.Output)
	if !contains(got, "API_KEY", "PATH", "PLAIN") || strings.Contains(got, "ASSENT_TOKEN") ||
		strings.Contains(got, "sesame") || strings.Contains(got, "swordfish") {
		t.Errorf("%s %s", got, r.Error)
	}
	doc = node(t, "everything", "stdio")
	doc.Env = map[string]definition.Secret{"API_KEY": secret(t, "${env:MISSING}")}
	if f := fails(t, open(t, mcp.Options{}).Use(doc), "echo", `{}`); f.Code != "secret" || f.Transient ||
		!contains(f.Message, "API_KEY") {
		t.Errorf("%+v", f)
	}
}
