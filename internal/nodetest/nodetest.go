// Package nodetest runs programs of others in tests, as their authors publish them on npm. The packages are pinned in a
// lock file and installed once, into a folder of their own in the user's cache.
//
//	//go:embed node
//	var files embed.FS
//
//	p := nodetest.Start(t, nodetest.Packages{Name: "mail", Files: files, Dir: "node"}, "server.mjs")
//	line := p.Next(t)
package nodetest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience is how long a program may take on a busy machine.
const patience = 2 * time.Minute

// Packages are scripts with the packages that they use: Dir has package.json, package-lock.json and the scripts.
type Packages struct {
	Name  string // of the folder in the cache
	Files embed.FS
	Dir   string
}

// Missing skips a test that needs a program, or fails it where every program should be.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Install puts packages into their folder and returns it. Concurrent installs all succeed: the folder appears whole, by
// a rename.
func Install(t testing.TB, p Packages) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			Missing(t, "%s is needed for the programs of others in %s", program, p.Name)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	entries, err := p.Files.ReadDir(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	bodies := map[string][]byte{}
	for _, e := range entries {
		if bodies[e.Name()], err = p.Files.ReadFile(p.Dir + "/" + e.Name()); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", e.Name(), len(bodies[e.Name()]), bodies[e.Name()]) // never fails
	}
	dir := filepath.Join(cache, "assent-test", fmt.Sprintf("%s-%x", p.Name, sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "fresh-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // gone when it was renamed
	for name, body := range bodies {
		if err := os.WriteFile(filepath.Join(fresh, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	_ = os.Rename(fresh, dir) // another process may have been faster
	return dir
}

// Program is a script that runs until the test ends.
type Program struct {
	In    io.Writer
	Lines <-chan []byte // that it prints; closed when it ends
}

// Start runs a script of packages.
func Start(t testing.TB, p Packages, script string, args ...string) *Program {
	t.Helper()
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Dir = Install(t, p)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan []byte, 1000)
	read, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			select {
			case lines <- bytes.Clone(scanner.Bytes()):
			case <-end:
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close() // programs that own others end them first
		close(end)
		select {
		case <-read:
		case <-time.After(time.Second):
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() && errs.Len() > 0 {
			t.Logf("%s: %.2000s", script, errs.String())
		}
	})
	return &Program{in, lines}
}

// Next waits for a line.
func (p *Program) Next(t testing.TB) []byte {
	t.Helper()
	select {
	case line, ok := <-p.Lines:
		if !ok {
			t.Fatal("the program ended")
		}
		return line
	case <-time.After(patience):
		t.Fatalf("no line within %s", patience)
	}
	return nil
}
