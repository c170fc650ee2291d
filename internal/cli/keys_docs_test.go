package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestEncryptionDocs runs the commands of the encryption section, on a server that starts without a key.
func TestEncryptionDocs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the guides are written for a shell")
	}
	guide, err := os.ReadFile("../../docs/data-protection.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(guide), "\n## Encryption at rest\n")
	if !found {
		t.Fatal("there is no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	script, commands := scriptOf(section)
	if commands < 8 {
		t.Errorf("only %d commands were found", commands)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "encryption.txtar"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := params(dir)
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("HOME", e.WorkDir)
		return copyTree("../../examples", filepath.Join(e.WorkDir, "examples"))
	}
	testscript.Run(t, p)
}
