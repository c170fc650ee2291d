package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/steady"
)

// aimock starts a third-party server that implements both providers' protocols. Its package is downloaded
// once into the user's cache.
func aimock(t *testing.T) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing("%s is needed to run @copilotkit/aimock", program)
		}
	}
	dir := install(t)
	port := steady.Port(t)
	fixtures, err := filepath.Abs("testdata/aimock/fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command("node", filepath.Join(dir, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"), "-p", port,
		"-f", fixtures, "--strict", "--log-level", "warn")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = c.Close()
			return "http://127.0.0.1:" + port
		}
		if time.Now().After(until) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("aimock did not start: %s", out.String())
		}
	}
}

// install installs the pinned package into its own directory. Two concurrent attempts both succeed: the
// directory appears atomically, by a rename.
func install(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	lock, err := os.ReadFile("testdata/aimock/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "assent-test", fmt.Sprintf("aimock-%x", checksum(lock)))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "fresh-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for _, name := range []string{"package.json", "package-lock.json"} {
		body, err := os.ReadFile(filepath.Join("testdata", "aimock", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(fresh, name), body, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	_ = os.Rename(fresh, dir)
	return dir
}

func checksum(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func TestAimock(t *testing.T) {
	url := aimock(t)
	both(t, func(t *testing.T, d dialect) {
		base := url
		if d.provider == definition.OpenAI {
			base += "/v1"
		}
		m := d.model(t, base, func(_ *definition.LLM, o *llm.Options) {
			o.Prices = map[string]definition.Price{"test-1": {In: 1_000_000_000, Out: 2_000_000_000}}
		})
		th := port.TurnRequest{
			Agent: "me", Input: json.RawMessage(`"compare the two files"`), Tools: []port.ToolInfo{filesTool},
			Output: json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"}},"additionalProperties":false}`),
		}
		turn, f := think(t, m, th)
		if f.Message != "" || len(turn.Calls) != 2 || turn.Text != "I read both – at once." {
			t.Fatalf("%+v %+v", turn, f)
		}
		if c := turn.Calls[0]; c.Tool != filesTool.Name ||
			string(c.Args) != `{"path":"a long enough path to be streamed in pieces.txt"}` {
			t.Errorf("%+v", c)
		}
		if u := turn.Usage; u.TokensIn != 120 || u.TokensOut != 30 || u.CostUSD.String() != "0.00018" {
			t.Errorf("%+v", u)
		}
		said := run.Entry{Role: "assistant", Name: "me", Text: turn.Text}
		th.Entries = []run.Entry{said}
		for _, c := range turn.Calls {
			th.Entries[0].Calls = append(th.Entries[0].Calls, run.CallRef{ID: c.ID, Tool: c.Tool, Args: c.Args})
			th.Entries = append(th.Entries, run.Entry{Role: "tool", CallID: c.ID, Output: json.RawMessage(`"whales"`)})
		}
		turn, f = think(t, m, th)
		if f.Message != "" || string(turn.Output) != `{"summary":"Both are about whales 🐋."}` || turn.Confidence == nil ||
			*turn.Confidence != 0.65 || turn.Reasoning != "One file is old." {
			t.Fatalf("%+v %+v", turn, f)
		}
		for input, want := range map[string]run.Failure{
			`"too fast"`:              {Code: "http_429", Transient: true},
			`"cut off"`:               {Code: "broken_stream", Transient: true},
			`"too long"`:              {Code: "length"},
			`"nothing that it knows"`: {Code: "http_" + fmt.Sprint(http.StatusServiceUnavailable), Transient: true},
		} {
			_, f := think(t, m, port.TurnRequest{Input: json.RawMessage(input)})
			if f.Code != want.Code || f.Transient != want.Transient ||
				f.Code == "http_429" && f.RetryAfter.Std() != 4*time.Second {
				t.Errorf("%s: %+v", input, f)
			}
		}
	})
}
