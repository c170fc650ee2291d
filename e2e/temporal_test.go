//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// temporalVariable names the program of temporal/devserver. With it, the tests of the Temporal engine have to run;
// see make temporal.
const temporalVariable = "ASSENT_TEMPORAL_SERVER"

// withTemporal is assent-temporal, built once.
var withTemporal struct {
	sync.Once
	path string
	err  error
}

// temporalPrograms returns Temporal's server and the program that uses it, or skips the test.
func temporalPrograms(t testing.TB) (server, program string) {
	t.Helper()
	server = os.Getenv(temporalVariable)
	if server == "" {
		t.Skipf("no Temporal server: run make temporal, which builds one and sets %s", temporalVariable)
	}
	w := &withTemporal
	w.Do(func() {
		dir, err := os.MkdirTemp("", "assent-temporal")
		if err != nil {
			w.err = err
			return
		}
		afterAll = append(afterAll, func() error { return os.RemoveAll(dir) })
		w.path = filepath.Join(dir, "assent-temporal")
		build := exec.Command("go", "build", "-ldflags=-s -w", fmt.Sprintf("-race=%t", raced), "-o", w.path,
			"./assent-temporal")
		build.Dir = "../temporal"
		if out, err := build.CombinedOutput(); err != nil {
			w.err = fmt.Errorf("build assent-temporal: %w: %s", err, out)
		}
	})
	if w.err != nil {
		t.Fatal(w.err)
	}
	return server, w.path
}

// temporalServer is a Temporal server of one test.
type temporalServer struct {
	t       testing.TB
	program string
	db      string
	port    string
	begin   func(*exec.Cmd) error // nil: as usual
	cmd     *exec.Cmd
	alive   io.Closer // it stops when this is closed, also if the test is killed
	// Where it keeps everything, and the network in between; nil: in the file db.
	pg   *pgtest.Cluster
	line *cable
}

func newTemporal(t testing.TB, program string, change func(*temporalServer)) *temporalServer {
	t.Helper()
	s := &temporalServer{t: t, program: program, db: filepath.Join(t.TempDir(), "temporal.db"), port: steady.Port(t)}
	if change != nil {
		change(s)
	}
	t.Cleanup(s.kill)
	s.start()
	return s
}

// onPostgres has Temporal keep everything in a PostgreSQL of its own.
func onPostgres(s *temporalServer) {
	s.pg = pgtest.NewCluster(s.t)
	s.line = newCable(s.t, "unix", s.pg.Socket())
}

// store is where it keeps everything.
func (s *temporalServer) store() []string {
	if s.pg == nil {
		return []string{"-db", s.db}
	}
	return []string{"-postgres", fmt.Sprintf("postgres://assent@%s/assent?sslmode=disable", s.line.address())}
}

func (s *temporalServer) address() string { return net.JoinHostPort("127.0.0.1", s.port) }

func (s *temporalServer) start() {
	s.t.Helper()
	log := &tail{}
	cmd := exec.Command(s.program, append(s.store(), "-port", s.port)...)
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if s.begin == nil {
		s.begin = (*exec.Cmd).Start
	}
	if err := s.begin(cmd); err != nil {
		s.t.Fatal(err)
	}
	s.cmd, s.alive = cmd, in
	first := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		first <- line
	}()
	select {
	case line := <-first:
		if !strings.HasPrefix(line, "ready ") {
			s.t.Fatalf("Temporal said %q\n%s", line, log)
		}
	case <-time.After(patience):
		s.t.Fatalf("Temporal is not ready after %s\n%s", patience, log)
	}
}

func (s *temporalServer) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.alive.Close()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// lose deletes everything that Temporal knows.
func (s *temporalServer) lose() {
	s.t.Helper()
	if s.pg != nil {
		s.pg.Run(`DROP DATABASE assent WITH (FORCE)`)
		s.pg.Run(`CREATE DATABASE assent`)
		return
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(s.db + end); err != nil && !os.IsNotExist(err) {
			s.t.Fatal(err)
		}
	}
}

// farm is a server, two workers, Temporal and PostgreSQL, each a process, with a network between each pair.
type farm struct {
	*crowd
	pg       *pgtest.Cluster
	temporal *temporalServer
	workers  []*server
	// From the server and from the workers.
	toPostgres, toTemporal [2]*cable
}

const farmQueue = "farm"

// farmOptions change how processes of a farm are started.
type farmOptions struct {
	temporal func(*temporalServer)
	process  func(*server) // the server, and each worker
}

// newFarm starts everything, and an agent that works in the queue of the workers.
func newFarm(t *testing.T, documents string, o farmOptions) *farm {
	t.Helper()
	devserver, program := temporalPrograms(t)
	if o.process == nil {
		o.process = func(*server) {}
	}
	f := &farm{}
	f.crowd, documents = newCrowd(t, documents)
	f.pg, f.temporal = pgtest.NewCluster(t), newTemporal(t, devserver, o.temporal)
	for i := range 2 {
		f.toPostgres[i] = newCable(t, "unix", f.pg.Socket())
		f.toTemporal[i] = newCable(t, "tcp", f.temporal.address())
	}
	f.s = &server{t: t, program: program, args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(),
		"--engine", "temporal"}, f.reach(0)...)}
	o.process(f.s)
	f.s.start()
	t.Cleanup(func() {
		for _, s := range append(f.workers, f.s) {
			if s.cmd != nil {
				s.kill()
			}
			if t.Failed() {
				t.Logf("%s said: %s", s.args[0], s.log)
			}
		}
	})
	for range 2 {
		w := &server{t: t, program: program, args: append([]string{"worker", "--queues", farmQueue, "--allow-private"},
			f.reach(1)...)}
		o.process(w)
		f.workers = append(f.workers, w)
		f.supervise(w)
	}
	f.s.define(documents)
	return f
}

// deployment is how the servers of an engine are started on a database.
type deployment struct {
	program string
	args    []string
	world   string // its documents
	workers func() // starts workers, once a server has prepared the database
	// Paced: a run begins when the one before has ended, so that not more is under way than a busy machine can do soon.
	paced bool
}

// then is called between two runs.
func (d deployment) then(c *crowd, stopped <-chan struct{}) func(id string) {
	if !d.paced {
		return func(string) {}
	}
	return func(id string) { c.follow(id, stopped) }
}

// deployments are the engines that share a PostgreSQL. Faults that take long are tried on Temporal by make faults.
func deployments() map[string]func(t *testing.T, db string) deployment {
	all := map[string]func(t *testing.T, db string) deployment{"local": onLocal}
	if os.Getenv("KILLS") != "" {
		all["temporal"] = onTemporal
	}
	return all
}

func onLocal(_ *testing.T, db string) deployment {
	return deployment{args: []string{"--db", db}, world: world, workers: func() {}}
}

// onTemporal starts Temporal, and two workers for the agents of the world.
func onTemporal(t *testing.T, db string) deployment {
	t.Helper()
	devserver, program := temporalPrograms(t)
	reach := []string{"--db", db, "--temporal", newTemporal(t, devserver, nil).address()}
	return deployment{program: program, args: append([]string{"--engine", "temporal"}, reach...), world: onQueue(world),
		paced: true,
		workers: func() {
			t.Helper()
			for range 2 {
				w := &server{t: t, program: program,
					args: append([]string{"worker", "--queues", farmQueue, "--allow-private"}, reach...)}
				if err := w.launch("assent: working for "); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("a worker said: %s", w.log)
					}
					w.kill()
				})
			}
		}}
}

// reach is how a process reaches the others.
func (f *farm) reach(i int) []string {
	return []string{"--db", fmt.Sprintf("postgres://assent@%s/assent?sslmode=disable", f.toPostgres[i].address()),
		"--temporal", f.toTemporal[i].address()}
}

// supervise starts a process, again and again until it is ready, as systemd does.
func (f *farm) supervise(s *server) {
	f.Helper()
	greeting := map[bool]string{true: "assent: ready on ", false: "assent: working for "}[s == f.s]
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = s.launch(greeting); err == nil {
			return
		}
		if s.cmd != nil {
			s.kill()
		}
	}
	f.Fatal(err)
}

// judge waits until everything has ended and checks what happened.
func (f *farm) judge(least int) {
	f.Helper()
	evidence := f.evidence()
	f.audited(evidence)
	if len(evidence.Runs) < least || len(f.calls) < least {
		f.Errorf("%d runs and %d calls prove nothing", len(evidence.Runs), len(f.calls))
	}
}

// queued is an agent of the farm, and a workflow whose last step needs an approval.
const queued = `
agent: worker
kind: http
url: AGENTS
queue: farm
---
workflow: pay
steps:
  - { id: a, agent: worker, retry: { max: 20, backoff: 100ms } }
  - { id: b, agent: worker, needs: [a], operation: send, retry: { max: 20, backoff: 100ms } }
gates: [{ id: check, at: before b, role: approver }]
`

// TestTemporal runs agents on workers, with approvals, while processes are killed and Temporal loses its data.
func TestTemporal(t *testing.T) {
	t.Parallel()
	f := newFarm(t, queued, farmOptions{})
	hooks := &hookTaker{t: t}
	program := httptest.NewServer(&hooks.listener)
	t.Cleanup(program.Close)
	f.s.call("PUT", "/channels/ledger", yaml("channel: ledger\nkind: webhook\nsecret: "+hookSecret+"\nurl: "+program.URL)).
		want(201)
	f.s.call("PUT", "/notifications", yaml("notifications: default\nevents: { approval.needed: [ledger] }")).want(201)

	me, approver := as(who{"starter", ""}), as(who{"p1", "approver"})
	began := time.Now()
	reached := func(what string) { t.Logf("%.1f s: %s", time.Since(began).Seconds(), what) }
	begin := func() string {
		id := f.s.run("pay", map[string]any{}, me)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.runs[id] = true
		return id
	}
	approve := func(id string) {
		t.Helper()
		a := f.s.pending(id)
		f.s.call("POST", "/approvals/"+a.text("id")+"/decisions", map[string]any{"act": "approve",
			"version": a.number("version")}, approver).want(200)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.decided[a.text("id")+" p1 approve"] = true
	}
	ends := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			f.s.settles(id, "completed")
		}
	}

	first := begin()
	approve(first)
	ends(first)
	waitFor(t, "the approval to be announced", func() bool { return len(hooks.posts()) == 1 })
	reached("a run went through")

	// Each of these is at work while a process is killed.
	waits := begin()
	f.s.pending(waits)
	during := func(kill func()) string {
		release := f.hold()
		defer release()
		id := begin()
		waitFor(t, "the worker to work", func() bool { return f.called(id) })
		kill()
		return id
	}
	lost := during(func() {
		for _, w := range f.workers {
			w.kill()
		}
		for _, w := range f.workers {
			f.supervise(w)
		}
	})
	reached("workers were killed")
	served := during(func() { f.s.kill(); f.supervise(f.s) })
	reached("the server was killed")
	stopped := during(func() { f.temporal.kill() })
	approve(served) // while Temporal is down
	later := begin()
	f.s.kill()
	f.supervise(f.s)
	reached("the server was started without Temporal")
	f.temporal.start()
	approve(stopped)
	approve(later)
	ends(served, stopped, later)
	reached("Temporal was killed and started")
	forgot := during(func() { f.temporal.kill() })
	approve(waits)
	f.temporal.lose()
	f.temporal.start()
	approve(forgot)
	ends(waits, forgot)
	reached("Temporal lost everything")
	approve(lost)
	ends(lost)
	reached("the work of the killed workers was repeated")
	f.judge(7)
}

// hold makes the agent wait until the function it returns is called.
func (c *crowd) hold() (release func()) {
	gate := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = gate
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held = nil
		close(gate)
	})
}

// called reports whether an agent was called for a run.
func (c *crowd) called(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.calls {
		if s.Run == id {
			return true
		}
	}
	return false
}

// faults is how many faults a storm has.
func faults() int {
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		return n
	}
	return kindsOfFaults
}

// stormWorld has the agents of the world work in the queue of the farm, and a workflow that retries until it succeeds.
func stormWorld() string {
	_, patient, _ := strings.Cut(queued, "---\n")
	return onQueue(world) + "---\n" + patient
}

// onQueue has agents work in the queue of the workers.
func onQueue(documents string) string {
	at := strings.Index(documents, "url: ")
	end := at + strings.Index(documents[at:], "\n")
	return documents[:end] + "\nqueue: " + farmQueue + documents[end:]
}

// TestTemporalFaults: everything is killed and every network is cut at random, also together, under mixed load.
func TestTemporalFaults(t *testing.T) {
	t.Parallel()
	newFarm(t, stormWorld(), farmOptions{temporal: onPostgres}).underLoad(faults(), (*farm).fault)
}

// TestKilledOnTemporal: the server and the workers are killed again and again under mixed load, in turn and together.
func TestKilledOnTemporal(t *testing.T) {
	t.Parallel()
	n := 6
	if faults, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		n = max(n, faults/4)
	}
	newFarm(t, stormWorld(), farmOptions{}).underLoad(n, func(f *farm, i int) string {
		at := func() { time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) }
		switch i % 3 {
		case 0:
			f.killed(victims{server: true}, at)
			return "server"
		case 1:
			f.killed(victims{worker: true}, at)
			return "worker"
		default:
			f.killed(victims{server: true, worker: true}, at)
			return "both"
		}
	})
}

// underLoad does harm n times under mixed load, and judges what became of the runs.
func (f *farm) underLoad(n int, harm func(f *farm, i int) string) {
	f.Helper()
	var all sync.WaitGroup
	stopped := make(chan struct{})
	for i := range 6 {
		// One after the other, so that not more is under way than a busy machine can do soon.
		all.Go(func() {
			f.begin(i, []string{"pay", "mixed", "timed", "pay", "parent"}, func(id string) { f.follow(id, stopped) }, stopped)
		})
	}
	for _, p := range approvers[:4] {
		all.Go(func() { f.decide(p, stopped) })
	}
	began, kinds := time.Now(), map[string]int{}
	for i := range n {
		time.Sleep(time.Duration(100+rand.IntN(900)) * time.Millisecond)
		kinds[harm(f, i)]++
	}
	took := time.Since(began)
	// On a busy machine it lasts until enough has happened to prove something.
	waitFor(f.T, "enough runs and calls", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.runs) >= n/2 && len(f.calls) >= n/2
	})
	f.ending.Store(true)
	f.recovers()
	f.quiet(patience)
	close(stopped)
	all.Wait()
	f.completes("pay")
	f.Logf("%d faults in %.0f s: %v; %d runs, %d calls of agents, %d decisions and %d commands acknowledged", n,
		took.Seconds(), kinds, len(f.runs), len(f.calls), len(f.decided), len(f.acks))
	f.judge(n / 2)
}

// follow waits until a run has ended.
func (c *crowd) follow(id string, stopped <-chan struct{}) {
	for {
		a, ok := c.send("GET", "/runs/"+id, nil, stopped)
		if !ok || a.get("ended_at") != nil {
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-stopped:
			return
		}
	}
}

// kindsOfFaults is how many kinds of faults there are.
const kindsOfFaults = 11

// fault does harm to a farm, repairs it, and says what it was. The first ones are one of each kind.
func (f *farm) fault(i int) string {
	f.Helper()
	whiles := func() { time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond) }
	between := map[string]*cable{"server and postgres": f.toPostgres[0], "workers and postgres": f.toPostgres[1],
		"server and temporal": f.toTemporal[0], "workers and temporal": f.toTemporal[1],
		"temporal and its postgres": f.temporal.line}
	pair := slices.Sorted(maps.Keys(between))[rand.IntN(len(between))]
	if i >= kindsOfFaults {
		i = rand.IntN(kindsOfFaults)
	}
	switch i {
	case 0:
		f.killed(victims{server: true}, whiles)
		return "server"
	case 1:
		f.killed(victims{worker: true}, whiles)
		return "worker"
	case 2:
		f.killed(victims{temporal: true}, whiles)
		return "temporal"
	case 3:
		f.killed(victims{temporal: true, forget: true}, whiles)
		return "temporal's data"
	case 4:
		f.killed(victims{postgres: true}, whiles)
		return "postgres"
	case 5:
		f.killed(victims{store: true}, whiles)
		return "temporal's postgres"
	case 6, 7:
		if i == 7 {
			pair = "temporal and its postgres"
		}
		between[pair].unplug()
		whiles()
		between[pair].plug()
		return "cut between " + pair
	case 8, 9:
		if i == 9 {
			pair = "temporal and its postgres"
		}
		speak := between[pair].silent()
		whiles()
		speak()
		return "silence between " + pair
	default:
		any := func() bool { return rand.IntN(2) == 0 }
		f.killed(victims{server: any(), worker: true, temporal: any(), forget: any(), postgres: any(), store: any()}, whiles)
		return "together"
	}
}

// victims are processes that are killed together.
type victims struct {
	server, worker, temporal bool
	forget                   bool // Temporal forgets everything
	postgres                 bool // of Assent
	store                    bool // the PostgreSQL of Temporal
}

// killed kills processes and starts them again.
func (f *farm) killed(v victims, whiles func()) {
	f.Helper()
	w := f.workers[rand.IntN(len(f.workers))]
	if v.server {
		f.swap.Lock()
		defer f.swap.Unlock()
		f.s.kill()
	}
	if v.postgres {
		f.pg.Kill()
	}
	if v.store {
		f.temporal.pg.Kill()
	}
	if v.worker {
		w.kill()
	}
	if v.temporal {
		f.temporal.kill()
	}
	whiles()
	if v.store {
		f.temporal.pg.Start()
	}
	if v.temporal {
		if v.forget {
			f.temporal.lose()
		}
		f.temporal.start()
	}
	if v.postgres {
		f.pg.Start()
	}
	if v.server {
		f.supervise(f.s)
	}
	if v.worker {
		f.supervise(w)
	}
}

// recovers waits until the server answers again.
func (f *farm) recovers() {
	f.Helper()
	waitFor(f.T, "the server to answer", func() bool {
		a, err := f.s.try("GET", "/runs?limit=1", nil)
		return err == nil && a.status == 200
	})
}

// completes checks that the runs of a workflow whose steps are tried again completed, unless a person rejected them.
func (f *farm) completes(workflow string) {
	f.Helper()
	for cursor, more := "", true; more; more = cursor != "" {
		list := f.s.call("GET", "/runs?limit=500&status=failed&workflow="+workflow+"&cursor="+cursor, nil).want(200)
		for i := range list.count("items") {
			at := fmt.Sprintf("items.%d.", i)
			if why := fmt.Sprint(list.get(at + "error")); !strings.Contains(why, " rejected") {
				f.Errorf("%s failed: %s", list.text(at+"id"), why)
			}
		}
		cursor = list.text("next_cursor")
	}
}
