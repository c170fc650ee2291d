package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// The test binary is also a misbehaving server: see hostile_test.go.
const asHostile = "-as-hostile"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asHostile {
		hostile(os.Args[2])
		os.Exit(0)
	}
	steady.Main(m)
}

// blobs stores what servers send.
type blobs struct {
	mu   sync.Mutex
	kept [][]byte
}

func (b *blobs) keep(_ context.Context, content []byte) (json.RawMessage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, slices.Clone(content))
	return json.RawMessage(fmt.Sprintf(`{"$blob":"%d","size":%d}`, len(b.kept), len(content))), nil
}

// open creates a pool that is closed with the test.
func open(t *testing.T, o mcp.Options) *mcp.Pool {
	t.Helper()
	if o.Client == nil {
		o.Client = outbound.New(outbound.Options{AllowLoopback: true})
	}
	o.Commands = true
	if o.Lookup == nil {
		o.Lookup = func(r definition.Reference) (string, error) {
			if r.Name == "MISSING" {
				return "", errors.New("not set")
			}
			return "sesame-" + r.Name, nil
		}
	}
	p := mcp.New(o)
	t.Cleanup(func() {
		p.Close()
		o.Client.Close()
	})
	return p
}

func secret(t *testing.T, text string) definition.Secret {
	t.Helper()
	s, err := definition.ParseSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func within(d time.Duration) *quantity.Duration { return quantity.Of(d) }

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func names(t *testing.T, s *mcp.Server) []string {
	t.Helper()
	tools, err := s.Tools(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, tool := range tools {
		out = append(out, tool.Name)
	}
	return out
}

func work(args string) port.ToolWork {
	return port.ToolWork{Run: "run_1", Step: "s", Agent: "a", Call: "c1", Key: "run_1/call/s#1",
		Args: json.RawMessage(args), Try: 1}
}

// call calls a tool and expects an answer.
func call(t *testing.T, s *mcp.Server, tool, args string) run.CallResult {
	t.Helper()
	r, err := s.Call(soon(t), tool, work(args), func(port.Progress) {})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// fails calls a tool and expects a failure.
func fails(t *testing.T, s *mcp.Server, tool, args string) run.Failure {
	t.Helper()
	r, err := s.Call(soon(t), tool, work(args), func(port.Progress) {})
	return failure(t, r, err)
}

func failure(t *testing.T, r any, err error) run.Failure {
	t.Helper()
	var f *outbound.Failed
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %+v, %v", r, err)
	}
	return f.Failure
}

func text(t *testing.T, r run.CallResult) string {
	t.Helper()
	raw, _ := value.Get(r.Output, "text")
	s, ok := value.Text(raw)
	if !ok {
		t.Fatalf("there is no text in %s (%s)", r.Output, r.Error)
	}
	return s
}

// eventually waits for something that servers do in their own time.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatal("it never came: " + what)
}

func contains(s string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}
