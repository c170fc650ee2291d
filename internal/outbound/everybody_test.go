package outbound

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reaches is what a file writes that talks to others by itself.
var reaches = regexp.MustCompile(`http\.(Client\{|DefaultClient|DefaultTransport|Transport\{|Get\(|Post\(|Head\(|PostForm\()|net\.(Dial|DialTimeout|Dialer\{)|tls\.Dial`)

// excused say why a file may.
var excused = map[string]string{
	"internal/outbound/guard.go":               "it is the guard",
	"internal/outbound/outbound.go":            "it is the guard",
	"internal/auth/provider.go":                "the operator names the identity provider; https or loopback only",
	"internal/auth/authtest/authtest.go":       "only tests use it: it is a browser",
	"internal/cli/client/client.go":            "the command line goes where whoever typed it says",
	"internal/assembly/assembly.go":            "the transport of its client, for audit witnesses, is the guard's",
	"internal/agent/llm/llm.go":                "its transport is the guard's: see assembly",
	"internal/agent/llm/wire.go":               "its transport is the guard's: see assembly",
	"internal/tool/builtin/request.go":         "its transport is the guard's",
	"internal/tool/builtin/web.go":             "its transport is the guard's",
	"internal/tool/mcp/session.go":             "its transport is the guard's",
	"internal/notify/push/push.go":             "its transport is the guard's: see assembly",
	"internal/notify/webhook/webhook.go":       "its transport is the guard's",
	"internal/assembly/chat.go":                "the transport of its clients is the guard's",
	"internal/trace/otlp/otlp.go":              "the operator names the collector of traces",
	"internal/store/postgres/pgtest/pgtest.go": "tests look whether their own server answers",
	"internal/store/postgres/pgtest/wire.go":   "tests cut connections to their own database with it",
}

// TestEverybodyGoesThroughTheGuard finds code that opens connections without the guard.
func TestEverybodyGoesThroughTheGuard(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		name := "internal/" + strings.TrimPrefix(filepath.ToSlash(path), "../")
		if err == nil && reaches.Match(text) {
			used[name] = true
			if excused[name] == "" {
				t.Errorf("%s talks to others without the guard: %s", name, reaches.Find(text))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range excused {
		if !used[name] {
			t.Errorf("%s is excused, and needs no excuse", name)
		}
	}
}
