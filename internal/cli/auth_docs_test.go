package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestAccessDocs runs the commands of the access guide against a server with sign-in.
func TestAccessDocs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the guides are written for a shell")
	}
	guide, err := os.ReadFile("../../docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	script, commands := scriptOf(string(guide))
	if commands < 15 {
		t.Errorf("only %d commands were found", commands)
	}
	script = strings.Replace(script, beforeGuide,
		`exec assent serve --addr 127.0.0.1:0 --sign-in local --demo --load roles.yaml &server&
ready .assent
env ASSENT=$ADDRESS
`, 1)
	for _, m := range guideFile.FindAllStringSubmatch(string(guide), -1) {
		script += "\n-- " + m[1] + " --\n" + m[2]
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "access.txtar"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, params(dir))
}
