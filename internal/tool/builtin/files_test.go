package builtin_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

// workspace is a directory with a secret next to the run's own.
func workspace(t testing.TB) (all, own string) {
	t.Helper()
	base := t.TempDir()
	all = filepath.Join(base, "workspaces")
	own = filepath.Join(all, "run_1")
	for _, dir := range []string{own, filepath.Join(all, "run_2")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(base, "secret"), filepath.Join(all, "run_2", "secret")} {
		if err := os.WriteFile(file, []byte("swordfish"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return all, own
}

func args(m map[string]any) string {
	raw, _ := json.Marshal(m)
	return string(raw)
}

func TestFiles(t *testing.T) {
	all, own := workspace(t)
	set := open(t, local, all)
	if r, f := use(t, set, "write_file", `{"path":"notes/plan.md","content":"grüße"}`); get(t, r, "size") != "7" {
		t.Errorf("%+v %+v", r, f)
	}
	if raw, err := os.ReadFile(filepath.Join(own, "notes", "plan.md")); err != nil || string(raw) != "grüße" {
		t.Errorf("%q %v", raw, err)
	}
	if r, _ := use(t, set, "read_file", `{"path":"./notes/../notes/plan.md"}`); get(t, r, "text") != "grüße" ||
		get(t, r, "next") != "" {
		t.Errorf("%+v", r)
	}
	if r, _ := use(t, set, "write_file", `{"path":"b.bin","content_base64":"AP8="}`); r.Error != "" {
		t.Error(r.Error)
	}
	if r, _ := use(t, set, "read_file", `{"path":"b.bin"}`); get(t, r, "content_base64") != "AP8=" {
		t.Errorf("%s", r.Output)
	}
	if r, _ := use(t, set, "list_files", `{}`); string(r.Output) != `{"files":[{"path":"b.bin","type":"file","size":2},{"path":"notes","type":"directory"}]}` {
		t.Errorf("%s", r.Output)
	}
	if r, _ := use(t, set, "list_files", `{"path":".","recursive":true}`); !strings.Contains(string(r.Output),
		`{"path":"notes/plan.md","type":"file","size":7}`) {
		t.Errorf("%s", r.Output)
	}
	for tool, bad := range map[string][]string{
		"read_file": {`{"path":"nothing"}`, `{"path":"notes"}`, `{"path":"."}`, `{"path":"b.bin","start":3}`},
		"write_file": {`{"path":"notes","content":"x"}`, `{"path":".","content":"x"}`, `{"path":"b.bin/x","content":"x"}`,
			`{"path":"x"}`, `{"path":"x","content":"","content_base64":""}`, `{"path":"x","content_base64":"%"}`},
		"list_files": {`{"path":"b.bin"}`, `{"path":"nothing"}`},
	} {
		for _, a := range bad {
			if r, f := use(t, set, tool, a); r.Error == "" || f.Message != "" || strings.Contains(r.Error, all) {
				t.Errorf("%s %s: %+v %+v", tool, a, r, f)
			}
		}
	}
	if r, _ := use(t, set, "list_files", `{}`); strings.Contains(string(r.Output), "partial") {
		t.Errorf("%s", r.Output)
	}
}

// TestEscapes tries to read the secrets outside.
func TestEscapes(t *testing.T) {
	all, own := workspace(t)
	set := open(t, local, all)
	for name, to := range map[string]string{
		"up": "../../secret", "sibling": "../run_2", "absolute": filepath.Join(filepath.Dir(all), "secret"),
		"proc": "/proc/self/environ", "root": "/", "fd": "/proc/self/cwd", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(own, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(own, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../up", filepath.Join(own, "dir", "chain")); err != nil {
		t.Fatal(err)
	}
	paths := []string{
		"../../secret", "../run_2/secret", "..", "../", "a/../../..", "/etc/passwd", "/proc/self/environ", "//etc/passwd",
		"up", "sibling/secret", "absolute", "proc", "root/etc/passwd",
		"fd/go.mod", "dir/chain", "dir/../up", "loop", "dir/../../run_2/secret", `..\..\secret`, "C:\\secret", "up\x00",
		"...//../../secret", "./../../secret", "dir/./../../../secret",
		strings.Repeat("a/", 40) + "x", strings.Repeat("x", 300),
	}
	for _, tool := range []string{"read_file", "list_files", "write_file"} {
		for _, path := range paths {
			more := map[string]any{"path": path}
			if tool == "write_file" {
				more["content"] = "gotcha"
			}
			r, f := use(t, set, tool, args(more))
			// A link itself may be replaced by a file of that name.
			if r.Error == "" && (tool != "write_file" || !strings.HasPrefix(string(r.Output), `{"ok":true`)) ||
				f.Message != "" || strings.Contains(string(r.Output)+r.Error, "swordfish") {
				t.Errorf("%s %q: %s %s %+v", tool, path, r.Output, r.Error, f)
			}
		}
	}
	for _, file := range []string{filepath.Join(filepath.Dir(all), "secret"), filepath.Join(all, "run_2", "secret")} {
		if raw, err := os.ReadFile(file); err != nil || string(raw) != "swordfish" {
			t.Errorf("%s was changed: %q %v", file, raw, err)
		}
	}
	if r, _ := use(t, set, "list_files", `{"recursive":true}`); strings.Contains(string(r.Output), "secret") {
		t.Errorf("%s", r.Output)
	}
}

func TestLongFiles(t *testing.T) {
	all, own := workspace(t)
	set := open(t, local, all)
	whole := strings.Repeat("é", 40_000)
	if err := os.WriteFile(filepath.Join(own, "long"), []byte("x"+whole), 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for next := "0"; next != ""; {
		r, _ := use(t, set, "read_file", fmt.Sprintf(`{"path":"long","start":%s}`, next))
		if len(r.Output) > 64<<10 || r.Error != "" {
			t.Fatalf("%d bytes, %s", len(r.Output), r.Error)
		}
		got.WriteString(get(t, r, "text"))
		next = get(t, r, "next")
	}
	if got.String() != "x"+whole {
		t.Errorf("%d bytes came back", got.Len())
	}
	if r, _ := use(t, set, "write_file", args(map[string]any{"path": "big",
		"content": strings.Repeat("x", 16<<20)})); r.Error != "" {
		t.Errorf("at the limit: %s", r.Error)
	}
	if r, _ := use(t, set, "write_file", args(map[string]any{"path": "big",
		"content": strings.Repeat("x", 16<<20+1)})); !strings.Contains(r.Error, "at most") {
		t.Errorf("over the limit: %+v", r)
	}
	for i := range 3 { // together with existing files, too much
		if err := os.Truncate(filepath.Join(own, "long"), int64(i)*120<<20); err != nil {
			t.Fatal(err)
		}
		r, _ := use(t, set, "write_file", `{"path":"more","content":"x"}`)
		if (r.Error == "") != (i < 2) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

func TestManyFiles(t *testing.T) {
	all, own := workspace(t)
	set := open(t, local, all)
	for i := range 600 {
		if err := os.WriteFile(filepath.Join(own, fmt.Sprintf("f%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r, _ := use(t, set, "list_files", `{}`); get(t, r, "more") != "true" ||
		get(t, r, "files", "499", "path") != "f0499" || get(t, r, "files", "500") != "" {
		t.Errorf("%.100s", r.Output)
	}
}

func TestNoWorkspace(t *testing.T) {
	if _, f := use(t, open(t, local, ""), "read_file", `{"path":"x"}`); f.Code != "workspace" || f.Transient {
		t.Errorf("%+v", f)
	}
	all, _ := workspace(t)
	tool, _ := open(t, local, all).Get("read_file")
	for _, run := range []string{"", "..", ".", "a/b", "../run_2", "run\x00", strings.Repeat("r", 201)} {
		if _, err := tool.Run(t.Context(), port.ToolWork{Run: run, Args: json.RawMessage(`{"path":"secret"}`)},
			nil); err == nil {
			t.Errorf("%q is taken as a run", run)
		}
	}
	// The directory of a run that is a link elsewhere.
	if err := os.Symlink("../..", filepath.Join(all, "run_3")); err != nil {
		t.Fatal(err)
	}
	if r, err := tool.Run(t.Context(), port.ToolWork{Run: "run_3", Args: json.RawMessage(`{"path":"secret"}`)},
		nil); err == nil && r.Error == "" {
		t.Errorf("%+v", r)
	}
}
