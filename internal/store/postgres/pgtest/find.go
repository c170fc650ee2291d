//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/assent-run/assent/internal/apttest"
)

// binaries locates postgres and initdb.
func binaries() (string, error) {
	if err := apttest.Install("postgresql", func() bool { _, ok := find(); return ok }); err != nil {
		return "", fmt.Errorf("the server is not installed: %w", err)
	}
	if dir, ok := find(); ok {
		return dir, nil
	}
	return "", errors.New("installed, but the server is not where it should be")
}

// find looks in PATH and in the directories of Debian, Red Hat and Homebrew.
func find() (string, bool) {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // the server looks for its files next to itself
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql*/bin"} {
		found, _ := filepath.Glob(pattern) // the pattern is fine
		slices.Reverse(found)
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		_, err1 := os.Stat(filepath.Join(dir, "postgres"))
		_, err2 := os.Stat(filepath.Join(dir, "initdb"))
		if err1 == nil && err2 == nil {
			return dir, true
		}
	}
	return "", false
}
