package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestFinishedWorkOutlivesAFullDisk: the disk fills up while an agent works. Its answer is held until there
// is room, and it is not called again.
func TestFinishedWorkOutlivesAFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=48m"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("mounting a small disk: %v", err)
		}
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	filler := filepath.Join(disk, "filler")
	var asked atomic.Int64
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			fillDisk(t, filler)
		}
		w.Header().Set("Content-Type", "application/json")
		// More than the database has preallocated.
		fmt.Fprintf(w, `{"output":{"text":%q}}`, strings.Repeat("done ", 1<<20))
	}))
	t.Cleanup(agent.Close)
	s := serve(t, "--data", filepath.Join(disk, "data"))
	s.define(fmt.Sprintf(`
agent: worker
kind: http
url: %s
---
workflow: work
steps: [{ id: work, agent: worker, retry: { backoff: 100ms } }]
`, agent.URL))
	id := s.run("work", map[string]any{})
	waitFor(t, "the first call of the agent", func() bool { return asked.Load() > 0 })
	last := ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("/readyz answered %s; the agent was asked %d times", last, asked.Load())
		}
	})
	full := func() bool {
		a := s.call("GET", "/readyz", nil)
		last = fmt.Sprintf("%d %s", a.status, a.body)
		return a.status == 503 && strings.Contains(string(a.body), "full")
	}
	waitFor(t, "the server to report a full disk", full)
	time.Sleep(2 * time.Second) // it would be called again after a second
	// It tries again and again, and reports the last try for a while. On a busy machine a look may fall between two.
	waitFor(t, "the server to report a full disk again", full)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.settles(id, "completed")
	if n := asked.Load(); n != 1 {
		t.Errorf("the agent was asked %d times", n)
	}
	s.call("GET", "/readyz", nil).want(200)
}

// fillDisk writes until the disk is full.
func fillDisk(t *testing.T, file string) {
	f, err := os.Create(file)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
	}
}
