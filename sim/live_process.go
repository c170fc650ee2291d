package sim

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
)

// process is a server: a real engine, and a store that fails now and then. After a crash nothing it does has
// an effect.
type process struct {
	faulty
	l      *live
	seat   int
	life   int
	engine *local.Engine
	dead   bool
	gone   chan struct{} // closed when it is dead
	skew   time.Duration // its clock skew

	law    law // the policy as it knows it
	judged map[int64]law

	waiting chan int64    // Lead is waiting
	epoch   int64         // of its last leadership
	lost    chan struct{} // of that leadership; closed when it knows that it is over
	sure    time.Time     // when the store last confirmed its epoch

	known    map[string]knows // how far it knows runs, by its own writes
	answered map[run.Key]bool // what it received results for
}

// knows records that a process knew a run up to seq from a given time on.
type knows struct {
	seq int64
	at  time.Time
}

func (p *process) String() string { return fmt.Sprintf("process %d.%d", p.seat, p.life) }

// boot starts a process. The caller holds the lock.
func (l *live) boot(seat int) {
	p := &process{
		l: l, seat: seat, gone: make(chan struct{}), judged: map[int64]law{}, known: map[string]knows{},
		answered: map[run.Key]bool{},
	}
	if old := l.seats[seat]; old != nil {
		p.life, p.skew = old.life+1, old.skew
	}
	p.faulty.p = p
	l.seats[seat] = p
	l.say("%s starts", p)
	dice := l.dice("boot", p.String())
	p.engine = local.New(local.Config{
		Store: &p.faulty, Shared: true,
		Agent:    func(name string) (port.Agent, bool) { return p.agent(name), true },
		LLMAgent: p.mind,
		Tools:    toolbox{p},
		Workflow: p.workflow,
		Judge:    p.judge,
		InForce:  p.inForce,
		Outdated: p.outdated,
		Find:     p.find,
		Workers:  map[string]int{"": []int{1, 2, 100, 100}[dice.IntN(4)]},
		Sweep:    []time.Duration{20 * time.Second, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute}[dice.IntN(4)],
		Now:      p.now,
		Log:      slog.New(logbook{p}),
	})
	p.engine.Start()
}

func (p *process) now() time.Time {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return time.Now().Add(p.skew)
}

// die ends a process immediately. The caller holds the lock.
func (p *process) die() {
	if p.dead {
		return
	}
	l := p.l
	p.dead = true
	close(p.gone)
	l.say("%s crashes", p)
	if l.lead == p {
		l.lead = nil
		l.elections()
	}
	l.calls.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = p.engine.Stop(ctx) // only its goroutines: what it does has no effect
	})
	l.after(l.delay()+time.Second, func() {
		if l.seats[p.seat] == p {
			l.boot(p.seat)
		}
	})
}

// stop stops a process as an operator does.
func (p *process) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.engine.Stop(ctx)
}

// elections elects a leader, after a while, if there is none. The caller holds the lock.
func (l *live) elections() {
	if l.lead != nil {
		return
	}
	wait := time.Duration(l.net.Int64N(int64(20 * time.Second)))
	if l.quiet {
		wait = time.Millisecond
	}
	l.after(wait, func() {
		if l.lead != nil {
			return
		}
		first := l.net.IntN(len(l.seats))
		for n := range l.seats {
			if p := l.seats[(first+n)%len(l.seats)]; !p.dead && p.waiting != nil {
				l.give(p)
				return
			}
		}
	})
}

// give makes a process the leader.
func (l *live) give(p *process) {
	l.world.store.epoch++
	p.epoch, p.lost = l.world.store.epoch, make(chan struct{})
	p.waiting <- p.epoch
	p.waiting = nil
	l.lead = p
	l.say("%s leads with epoch %d", p, p.epoch)
}

// learn notifies a process that it no longer leads.
func (p *process) learn() {
	if p.lost != nil && !p.dead {
		close(p.lost)
		p.lost = nil
	}
}

// depose revokes leadership. The process is notified, or keeps believing for a while.
func (l *live) depose(p *process) {
	l.say("%s no longer leads", p)
	l.lead = nil
	l.elections()
	if !l.strikes(Zombie, 0.7) {
		p.learn()
		return
	}
	epoch := p.epoch
	l.after(time.Duration(l.chance.Int64N(int64(20*time.Minute))), func() {
		if p.epoch == epoch {
			p.learn()
		}
	})
}

// befall makes processes fail every now and then.
func (l *live) befall() {
	if l.quiet {
		return
	}
	wait := l.pause() / l.hurry
	if l.settled() {
		wait = time.Hour
	}
	l.after(wait, l.befall)
	p := l.seats[l.chance.IntN(len(l.seats))]
	switch {
	case p.dead:
	case l.strikes(Crash, 0.25):
		p.die()
	case l.strikes(Zombie, 0.25):
		if l.lead != nil {
			l.depose(l.lead)
		}
	case l.strikes(Skew, 0.3):
		p.skew = (time.Duration(l.chance.Int64N(int64(time.Minute))) - 30*time.Second).Round(time.Second)
		l.say("the clock of %s is off by %s", p, p.skew)
	}
}

// judge is the policy as the process knows it, most of the time the newest one.
func (p *process) judge() (decide.Judge, int64) {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	no := len(l.editions) - 1
	current := p.law.edition != nil && p.law.no == no && maps.Equal(p.law.uses, l.world.store.uses)
	if !current && (p.law.edition == nil || !l.hits(l.dice("judge", p.String()), StaleRules, 0.3)) {
		p.readLaw()
	}
	p.judged[goroutine()] = p.law
	if p.law.set == nil && !p.law.stopped {
		return nil, int64(p.law.no + 1)
	}
	return stopping{p.law}, int64(p.law.no + 1)
}

func (p *process) readLaw() {
	no := len(p.l.editions) - 1
	p.law = law{edition: p.l.editions[no], no: no, uses: maps.Clone(p.l.world.store.uses)}
}

// outdated reads the policy in force, for an engine that was rejected because of an outdated one.
func (p *process) outdated(ctx context.Context) error {
	if err := p.access(ctx, "outdated", ""); err != nil {
		return err
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	p.readLaw()
	return nil
}

// stopping is a policy that knows about the emergency stop.
type stopping struct{ law }

func (s stopping) Stopped() bool { return s.stopped }

func (p *process) inForce(kind, name string) []gate.Implementation {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.l.shelf.inForce(kind, name)
}

func (p *process) workflow(ctx context.Context, name string) (*plan.Definition, error) {
	if err := p.access(ctx, "workflow", name); err != nil {
		return nil, err
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.l.definition(name)
}

// find searches for steps to add to a plan.
func (p *process) find(ctx context.Context, n port.Need) (port.NewSteps, error) {
	if err := p.access(ctx, "find", n.Plan.Definition.Workflow.Name); err != nil {
		return port.NewSteps{}, err
	}
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quiet || l.net.IntN(4) == 0 {
		return port.NewSteps{}, nil
	}
	var failed []string
	if n.Failed != "" {
		failed = []string{n.Failed}
	}
	return port.NewSteps{Steps: l.newSteps(n.Plan, failed), Agents: map[string]plan.Agent{"fresh": fresh},
		Harmless: l.net.IntN(2) == 0}, nil
}

// goroutine is the id of the calling goroutine: an engine decides and stores in one, which identifies the
// policy of a commit.
func goroutine() int64 {
	var buf [64]byte
	text := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	number, _, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// logbook adds an engine's log to the trace.
type logbook struct{ p *process }

func (b logbook) Enabled(context.Context, slog.Level) bool { return b.p.l.opts.Trace }

func (b logbook) Handle(_ context.Context, r slog.Record) error {
	b.p.l.mu.Lock()
	defer b.p.l.mu.Unlock()
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	b.p.l.say("%s: %s", b.p, text)
	return nil
}

func (b logbook) WithAttrs([]slog.Attr) slog.Handler { return b }
func (b logbook) WithGroup(string) slog.Handler      { return b }
