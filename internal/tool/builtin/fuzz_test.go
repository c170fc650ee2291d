package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzPaths: whatever path a model provides, nothing outside of the run's workspace is read, listed or
// written.
func FuzzPaths(f *testing.F) {
	for _, path := range []string{
		"notes/plan.md", "../../secret", "../run_2/secret", "up", "sibling/secret", "dir/../../x", "/etc/passwd",
		`..\secret`, "a\x00b", ".", "", "./.", "~/x", "C:x", "up/../x", "\xff", "a//b",
	} {
		f.Add(path)
	}
	all, own := workspace(f)
	for name, to := range map[string]string{"up": "../../secret", "sibling": "../run_2",
		"away": filepath.Dir(all), "dir": "."} {
		if err := os.Symlink(to, filepath.Join(own, name)); err != nil {
			f.Skip(err)
		}
	}
	set := open(f, local, all)
	before := outside(f, all)
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || utf8.RuneCountInString(path) > 1000 {
			t.Skip("the schema does not let it pass")
		}
		for tool, more := range map[string]map[string]any{
			"write_file": {"path": path, "content": "gotcha"}, "read_file": {"path": path},
			"list_files": {"path": path, "recursive": true},
		} {
			r, failed := use(t, set, tool, args(more))
			if failed.Message != "" || strings.Contains(string(r.Output)+r.Error, "swordfish") ||
				strings.Contains(r.Error, all) {
				t.Errorf("%s %q: %s %s %+v", tool, path, r.Output, r.Error, failed)
			}
		}
		if now := outside(t, all); now != before {
			t.Errorf("%q: outside were\n%sand are\n%s", path, before, now)
		}
	})
}

// outside is the content around the workspace of run_1.
func outside(t testing.TB, all string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(all), func(at string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "run_1":
			return filepath.SkipDir
		case d.IsDir():
			b.WriteString(at + "\n")
			return nil
		}
		text, err := os.ReadFile(at)
		b.WriteString(at + ": " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
