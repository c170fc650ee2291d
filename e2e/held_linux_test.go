package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// TestHeldResultsOutliveTheServer: the store goes away while an agent works, and the server is killed before the store
// is back. The result is then on disk: the next start records it, and the agent is not called again.
func TestHeldResultsOutliveTheServer(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db, data := pgtest.NewCluster(t), t.TempDir()
		file := filepath.Join(t.TempDir(), "key")
		if err := writeFile(file, seal.NewKey()); err != nil {
			t.Fatal(err)
		}
		s := &server{t: t, args: []string{"serve", "--addr", "127.0.0.1:0", "--data", data, "--db", db.URL(),
			"--encryption-keys", "${file:" + file + "}"}}
		heldThroughKill(t, s, data, db.Kill, db.Start)
		left, err := filepath.Glob(filepath.Join(data, "held.*"))
		if err != nil || len(left) != 1 {
			t.Errorf("directories of held results: %v %v", left, err)
		}
	})
	t.Run("sqlite on a full disk", func(t *testing.T) {
		t.Parallel()
		disk, held := smallDisk(t, "48m"), t.TempDir()
		filler := filepath.Join(disk, "filler")
		s := &server{t: t, args: []string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(disk, "data"),
			"--held-results", held}}
		heldThroughKill(t, s, held, func() { fillDisk(t, filler) }, func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// heldThroughKill kills a server that holds a result below a directory.
func heldThroughKill(t *testing.T, s *server, dir string, away, back func()) {
	var asked atomic.Int64
	var breaks atomic.Bool
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if breaks.CompareAndSwap(true, false) {
			away()
		}
		w.Header().Set("Content-Type", "application/json")
		// More than an embedded database has preallocated.
		fmt.Fprintf(w, `{"output":{"paid":"planted","text":%q}}`, strings.Repeat("done ", 1<<20))
	}))
	t.Cleanup(agent.Close)
	s.start()
	t.Cleanup(func() {
		if s.cmd != nil {
			s.kill()
		}
		if t.Failed() {
			t.Logf("the server said: %s", s.log)
		}
	})
	s.define(fmt.Sprintf(`
agent: worker
kind: http
url: %s
---
workflow: work
steps: [{ id: work, agent: worker, retry: { backoff: 100ms } }]
`, agent.URL))
	files := func() []string {
		files, err := filepath.Glob(filepath.Join(dir, "held*", "*.result"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	var id string
	for len(files()) == 0 {
		asked.Store(0)
		breaks.Store(true)
		const falls = "leadership lost"
		before := strings.Count(s.log.String(), falls)
		id = s.run("work", map[string]any{})
		var lost time.Time
		waitFor(t, "the result on disk", func() bool {
			if lost.IsZero() && strings.Count(s.log.String(), falls) > before {
				lost = time.Now()
			}
			return len(files()) == 1 || !lost.IsZero() && time.Since(lost) > 15*time.Second
		})
		if len(files()) == 0 { // a busy machine noticed that it no longer leads before it had read the answer
			back()
			s.settles(id, "completed")
		}
	}
	waitFor(t, "/readyz to report it", func() bool {
		a := s.call("GET", "/readyz", nil)
		return a.status == 503 &&
			strings.Contains(a.text("detail"), "results held until it is available: 1, of which on disk: 1")
	})
	encrypted := strings.Contains(strings.Join(s.args, " "), "--encryption-keys")
	info, err := os.Stat(files()[0])
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(files()[0]); err != nil || bytes.Contains(b, []byte("planted")) == encrypted {
		t.Errorf("encrypted: %v, the file begins with %.200q (%v)", encrypted, b, err)
	}
	s.kill()
	// What a stranger leaves there is no obstacle.
	if err := writeFile(filepath.Join(filepath.Dir(files()[0]), "shopping.result"), "milk"); err != nil {
		t.Fatal(err)
	}
	back()
	s.start()
	s.settles(id, "completed")
	if n := asked.Load(); n != 1 {
		t.Errorf("the agent was asked %d times", n)
	}
	waitFor(t, "its file to be removed", func() bool { return len(files()) == 1 })
	if !strings.HasSuffix(files()[0], "shopping.result") || !strings.Contains(s.log.String(), "shopping.result") {
		t.Errorf("left %v", files())
	}
	s.call("GET", "/readyz", nil).want(200)
}
