//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// TestPlaces: if no store can be created, the error explains why, and existing files are unchanged.
func TestPlaces(t *testing.T) {
	file := func(t *testing.T, at string) {
		if err := os.WriteFile(at, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := func(t *testing.T, at string) {
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const inTheWay = "a directory is needed, but another kind of file is in its place"
	for _, c := range []struct {
		name string
		lay  func(t *testing.T, home string)
		say  string
	}{
		{"a file", func(t *testing.T, home string) { file(t, home) }, inTheWay},
		{"a file above", func(t *testing.T, home string) { file(t, filepath.Dir(home)) }, inTheWay},
		{"a file for blobs", func(t *testing.T, home string) { dir(t, home); file(t, filepath.Join(home, "blobs")) },
			inTheWay},
		{"a pipe", func(t *testing.T, home string) {
			if err := syscall.Mkfifo(home, 0o600); err != nil {
				t.Fatal(err)
			}
		}, inTheWay},
		{"a link to nothing", func(t *testing.T, home string) {
			if err := os.Symlink("nothing", home); err != nil {
				t.Fatal(err)
			}
		}, inTheWay},
		{"a directory for the database", func(t *testing.T, home string) { dir(t, filepath.Join(home, "assent.db")) },
			"a file is needed, but a directory is in its place"},
		{"a directory for the lock", func(t *testing.T, home string) { dir(t, filepath.Join(home, "assent.lock")) },
			"a file is needed, but a directory is in its place"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			dir(t, filepath.Join(top, "in"))
			home := filepath.Join(top, "in", "home")
			if c.name == "a file above" {
				home = filepath.Join(home, "below")
			}
			c.lay(t, home)
			before := tree(t, top)
			s, err := sqlite.Open(t.Context(), home)
			if err == nil {
				t.Fatal("it opened", s.Close())
			}
			if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), c.say) ||
				!strings.Contains(err.Error(), home) {
				t.Errorf("got %v", err)
			}
			for name, was := range before {
				if now := tree(t, top)[name]; now != was {
					t.Errorf("%s was %q and is %q", name, was, now)
				}
			}
		})
	}
}

// tree is the content of a directory.
func tree(t *testing.T, top string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(top, func(at string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			b, err := os.ReadFile(at)
			out[at] = string(b)
			return err
		}
		out[at] = info.Mode().Type().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// asNobody makes the test binary open a store as an unprivileged user.
const asNobody = "ASSENT_TEST_OPEN"

func TestWithoutPermission(t *testing.T) {
	if home := os.Getenv(asNobody); home != "" {
		_, err := sqlite.Open(t.Context(), home)
		if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), "the directory cannot be written to") {
			t.Errorf("got %v", err)
		}
		return
	}
	top, err := os.MkdirTemp("", "assent-permission-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = os.Chmod(top, 0o700) // so that it can be removed
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	exe, err := os.ReadFile(os.Args[0]) // where every user may run it
	if err == nil {
		err = os.WriteFile(filepath.Join(top, "test"), exe, 0o755)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(top, "home"), 0o500)
	}
	if err == nil {
		err = os.Chmod(top, 0o555)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{filepath.Join(top, "new"), filepath.Join(top, "home")} {
		cmd := exec.Command(filepath.Join(top, "test"), "-test.run=^TestWithoutPermission$", "-test.v")
		cmd.Env = append(os.Environ(), asNobody+"="+home)
		cmd.Dir = top
		if os.Getuid() == 0 { // root is allowed everything
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestWithoutPermission") {
			t.Errorf("%s: %v\n%s", home, err, out)
		}
	}
}
