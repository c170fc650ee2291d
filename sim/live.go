package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// live is a world on real engines: two processes, each a local.Engine, on one store. The engines' goroutines
// are real; mu guards everything that is simulated around them.
type live struct {
	*world
	mu     sync.Mutex
	store  *memory
	seats  []*process // the two processes; a crashed one is replaced
	lead   *process   // the real leader, whatever the others believe
	thrown map[string]int
	plans  map[string]*plan.Plan // by digest
	defs   map[[2]string]*plan.Definition

	calls   sync.WaitGroup // of clients, and of processes that die
	over    chan struct{}  // closed when the faults should stop
	quieted chan struct{}  // closed when they have
	closed  bool           // clients no longer send anything
	ended   bool
}

// liveDay limits how long the faults last, by the clock of the simulation.
const liveDay = 24 * time.Hour

// RunEngine simulates one seed on the real engine and audits the result. It has to be called in a
// testing/synctest bubble, where time passes when all goroutines wait.
func RunEngine(o Options) Result {
	time.Sleep(time.Until(began))
	l := newLive(o)
	l.mu.Lock()
	for n := range l.seats {
		l.boot(n)
	}
	l.setUp()
	l.after(time.Second, l.befall)
	l.after(time.Second, l.peek)
	l.mu.Unlock()
	select {
	case <-l.over:
	case <-time.After(liveDay):
	}
	o.Ops = l.opts.Ops
	l.settle()
	l.compareLive()
	l.stopAll()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found == nil {
		l.compareAll()
	}
	if l.found == nil {
		l.found = audit.Check(l.evidence())
	}
	return Result{Options: o, Violation: l.found, Case: l.evidence(), Trace: l.trace, Ops: o.Ops, Engine: true,
		Cover: l.cover}
}

func newLive(o Options) *live {
	l := &live{
		world: newWorld(o), seats: make([]*process, 2), thrown: map[string]int{}, plans: map[string]*plan.Plan{},
		defs: map[[2]string]*plan.Definition{}, over: make(chan struct{}), quieted: make(chan struct{}),
	}
	l.store = newMemory(l)
	l.schedule, l.deliver, l.branch = l.later, l.sendLive, l.forkLive
	l.hurry, l.idPrefix = 10, "run_00" // engines check runs whose ids are in the past
	return l
}

// later schedules something at a time of its own: as no two things happen at once, goroutines only interleave
// where engines let them.
func (l *live) later(t time.Time, do func()) {
	l.sent++
	wait := time.Until(t) + time.Duration(l.sent)*time.Nanosecond
	time.AfterFunc(max(wait, 0), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ended || l.found != nil {
			return
		}
		l.tick()
		do()
	})
}

// tick counts an operation. The caller holds the lock.
func (l *live) tick() {
	l.now = time.Now()
	l.ops++
	if (l.ops == l.opts.Ops || l.found != nil) && !l.quiet {
		l.finish()
	}
}

// finish ends the time of faults; it is idempotent.
func (l *live) finish() {
	select {
	case <-l.over:
	default:
		close(l.over)
	}
}

// dice returns random numbers for one thing by its name, different each time: concurrent goroutines do not
// share a source.
func (l *live) dice(kind, name string) *rand.Rand {
	name = kind + " " + name
	n := l.thrown[name]
	l.thrown[name]++
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", name, n)
	return rand.New(rand.NewPCG(l.opts.Seed, h.Sum64()))
}

// hits is strikes with its own random numbers.
func (l *live) hits(dice *rand.Rand, f Fault, chance float64) bool {
	if dice.Float64() >= chance || l.quiet || l.opts.off(f) {
		return false
	}
	l.cover.add("fault", string(f))
	return true
}

// takes is how long something takes, to the nanosecond.
func (l *live) takes(dice *rand.Rand) time.Duration {
	most := []time.Duration{10 * time.Millisecond, time.Second, 20 * time.Second, 4 * time.Minute}[dice.IntN(4)]
	if l.quiet {
		most = 2 * time.Second
	}
	return time.Duration(dice.Int64N(int64(most)))
}

// quietTime limits how long runs may take once the faults have stopped.
const quietTime = 3 * time.Hour

// settle stops the faults and lets everyone answer. Every run has to end.
func (l *live) settle() {
	l.mu.Lock()
	l.say("the faults stop")
	l.quiet, l.now = true, time.Now()
	close(l.quieted)
	for n, p := range l.seats {
		p.skew = 0
		if p.dead {
			l.boot(n)
		} else if p != l.lead {
			p.learn()
		}
	}
	l.elections()
	l.mu.Unlock()
	for until := time.Now().Add(quietTime); !l.atRest(); {
		time.Sleep(time.Second)
		l.mu.Lock()
		l.now = time.Now()
		if l.answerPending(); l.now.After(until) {
			l.stuck()
		}
		l.mu.Unlock()
	}
}

// atRest reports whether every run has ended and nothing is about to change that.
func (l *live) atRest() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found == nil && !l.settled() {
		return false
	}
	l.closed = true
	l.mu.Unlock()
	l.calls.Wait()
	l.mu.Lock()
	l.closed = l.found != nil || l.settled()
	return l.closed
}

// compareLive compares the engines' memory with the log.
func (l *live) compareLive() {
	l.mu.Lock()
	var ids []string
	for _, r := range l.world.store.order {
		if len(r.lines) > 0 {
			ids = append(ids, r.id)
		}
	}
	seats := append([]*process(nil), l.seats...)
	l.mu.Unlock()
	for _, p := range seats {
		for _, id := range ids {
			p.look(id)
		}
	}
}

// stopAll stops both processes as an operator does, and waits for everything to end.
func (l *live) stopAll() {
	for _, p := range l.seats {
		if err := p.stop(); err != nil {
			l.mu.Lock()
			l.complain("an engine stops when it is told to", "", 0, "%s: %v", p, err)
			l.mu.Unlock()
		}
	}
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.calls.Wait()
	time.Sleep(time.Hour)
}

// plan is a definition with its plan, in the version in force.
func (l *live) definition(name string) (*plan.Definition, error) {
	f, ok := l.flows[name]
	if !ok {
		return nil, fmt.Errorf("there is no workflow %q", name)
	}
	version := l.shelf.inForce("workflow", name)[0].Version
	key := [2]string{name, fmt.Sprint(version)}
	if def, ok := l.defs[key]; ok {
		return def, nil
	}
	def := *f.plan.Definition
	def.Version = version
	l.defs[key] = &def
	p, _ := plan.Compile(&def)
	l.plans[plan.Digest(&def)] = p
	return &def, nil
}

// owing is a run's effects after a commit.
type owing struct {
	seq  int64
	keys []run.Key
}
