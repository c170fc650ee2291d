package mcp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// The servers are the real ones from npm, in the versions of testdata. They are
// installed once per user and lock file.

var install = sync.OnceValues(func() (string, string) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", program + " is not here"
		}
	}
	lock, err := os.ReadFile(filepath.Join("testdata", "package-lock.json"))
	if err != nil {
		return "", err.Error()
	}
	sum := sha256.Sum256(lock)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err.Error()
	}
	dir := filepath.Join(cache, "assent-test", "mcp-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, ""
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err.Error()
	}
	// Beside it and then renamed, so that nobody sees half of it.
	temp, err := os.MkdirTemp(filepath.Dir(dir), "installing-")
	if err != nil {
		return "", err.Error()
	}
	defer os.RemoveAll(temp)
	for _, name := range []string{"package.json", "package-lock.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(temp, name), raw, 0o644)
		}
		if err != nil {
			return "", err.Error()
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "npm ci: " + err.Error() + "\n" + string(out)
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, already := os.Stat(filepath.Join(dir, "node_modules")); already != nil {
			return "", err.Error()
		}
	}
	return dir, ""
})

// script is the path of a real server's program.
func script(t *testing.T, server string) string {
	t.Helper()
	dir, why := install()
	if why != "" {
		if os.Getenv("CI") != "" {
			t.Fatal("the servers cannot be installed: ", why)
		}
		t.Skip("the servers cannot be installed: ", why)
	}
	return filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-"+server, "dist", "index.js")
}
