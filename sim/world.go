package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// began is when every simulation begins: a Monday morning.
var began = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// quietOps limits how long a run may take once the faults have stopped.
const quietOps = 4_000

// world is one simulation. Random numbers come in several streams, so that disabling one kind of fault
// affects the others as little as possible.
type world struct {
	opts  Options
	now   time.Time
	queue queue
	sent  int // messages so far, for their order
	ops   int
	quiet bool // the faults have stopped

	chance, net, crowd *rand.Rand // faults, delays and agents, people
	forker             *rand.Rand // who forks, and what they edit

	flows    map[string]*flow
	names    []string   // of flows, main first
	editions []*edition // of the policy; the last one is in force
	lawmaker *generator
	shelf    *shelf
	store    *store
	hosts    []*host
	sink     *sink
	commands int // ids given so far
	forks    int
	acts     int // operations by people
	acked    map[string]int64

	// The implementation: simulated hosts, or real engines (see live).
	schedule func(at time.Time, do func())
	deliver  func(id string, c run.Command, tries int)
	branch   func(r *record, id string, at int64, edits run.Edits, p person)
	hurry    time.Duration // factor by which people wait less
	idPrefix string        // of runs

	found *audit.Violation
	acks  []audit.Ack
	cover Cover
	trace []string
}

// message is something that will happen.
type message struct {
	at time.Time
	n  int
	do func()
}

type queue []message

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if c := q[i].at.Compare(q[j].at); c != 0 {
		return c < 0
	}
	return q[i].n < q[j].n
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(message)) }
func (q *queue) Pop() any {
	old := *q
	m := old[len(old)-1]
	old[len(old)-1] = message{}
	*q = old[:len(old)-1]
	return m
}

// after schedules something.
func (w *world) after(d time.Duration, do func()) { w.at(w.now.Add(d), do) }

func (w *world) at(t time.Time, do func()) {
	if t.Before(w.now) {
		t = w.now
	}
	w.schedule(t, do)
}

func (w *world) enqueue(t time.Time, do func()) {
	w.sent++
	heap.Push(&w.queue, message{t, w.sent, do})
}

// step executes the next message; false if there is none.
func (w *world) step() bool {
	if len(w.queue) == 0 {
		return false
	}
	m := heap.Pop(&w.queue).(message)
	w.now = m.at
	w.ops++
	m.do()
	return true
}

// say adds to the trace.
func (w *world) say(format string, args ...any) {
	if w.opts.Trace {
		w.trace = append(w.trace, fmt.Sprintf("%5d  %s  ", w.ops, clock(w.now))+fmt.Sprintf(format, args...))
	}
}

// clock formats a time as days and hours since the beginning.
func clock(t time.Time) string {
	d := t.Sub(began)
	return fmt.Sprintf("day %d %s", d/(24*time.Hour), time.Time{}.Add(d%(24*time.Hour)).Format("15:04:05.000"))
}

// complain records the first violation.
func (w *world) complain(invariant, id string, seq int64, format string, args ...any) {
	if w.found == nil {
		w.found = &audit.Violation{Invariant: invariant, Run: id, Seq: seq, Text: fmt.Sprintf(format, args...)}
		w.say("VIOLATION %s", w.found)
	}
}

// strikes decides at random whether a fault happens.
func (w *world) strikes(f Fault, chance float64) bool {
	hit := w.chance.Float64() < chance
	if !hit || w.quiet || w.opts.off(f) {
		return false
	}
	w.cover.add("fault", string(f))
	return true
}

// Run simulates one seed and audits the result.
func Run(o Options) (res Result) {
	w := newWorld(o)
	w.hosts = []*host{newHost(w, 0), newHost(w, 1)}
	defer func() {
		if p := recover(); p != nil {
			w.complain("no panic", "", 0, "%v\n%s", p, debug.Stack())
		}
		res = Result{Options: o, Violation: w.found, Case: w.evidence(), Trace: w.trace, Ops: o.Ops, Cover: w.cover}
	}()
	w.setUp()
	for n := 0; n < w.opts.Ops && w.found == nil && w.step(); n++ {
	}
	o.Ops = w.opts.Ops
	if w.found == nil {
		w.calm()
	}
	if w.found == nil {
		w.compareAll()
	}
	if w.found == nil {
		w.found = audit.Check(w.evidence())
	}
	if w.found == nil { // last: the auditor has to notice on its own
		w.found = w.store.unsound
	}
	return res
}

func newWorld(o Options) *world {
	stream := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, n)) }
	w := &world{
		opts: o, now: began, chance: stream(2), net: stream(3), crowd: stream(4), forker: stream(7),
		flows: map[string]*flow{},
		acked: map[string]int64{}, cover: Cover{}, shelf: newShelf(stream(6)),
	}
	w.store = newStore(w.cover)
	w.sink = &sink{w: w, done: map[string]*work{}}
	w.schedule, w.deliver, w.branch, w.hurry, w.idPrefix = w.enqueue, w.send, w.fork, 1, "run_"
	return w
}

// setUp creates the definitions, elects a host and starts the first runs.
func (w *world) setUp() {
	g := &generator{rnd: rand.New(rand.NewPCG(w.opts.Seed, 1)), opts: w.opts}
	for _, f := range g.world() {
		w.flows[f.name] = f
		w.names = append(w.names, f.name)
	}
	w.enact(g.policy(), false)
	w.lawmaker = &generator{rnd: rand.New(rand.NewPCG(w.opts.Seed, 5)), opts: w.opts}
	ops := 40 + g.rnd.IntN(260) // always drawn: the same seed is the same run, with or without -ops
	if w.opts.Ops == 0 {
		w.opts.Ops = ops
	}
	runs := 1 + g.rnd.IntN(2)
	if w.opts.Runs > 0 {
		runs = min(runs, w.opts.Runs)
	}
	if len(w.hosts) > 0 {
		w.elect(w.hosts[0])
		w.after(time.Second, w.trouble)
	}
	for n := range runs {
		w.begin(fmt.Sprintf("%s%d", w.idPrefix, n+1), w.names[0], g)
	}
	if w.lawmaker.coin(60) {
		w.after(time.Second, w.legislate)
	}
	if w.shelf.rnd.IntN(2) == 0 {
		w.after(time.Second, w.publish)
	}
	if w.opts.People >= 0 {
		w.after(time.Second, w.nextPerson)
	}
}

// evidence is what the auditor gets.
func (w *world) evidence() audit.Case {
	c := audit.Case{Policies: w.statutes(), Commits: w.store.commits, People: directory(), Acks: w.acks,
		Starts: slices.Concat(w.sink.starts, w.store.taken), Quiet: true, Definitions: map[string][]byte{},
		Spent: map[string]int64{}}
	for name, f := range w.flows {
		c.Definitions[name] = f.json
	}
	for _, r := range w.store.order {
		if len(r.lines) > 0 {
			c.Runs = append(c.Runs, audit.Run{ID: r.id, Lines: r.lines})
			c.Spent[r.id] = int64(r.truth.Usage.CostUSD)
		}
	}
	return c
}
