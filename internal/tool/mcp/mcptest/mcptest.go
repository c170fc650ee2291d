// Package mcptest provides real MCP servers for tests: those on npm, in the versions of package-lock.json.
//
//	cmd := exec.Command("node", mcptest.Script(t, "everything"), "stdio")
package mcptest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lock []byte
)

// Script is the path of a real server's program: everything, filesystem or memory. If it is unavailable, the
// test is skipped, except on CI.
func Script(t testing.TB, server string) string {
	t.Helper()
	dir, err := install()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the servers cannot be installed: ", err)
		}
		t.Skip("the servers cannot be installed: ", err)
	}
	return filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-"+server, "dist", "index.js")
}

// install installs the servers in the user's cache, once per lock file.
var install = sync.OnceValues(func() (string, error) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", fmt.Errorf("%s is not here", program)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "assent-test", "mcp-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	// Next to it and then renamed, so that it never appears incomplete.
	temp, err := os.MkdirTemp(filepath.Dir(dir), "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	for name, raw := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(temp, name), raw, 0o644); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, already := os.Stat(filepath.Join(dir, "node_modules")); already != nil {
			return "", err
		}
	}
	return dir, nil
})
