package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/builtin"
)

// TestBroughtFiles: an agent's files are there on first access, in every run, and later changes are kept.
func TestBroughtFiles(t *testing.T) {
	all := t.TempDir()
	brought := map[string]string{"data/sales.csv": "a,b\n1,2\n", "README.md": "hello"}
	set := builtin.New(builtin.Options{Workspace: all, Files: func(agent string) map[string]string {
		if agent == "analyst" {
			return brought
		}
		return nil
	}})
	do := func(run_, agent, tool, args string) run.CallResult {
		t.Helper()
		found, _ := set.Get(tool)
		r, err := found.Run(t.Context(), port.ToolWork{Run: run_, Agent: agent, Key: "k", Args: json.RawMessage(args)},
			func(port.Progress) {})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := do("run_1", "stranger", "list_files", `{}`); string(r.Output) != `{"files":[]}` {
		t.Errorf("another agent sees %s", r.Output)
	}
	if r := do("run_1", "analyst", "read_file",
		`{"path":"data/sales.csv"}`); get(t, r, "text") != brought["data/sales.csv"] {
		t.Errorf("%+v", r)
	}
	do("run_1", "analyst", "write_file", `{"path":"README.md","content":"changed"}`)
	if r := do("run_1", "analyst", "read_file", `{"path":"README.md"}`); get(t, r, "text") != "changed" {
		t.Errorf("what was written is gone: %s", r.Output)
	}
	// Fifteen at once, the maximum for one turn.
	var together sync.WaitGroup
	for range 15 {
		together.Go(func() {
			if r := do("run_2", "analyst", "read_file", `{"path":"README.md"}`); get(t, r, "text") != "hello" {
				t.Errorf("%+v", r)
			}
		})
	}
	together.Wait()
	if r := do("run_2", "analyst", "list_files", `{"recursive":true}`); strings.Count(string(r.Output), `"file"`) != 2 {
		t.Errorf("%s", r.Output)
	}
	if _, err := os.Stat(filepath.Join(all, "run_2", "data", "sales.csv")); err != nil {
		t.Error(err)
	}
}

// TestBroughtFilesStayInside: documents are validated when they are saved, and here again; a link in the
// workspace leads nowhere.
func TestBroughtFilesStayInside(t *testing.T) {
	for name, path := range map[string]string{"dots": "../out", "absolute": "/tmp/out", "link": "away/out"} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			own := filepath.Join(base, "workspaces", "run_1")
			if err := os.MkdirAll(own, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(base, filepath.Join(own, "away")); err != nil {
				t.Skip(err)
			}
			set := builtin.New(builtin.Options{Workspace: filepath.Join(base, "workspaces"),
				Files: func(string) map[string]string { return map[string]string{path: "x"} }})
			found, _ := set.Get("list_files")
			_, err := found.Run(t.Context(), port.ToolWork{Run: "run_1", Agent: "a", Args: json.RawMessage(`{}`)},
				func(port.Progress) {})
			if f := port.FailureOf(err); err == nil || f.Code != "workspace" || f.Transient {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(filepath.Join(base, "out")); err == nil {
				t.Error("it was written outside")
			}
		})
	}
}
