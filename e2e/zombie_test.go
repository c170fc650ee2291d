//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

const zombieDocuments = `
agent: worker
kind: http
url: URL
---
workflow: works
steps: [{ id: first, agent: worker }, { id: second, agent: worker }]
---
workflow: asks
steps: [{ id: ask, human: { kind: approval, timeout: { after: 1s, then: approve } } }, { id: after, agent: worker }]
`

// TestZombieLeader: a leader is suspended while an agent works for it, and another server takes over and completes its
// runs. Then it continues, with the agent's answer at hand, and does not learn for seconds that its lock is gone. The
// answer is dropped, what it has in line does not start, and no deadline passes by its clock.
func TestZombieLeader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inLine   int  // more runs, whose agent is busy
		deadline bool // another run is asked about, until a deadline
	}{
		"with work in line": {inLine: 3}, "before a deadline": {deadline: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z := newZombie(t)
			runs := z.takenOver(1 + c.inLine)
			if c.deadline {
				z.deadline = z.untilADeadline()
				runs = append(runs, z.deadline)
			}
			z.continues()
			z.audited(runs)
		})
	}
}

// zombie is a leader that is suspended, and the server that takes over.
type zombie struct {
	t         *testing.T
	db        *pgtest.Cluster
	line      *muffler
	agent     *lateAgent
	old, next *server
	deadline  string // a run that waits for it; empty: none
}

func newZombie(t *testing.T) *zombie {
	z := &zombie{t: t, db: pgtest.NewCluster(t), agent: newLateAgent(t)}
	z.line = newMuffler(t, z.db.Socket(), "pg_advisory_lock")
	z.old = serve(t, "--workers", "default=1", "--db",
		fmt.Sprintf("postgres://assent@%s/assent?sslmode=disable", z.line.l.Addr()))
	waitFor(t, "the first server to lead", z.old.leads)
	z.next = serve(t, "--db", z.db.URL())
	z.old.define(strings.ReplaceAll(zombieDocuments, "URL", z.agent.URL))
	waitFor(t, "the other server to know the workflows", func() bool {
		return z.next.call("GET", "/workflows/asks", nil).status == 200
	})
	return z
}

// takenOver suspends the leader while an agent works for the first of some runs, and has the other server complete
// them. By then the agent has answered the first server as well.
func (z *zombie) takenOver(n int) (runs []string) {
	z.t.Helper()
	for i := range n {
		runs = append(runs, z.old.run("works", map[string]any{}))
		if i == 0 {
			waitFor(z.t, "an agent at work", func() bool { return len(z.agent.list()) == 1 })
		}
	}
	z.old.suspend()
	z.line.muffle()
	z.db.Run(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`)
	waitFor(z.t, "the other server to lead", z.next.leads)
	for _, id := range runs {
		z.next.settles(id, "completed")
	}
	z.agent.answer()
	return runs
}

// untilADeadline starts a run whose deadline comes while only the first server runs.
func (z *zombie) untilADeadline() string {
	z.t.Helper()
	for {
		id := z.next.run("asks", map[string]any{})
		z.next.suspend()
		if pending(z.t, z.db.URL(), id) {
			return id
		}
		z.next.resume() // this machine was too slow
		z.next.settles(id, "completed")
	}
}

// continues lets the suspended server run until it knows what happened, and then the other one.
func (z *zombie) continues() {
	z.t.Helper()
	calls := z.agent.list()
	z.old.resume()
	waitFor(z.t, "the first server to know that it does not lead", func() bool { return !z.old.leads() })
	if z.deadline != "" {
		if r := z.old.call("GET", "/runs/"+z.deadline, nil).want(200); r.text("status") != "waiting" {
			z.t.Errorf("a deadline passed by the clock of a server that does not lead: %s", r.body)
		}
	}
	if now := z.agent.list(); !slices.Equal(now, calls) {
		z.t.Errorf("a server that does not lead called %v", now[len(calls):])
	}
	if z.deadline != "" {
		z.next.resume()
		z.next.settles(z.deadline, "completed")
	}
}

// audited checks that everything was done and recorded once, but for the call that both servers made.
func (z *zombie) audited(runs []string) {
	z.t.Helper()
	calls := map[string]int{}
	for _, key := range z.agent.list() {
		calls[key]++
	}
	for _, id := range runs {
		log := string(z.next.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200).body)
		for event, want := range map[string]int{`"step.completed"`: 2, `"run.completed"`: 1, `.failed"`: 0} {
			if n := strings.Count(log, event); n != want {
				z.t.Errorf("%d times %s in the log, want %d: %s", n, event, want, log)
			}
		}
		if strings.Contains(log, `"call":1}`) {
			z.t.Errorf("the late answer was recorded: %s", log)
		}
	}
	first := z.agent.list()[0]
	if calls[first]--; calls[first] != 1 {
		z.t.Errorf("the other server did not call the agent again: %v", z.agent.list())
	}
	for key, n := range calls {
		if n != 1 {
			z.t.Errorf("%s was called %d times", key, n)
		}
	}
	if a := z.next.call("GET", "/audit/verify", nil).want(200); a.get("ok") != true {
		z.t.Errorf("the audit log: %s", a.body)
	}
}

// leads reports whether a server starts agents.
func (s *server) leads() bool {
	a, err := s.try("GET", "/metrics", nil)
	return err == nil && strings.Contains(string(a.body), "\nassent_leader 1\n")
}

// suspend stops a server's process where it is, as a machine that is moved does. It continues at the end of the test.
func (s *server) suspend() {
	s.t.Helper()
	cmd := s.cmd
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGCONT) }) // it may have ended
}

func (s *server) resume() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		s.t.Fatal(err)
	}
}

// pending reports whether a run waits for people, according to the database.
func pending(t *testing.T, url, run string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx) //nolint:errcheck // all was said
	var n int
	if err := c.QueryRow(ctx, `SELECT pending FROM runs WHERE id = $1`, run).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// lateAgent answers its first call only when told to, and all others at once with their number.
type lateAgent struct {
	*httptest.Server
	let    chan struct{}
	answer func() // the first call
	mu     sync.Mutex
	calls  []string // their keys
}

func newLateAgent(t *testing.T) *lateAgent {
	a := &lateAgent{let: make(chan struct{})}
	a.answer = sync.OnceFunc(func() { close(a.let) })
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.calls = append(a.calls, r.Header.Get("Idempotency-Key"))
		n := len(a.calls)
		a.mu.Unlock()
		if n == 1 {
			<-a.let
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"output":{"call":%d}}`, n)
	}))
	t.Cleanup(a.Close)
	t.Cleanup(a.answer)
	return a
}

func (a *lateAgent) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.calls)
}

// muffler leads to a socket. The connections on which a word was sent can be muffled: what arrives on them is lost,
// even that they ended.
type muffler struct {
	l        net.Listener
	to, word string
	mu       sync.Mutex
	marked   []*atomic.Bool
}

func newMuffler(t testing.TB, to, word string) *muffler {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &muffler{l: l, to: to, word: word}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go m.connect(in)
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return m
}

func (m *muffler) connect(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("unix", m.to)
	if err != nil {
		return
	}
	defer out.Close()
	var muffled atomic.Bool
	go func() {
		for b := make([]byte, 32<<10); ; {
			n, err := out.Read(b)
			if !muffled.Load() {
				_, _ = in.Write(b[:n]) // whoever reads it has gone
			}
			if err != nil {
				break
			}
		}
		if !muffled.Load() {
			_ = in.Close()
		}
	}()
	heard := false
	for b := make([]byte, 32<<10); ; {
		n, err := in.Read(b)
		if !heard && bytes.Contains(b[:n], []byte(m.word)) {
			heard = true
			m.mu.Lock()
			m.marked = append(m.marked, &muffled)
			m.mu.Unlock()
		}
		if _, failed := out.Write(b[:n]); err != nil || failed != nil && !muffled.Load() {
			return
		}
	}
}

// muffle muffles the connections on which the word was sent so far.
func (m *muffler) muffle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.marked {
		c.Store(true)
	}
}
