package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestAuditDocs runs the commands of the audit log guide.
func TestAuditDocs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the guides are written for a shell")
	}
	guide, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	script, commands := scriptOf(string(guide))
	if commands < 14 {
		t.Errorf("only %d commands were found", commands)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "audit.txtar"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := params(dir)
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("HOME", e.WorkDir)
		return copyTree("../../examples", filepath.Join(e.WorkDir, "examples"))
	}
	testscript.Run(t, p)
}
