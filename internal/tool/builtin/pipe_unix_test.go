//go:build unix

package builtin_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNamedPipesAreNoFiles(t *testing.T) {
	all, own := workspace(t)
	if err := syscall.Mkfifo(filepath.Join(own, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	set := open(t, local, all)
	for tool, a := range map[string]string{"read_file": `{"path":"pipe"}`, "write_file": `{"path":"pipe","content":"x"}`} {
		if r, _ := use(t, set, tool, a); !strings.Contains(r.Error, "not a file") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
}
