//go:build unix

package definition

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyFilesAreRead: what would wait for ever, or never end, is not opened.
func TestOnlyFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"good.yaml": "role: good\n",
		"w.yaml": "agent: w\nkind: go\ninput: {$ref: pipe.json}\n"})
	for _, name := range []string{"pipe.yaml", "pipe.json"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder.yaml", filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	set, problems := LoadPath(dir)
	said := strings.ReplaceAll(lines(problems), filepath.ToSlash(dir)+"/", "")
	want := "link.yaml: cannot be read: it is not a regular file\n" +
		"pipe.json: cannot be read: it is not a regular file\n" +
		"pipe.yaml: cannot be read: it is not a regular file\n" +
		"w.yaml:3:15: input: pipe.json: cannot be read: it is not a regular file"
	if said != want || set.Roles["good"] == nil {
		t.Errorf("got\n%s", said)
	}
	for _, device := range []string{"/dev/zero", "/dev/full", filepath.Join(dir, "pipe.yaml")} {
		if _, problems := LoadPath(device); len(problems) != 1 ||
			!strings.Contains(problems[0].Message, "it is not a regular file") {
			t.Errorf("%s: %s", device, lines(problems))
		}
	}
}
