package main

import (
	"context"
	"errors"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const gatedWorkflow = `{"workflow":"gated","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"}]}`

// gated is a rig whose runs require approval before step b.
type gated struct {
	*rig
	def   *plan.Definition
	a, b  chan time.Time // when the agents of the steps were called
	asked chan asked     // approvals as they are saved
	ended chan struct{}  // runs that have ended
}

type asked struct {
	port.ApprovalRow
	at time.Time
}

func startGated(ctx context.Context, h home) (*gated, error) {
	g := &gated{def: define(gatedWorkflow), a: make(chan time.Time, 1), b: make(chan time.Time, 1),
		asked: make(chan asked, 1), ended: make(chan struct{}, 1)}
	var err error
	g.rig, err = start(ctx, h, func(_ context.Context, w port.Work) (run.Result, error) {
		if w.Step == "a" {
			g.a <- time.Now()
		} else {
			g.b <- time.Now()
		}
		return result, nil
	}, func(r port.Receipt) {
		for _, e := range r.Events {
			switch e.Fact.(type) {
			case *run.ApprovalNeeded:
				g.asked <- asked{r.Approvals[0], time.Now()}
			case *run.RunCompleted:
				g.ended <- struct{}{}
			}
		}
	})
	return g, err
}

// waiting starts a run and waits for its approval; it returns how long that took.
func (g *gated) waiting(ctx context.Context) (asked, time.Duration, error) {
	if _, err := g.begin(ctx, g.def); err != nil {
		return asked{}, 0, err
	}
	answered, err := work.Await(ctx, "step a", g.a)
	if err != nil {
		return asked{}, 0, err
	}
	a, err := work.Await(ctx, "an approval", g.asked)
	return a, a.at.Sub(answered), err
}

// decisions measures how quickly a run continues after a decision. The run is not in memory at that point: it
// waits in the store.
type decisions struct{}

func (decisions) name() string { return "decision" }

func (decisions) measure(ctx context.Context, b *bench, h home) error {
	g, err := startGated(ctx, h)
	if err != nil {
		return err
	}
	spent := spending()
	took, err := g.decideMany(ctx, g.rig, b.alone)
	each := spent(b.alone)
	var elsewhere []time.Duration
	if err == nil && h.shared() {
		elsewhere, err = g.decideElsewhere(ctx, h, b.alone)
	}
	if err := errors.Join(err, g.close()); err != nil {
		return err
	}
	b.report(latencies("decision given → durable → next agent asked", took).below(p50, 1).below(p99, 5).over(byFsync,
		p50, b.floor.FsyncP50))
	b.report(each.of("a run with a decision, alone")...)
	if h.shared() {
		b.report(latencies("the same, given to a server that does not lead", elsewhere))
	}
	return nil
}

// decideElsewhere gives decisions to a second engine on the same store. The first leads, and asks the next agent.
func (g *gated) decideElsewhere(ctx context.Context, h home, n int) (took []time.Duration, err error) {
	store, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	other := engineOn(store, h, echo, nil)
	other.Start()
	took, err = g.decideMany(ctx, other, n)
	if err == nil && other.Leads() {
		err = errors.New("the second engine leads")
	}
	return took, errors.Join(err, other.close())
}

func (g *gated) decideMany(ctx context.Context, by *rig, n int) (took []time.Duration, err error) {
	for range n {
		d, err := g.decideOne(ctx, by)
		if err != nil {
			return nil, err
		}
		took = append(took, d)
	}
	return took, nil
}

func (g *gated) decideOne(ctx context.Context, by *rig) (time.Duration, error) {
	a, _, err := g.waiting(ctx)
	if err != nil {
		return 0, err
	}
	decided := time.Now()
	begun, err := g.decide(ctx, by, a)
	return begun.Sub(decided), err
}

// decide approves what a run waits for, and waits for its end. It returns when the next step began.
func (g *gated) decide(ctx context.Context, by *rig, a asked) (begun time.Time, err error) {
	c := run.Command{ID: a.ID, By: someone, Do: run.Decide{Approval: a.ID, Answer: gate.Answer{
		By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: a.Version,
	}}}
	if _, err := by.Do(ctx, a.Run, c, nil); err != nil {
		return begun, err
	}
	if begun, err = work.Await(ctx, "step b", g.b); err != nil {
		return begun, err
	}
	_, err = work.Await(ctx, "the end of a run", g.ended)
	return begun, err
}
