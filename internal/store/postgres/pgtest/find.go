//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// binaries locates postgres and initdb.
func binaries() (string, error) {
	if dir, ok := find(); ok {
		return dir, nil
	}
	if err := install(); err != nil {
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

// install uses Debian's package manager, one test binary at a time.
func install() (err error) {
	if os.Getuid() != 0 {
		return errors.New("and only root could install it")
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("and there is no apt-get to install it with")
	}
	unlock, err := lock(filepath.Join(os.TempDir(), "assent-pgtest-install.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, ok := find(); ok {
		return nil // another process did in the meantime
	}
	fmt.Fprintln(os.Stderr, "pgtest: PostgreSQL is not installed; running apt-get update && apt-get "+
		"install -y postgresql (once)")
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "postgresql"}} {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %v: %w: %s", args, err, out)
		}
	}
	return nil
}
