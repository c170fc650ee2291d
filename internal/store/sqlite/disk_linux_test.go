package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// tmpfs mounts a small file system, if permitted.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("mounting a small disk: %v", err)
		}
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := tmpfs(t, "12m")
	s := open(t, dir)
	small, large := int64(0), 0
	var err error
	for err == nil { // rows fill it
		if _, err = s.Append(t.Context(), write("run_1", small, 1, strings.Repeat("r", 100<<10))); err == nil {
			small++
		}
	}
	wantFull(t, err)
	err = nil
	for err == nil { // files as well
		if _, err = s.Append(t.Context(), write(fmt.Sprintf("run_l%d", large), 0, 1,
			strings.Repeat("f", 2<<20))); err == nil {
			large++
		}
	}
	wantFull(t, err)
	_, _, err = s.PutBlob(t.Context(), strings.NewReader(strings.Repeat("b", 11<<20)), 20<<20)
	wantFull(t, err)
	wantFull(t, s.Ready(t.Context()))
	// Reads continue, and nothing is half done.
	head, err := s.Head(t.Context())
	if err != nil || head != small+int64(large) {
		t.Errorf("the feed is at %d of %d: %v", head, small+int64(large), err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	// With free space again, so do writes.
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, write("run_1", small, 1, "room"))
	mustAppend(t, s, write("run_large", 0, 1, strings.Repeat("f", 2<<20)))
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again := open(t, dir)
	if err := again.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func wantFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("got %v", err)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := tmpfs(t, "12m")
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), dir)
	if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), "cannot be written to") {
		t.Fatalf("got %v", err)
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "new")); !errors.Is(err, port.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
}
