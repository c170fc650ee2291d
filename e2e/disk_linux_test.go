package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// TestFinishedWorkOutlivesAFullDisk: the disk fills up while an agent works. Its answer is held until there
// is room, and it is not called again.
func TestFinishedWorkOutlivesAFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "48m")
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

// smallDisk mounts a disk of a size.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "mode=755,size="+size); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("mounting a small disk: %v", err)
		}
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil { // a killed process may take a moment
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	return disk
}

// TestFullDisk: the disk of the database is full again and again, under mixed load. Requests are refused with a reason
// until there is room, and every promise holds. PostgreSQL may end when it cannot write its log; it is started again
// once there is room, as systemd does.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		disk := smallDisk(t, "64m")
		fullUnderLoad(t, disk, deployment{args: []string{"--data", filepath.Join(disk, "data")}, world: world,
			workers: func() {}}, func() {})
	})
	if os.Getenv("KILLS") == "" {
		return // filling PostgreSQL's disk takes a while: make faults does it
	}
	for name, deploy := range deployments() {
		t.Run("postgres "+name, func(t *testing.T) {
			t.Parallel()
			// The test's directory is for this user alone, and PostgreSQL runs as another.
			disk := smallDisk(t, "320m")
			for dir := disk; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			pg := pgtest.NewClusterIn(t, disk)
			d := deploy(t, pg.URL())
			d.args = append(d.args, "--data", t.TempDir())
			fullUnderLoad(t, disk, d, func() {
				if !pg.Alive() {
					t.Log("PostgreSQL ended")
					pg.Kill()
					pg.Start()
				}
			})
		})
	}
}

func fullUnderLoad(t *testing.T, disk string, d deployment, repair func()) {
	c, documents := newCrowd(t, d.world)
	c.s = &server{t: t, program: d.program, args: append([]string{"serve", "--addr", "127.0.0.1:0"}, d.args...)}
	c.s.start()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said: %s", c.s.log)
		}
		c.s.kill()
	})
	d.workers()
	c.s.define(documents)
	stopped := make(chan struct{})
	all := c.load(d.then(c, stopped), stopped)
	works := func() {
		t.Helper()
		before := c.acknowledged()
		waitFor(t, "work", func() bool { return c.acknowledged() >= before+10 })
	}
	reasons := map[string]int{}
	n := max(1, faults()/20)
	for range n {
		works()
		filler := filepath.Join(disk, "filler")
		fillDisk(t, filler)
		waitFor(t, "a refusal", func() bool {
			fillDisk(t, filler) // what was freed in the meantime
			a, err := c.s.try("POST", "/runs", map[string]any{"workflow": "child"}, as(who{"starter", ""}))
			if err != nil {
				t.Fatal(err)
			}
			if a.status < 500 {
				return false
			}
			why := a.problem(503, "unavailable").text("detail")
			if reasons[why]++; !strings.Contains(why, "full") && !strings.Contains(why, "the database ") {
				t.Errorf("refused with %q", why)
			}
			return true
		})
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		repair()
		works()
	}
	c.ending.Store(true)
	c.quiet(patience)
	close(stopped)
	all.Wait()
	decisions := len(c.decided)
	evidence := c.evidence()
	t.Logf("full %d times: %d runs, %d calls of agents, %d decisions and %d commands acknowledged; %v", n,
		len(evidence.Runs), len(c.calls), decisions, len(c.acks), reasons)
	c.audited(evidence)
}

// fillDisk writes until the disk is full.
func fillDisk(t *testing.T, file string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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
