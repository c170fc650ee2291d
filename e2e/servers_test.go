//go:build unix

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// replicas are servers on one database. Each has a place, as behind a load balancer; the one that takes the place of a
// dead one is another server.
type replicas struct {
	t     *testing.T
	args  []string
	at    []atomic.Pointer[server]
	asked []atomic.Int64 // requests
}

func newReplicas(t *testing.T, n int, args ...string) *replicas {
	t.Helper()
	r := &replicas{t: t, args: args, at: make([]atomic.Pointer[server], n), asked: make([]atomic.Int64, n)}
	for i := range r.at {
		r.start(i)
	}
	return r
}

// start puts a new server into a place.
func (r *replicas) start(i int) {
	r.t.Helper()
	s := &server{t: r.t, args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data", r.t.TempDir()}, r.args...)}
	s.start()
	r.at[i].Store(s)
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("a server at place %d said: %s", i, s.log)
		}
		if s.cmd != nil {
			s.stop()
		}
	})
}

// any is a server, which may be dead.
func (r *replicas) any() *server {
	i := rand.IntN(len(r.at))
	r.asked[i].Add(1)
	return r.at[i].Load()
}

// leader is the place of the server that starts agents.
func (r *replicas) leader() int {
	r.t.Helper()
	place := -1
	waitFor(r.t, "a leader", func() bool {
		for i := range r.at {
			a, err := r.at[i].Load().try("GET", "/metrics", nil)
			if err == nil && strings.Contains(string(a.body), "\nassent_leader 1\n") {
				place = i
			}
		}
		return place >= 0
	})
	return place
}

// TestServers: three servers share a PostgreSQL. Requests go to any of them, so that decisions are made by others than
// the leader, which dies again and again. Each of them streams every event, once and in order, and every promise holds.
func TestServers(t *testing.T) {
	t.Parallel()
	const places = 3
	r := newReplicas(t, places, "--db", pgtest.Empty(t))
	c, documents := newCrowd(t, world)
	c.s, c.choose = r.at[0].Load(), r.any
	c.s.define(documents)
	for i := range r.at { // they learn of a workflow within two seconds
		waitFor(t, "each server to know the workflows", func() bool {
			return r.at[i].Load().call("POST", "/runs", map[string]any{"workflow": "parent"}, as(who{"starter", ""}),
				key(fmt.Sprint("first ", i))).status == 201
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var listening sync.WaitGroup
	seen := make([]atomic.Int64, places)
	for i := range places {
		listening.Go(func() { r.follow(ctx, i, &seen[i]) })
	}
	stopped := make(chan struct{})
	all := c.load(func(string) {}, stopped)
	n := max(3, faults()/10)
	var longest time.Duration
	for range n {
		before := c.acknowledged()
		waitFor(t, "work", func() bool { return c.acknowledged() >= before+10 })
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		dead := r.leader()
		r.at[dead].Load().kill()
		began := time.Now()
		if next := r.leader(); next == dead {
			t.Fatalf("the dead server %d leads", dead)
		}
		longest = max(longest, time.Since(began))
		before = c.acknowledged()
		waitFor(t, "work without the leader", func() bool { return c.acknowledged() >= before+10 })
		r.start(dead)
	}
	waitFor(t, "enough runs and decisions to prove something", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.runs) >= 5*n && len(c.decided) >= 5*n
	})
	c.ending.Store(true)
	c.s = r.at[(r.leader()+1)%places].Load()
	c.quiet(patience)
	close(stopped)
	all.Wait()
	decisions := len(c.decided)
	evidence := c.evidence()
	head := int64(0)
	for _, run := range evidence.Runs {
		head += int64(len(run.Lines))
	}
	for i := range places {
		waitFor(t, "each server to stream every event", func() bool { return seen[i].Load() == head })
	}
	cancel()
	listening.Wait()
	asked := []int64{}
	for i := range r.asked {
		asked = append(asked, r.asked[i].Load())
	}
	t.Logf("%d leaders died, another led after %s at most: %d runs, %d events on each of %d streams, %d calls of agents, "+
		"%d decisions and %d commands acknowledged, requests by place %v", n, longest.Round(time.Millisecond),
		len(evidence.Runs), head, places, len(c.calls), decisions, len(c.acks), asked)
	c.audited(evidence)
}

// follow listens to the server at a place, whichever that is, and checks that no event is missing.
func (r *replicas) follow(ctx context.Context, i int, seen *atomic.Int64) {
	last := "0"
	for ctx.Err() == nil {
		_ = r.at[i].Load().listen(ctx, "", last, func(id string, e event) { // it ends with the server
			if before := seen.Swap(e.Feed); e.Feed != before+1 {
				r.t.Errorf("server %d: %d comes after %d", i, e.Feed, before)
			}
			last = id
		})
		pause()
	}
}
