//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// pair is a PostgreSQL with a replica, reached over two addresses of which the second takes over.
type pair struct {
	t              testing.TB
	primary, spare *pgtest.Cluster
	cables         [2]*cable // to the primary and to the spare; they swap
}

func newPair(t testing.TB) *pair {
	p := &pair{t: t, primary: pgtest.NewCluster(t)}
	p.spare = p.primary.Follow()
	p.cables[0], p.cables[1] = newCable(t, "unix", p.primary.Socket()), newCable(t, "unix", p.spare.Socket())
	return p
}

// url names both servers: a program connects to the one that accepts writes.
func (p *pair) url() string {
	return fmt.Sprintf("postgres://assent@%s,%s/assent?sslmode=disable&target_session_attrs=read-write",
		p.cables[0].address(), p.cables[1].address())
}

// serve starts a server. It is killed at the end: one that is stopped waits for the database.
func (p *pair) serve(d deployment) *server {
	p.t.Helper()
	s := &server{t: p.t, program: d.program,
		args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data", p.t.TempDir()}, d.args...)}
	s.start()
	p.t.Cleanup(func() {
		if p.t.Failed() {
			p.t.Logf("the server said: %s", s.log)
		}
		s.kill()
	})
	return s
}

// failOver kills the primary, promotes the spare and gives it a new one.
func (p *pair) failOver(synchronous bool) {
	p.t.Helper()
	p.primary.Kill()
	p.spare.Promote()
	p.primary, p.spare = p.spare, p.spare.Follow()
	p.cables[0], p.cables[1] = p.cables[1], p.cables[0]
	p.cables[1].lead("unix", p.spare.Socket())
	if synchronous {
		p.primary.Synchronous()
	}
}

// failOvers is how often the database fails over: one in ten faults.
func failOvers() int { return max(1, faults()/10) }

// TestFailOver: PostgreSQL is killed under mixed load and its synchronous replica takes over, again and again. Servers
// reconnect by themselves, and every promise holds.
func TestFailOver(t *testing.T) {
	t.Parallel()
	for name, deploy := range deployments() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failsOver(t, deploy)
		})
	}
}

func failsOver(t *testing.T, deploy func(t *testing.T, db string) deployment) {
	p := newPair(t)
	p.primary.Synchronous()
	d := deploy(t, p.url())
	c, documents := newCrowd(t, d.world)
	c.s, _ = p.serve(d), p.serve(d)
	d.workers()
	c.s.define(documents)

	stopped := make(chan struct{})
	all := c.load(d.then(c, stopped), stopped)
	n := failOvers()
	var longest time.Duration
	for range n {
		before := c.acknowledged()
		waitFor(t, "work", func() bool { return c.acknowledged() >= before+10 })
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		began := time.Now()
		p.failOver(true)
		a, _ := c.send("POST", "/runs", map[string]any{"workflow": "child"}, nil, as(who{"starter", ""}))
		a.want(201)
		longest = max(longest, time.Since(began))
	}
	waitFor(t, "enough runs and decisions to prove something", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.runs) >= 5*n && len(c.decided) >= 5*n
	})
	c.ending.Store(true)
	c.quiet(patience)
	close(stopped)
	all.Wait()
	decisions := len(c.decided)
	c.late = longest + 10*time.Second // it asks as long for the outcome of a commit
	evidence := c.evidence()
	t.Logf("%d fail-overs, the longest pause %s: %d runs, %d calls of agents, %d decisions and %d commands acknowledged",
		n, longest.Round(time.Millisecond), len(evidence.Runs), len(c.calls), decisions, len(c.acks))
	c.audited(evidence)
	if a := c.s.call("GET", "/audit/verify", nil).want(200); a.get("ok") != true {
		t.Errorf("the audit log: %s", a.body)
	}
}

// acknowledged counts what the server promised.
func (c *crowd) acknowledged() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.runs) + len(c.decided) + len(c.acks)
}

// TestFailOverWithoutSynchronousReplica: without one, a fail-over loses what was committed last, although it was
// acknowledged. The server says that it is gone, and continues.
func TestFailOverWithoutSynchronousReplica(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	s := p.serve(onLocal(t, p.url()))
	s.define(stormDocuments)
	approver := as(who{"p1", "approver"})
	approve := func(id string) {
		t.Helper()
		a := s.pending(id)
		s.call("POST", "/approvals/"+a.text("id")+"/decisions", map[string]any{"act": "approve",
			"version": a.number("version")}, approver).want(200)
		s.settles(id, "completed")
	}
	kept := s.run("refund", map[string]any{})
	s.pending(kept)
	p.caughtUp()
	p.spare.Kill() // it is behind from here on
	lost := s.run("refund", map[string]any{})
	approve(lost)
	p.primary.Kill()
	p.spare.Start()
	p.spare.Promote()
	waitFor(t, "the server to answer", func() bool { return s.call("GET", "/runs/"+kept, nil).status == 200 })
	s.call("GET", "/runs/"+lost, nil).want(404)
	waitFor(t, "the server to write", func() bool {
		return s.call("POST", "/runs", map[string]any{"workflow": "refund"}, key("again")).status == 201
	})
	again := s.call("POST", "/runs", map[string]any{"workflow": "refund"}, key("again")).want(201).text("id")
	approve(kept)
	approve(again)
}

// caughtUp waits until the replica has everything.
func (p *pair) caughtUp() {
	p.t.Helper()
	p.primary.Run(`DO $$ BEGIN
		WHILE NOT EXISTS (SELECT FROM pg_stat_replication WHERE flush_lsn >= pg_current_wal_lsn()) LOOP
			PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
		END LOOP;
	END $$`)
}

// TestStopsWithoutItsDatabase: a server whose database no longer responds can be stopped.
func TestStopsWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.NewCluster(t)
	line := newCable(t, "unix", db.Socket())
	s := &server{t: t, args: []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--drain", "1s",
		"--db", fmt.Sprintf("postgres://assent@%s/assent?sslmode=disable", line.address())}}
	s.start()
	s.define("workflow: ask\nsteps: [{ id: ask, human: { title: Go on? } }]")
	s.call("POST", "/runs", map[string]any{"workflow": "ask"}).want(201)
	defer line.silent()()
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Logf("%v: %s", err, s.log)
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Errorf("it still waits for the database: %s", s.log)
	}
}
