package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/sim/audit"
)

// order is a piece of work that an engine requests.
type order struct {
	run, work string
	try       int
	content   json.RawMessage
	told      json.RawMessage // people's answers to a tool's question
	round     string          // of a tool that asks people
	used      []string
	do        func() answer
}

// carryOut does a piece of work: really on the first request with a key, while the same key again gets the
// same answer. It is late, or fails, or never answers.
func (p *process) carryOut(ctx context.Context, o order) (run.Operation, error) {
	l := p.l
	l.mu.Lock()
	key, fails, silent, wait := p.takeOn(ctx, o)
	l.mu.Unlock()
	if silent {
		select {
		case <-ctx.Done():
		case <-p.gone:
		case <-l.quieted:
			fails = failure("no answer", true)
		}
	} else {
		p.nap(ctx, wait)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = time.Now()
	switch {
	case p.dead:
		return nil, errors.New("the process is dead")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	l.stillOwed(p, key)
	p.answered[key] = true
	if fails != nil {
		l.say("%s hears that %s failed", p, key)
		return nil, fails
	}
	done := l.sink.done[o.work+o.round].answer(key)
	l.say("%s hears: %s", p, describe(run.Command{Do: done}))
	return done, nil
}

// takeOn records a start, and draws its random choices. The caller holds the lock.
func (p *process) takeOn(ctx context.Context, o order) (key run.Key, fails error, silent bool, wait time.Duration) {
	l := p.l
	l.now = time.Now()
	key = l.begun(p, o)
	dice := l.dice("work", key.String())
	if wait = l.takes(dice); l.hits(dice, Late, 0.05) {
		wait += 5*time.Minute + time.Duration(dice.Int64N(int64(20*time.Minute)))
	}
	job, ok := l.sink.done[o.work+o.round]
	if !ok {
		job = &work{content: string(o.content)}
		l.sink.done[o.work+o.round] = job
	}
	if job.answer == nil {
		really := true
		switch {
		case l.hits(dice, Silent, 0.03):
			silent, really = true, dice.IntN(2) == 0 // done, but the answer is lost
		case l.hits(dice, Transient, 0.08):
			fails, really = failure("connection timed out", true), dice.IntN(3) == 0
		case l.hits(dice, Permanent, 0.02):
			fails, really = failure("the agent refused", false), false
		}
		if really {
			l.with(dice, func() { job.answer = o.do() })
		}
	}
	return key, fails, silent, wait
}

func failure(message string, transient bool) error {
	return &port.Failed{Failure: run.Failure{Message: message, Transient: transient}}
}

// with generates answers with their own random numbers.
func (l *live) with(dice *rand.Rand, do func()) {
	net := l.net
	l.net = dice
	defer func() { l.net = net }()
	do()
}

// begun records a start for the auditor, at the last state of the run at which it was owed, and checks what
// the auditor cannot see: that the store confirmed leadership at the last moment, that the process does not
// know better, and that it does not request results it already has.
func (l *live) begun(p *process, o order) run.Key {
	key, seq, ok := l.owedLast(o.run, o.work, o.try)
	if !ok {
		l.complain("only what is owed is started", o.run, seq, "%s starts %s try %d, which was never owed", p, o.work, o.try)
		return key
	}
	if key.Kind == run.KeyConsult {
		o.content = nil
	}
	l.say("%s: starts %s with %s and %s", p, key, short(o.content), short(o.told))
	l.sink.starts = append(l.sink.starts, audit.Start{
		Run: o.run, Seq: seq, Kind: string(key.Kind), Work: key.Work(), Step: key.Step, Index: key.Index, Rev: key.Rev,
		N: key.N, Try: key.Try,
		Content: o.content, Answer: o.told, Used: o.used,
	})
	switch {
	case p.dead: // nothing it does has an effect
	case !p.sure.Equal(l.now):
		l.complain("nothing is started under a leadership that is not confirmed", o.run, seq,
			"%s starts %s; the store last confirmed its epoch at %s", p, key, clock(p.sure))
	case p.answered[key] && o.round == "":
		l.complain("finished work is kept", o.run, seq, "%s asks for %s again, although it was given an answer", p, key)
	}
	l.stillOwed(p, key)
	return key
}

// stillOwed: a process does not work on something whose end it has written itself.
func (l *live) stillOwed(p *process, key run.Key) {
	known, ok := p.known[key.Run]
	if !ok || known.at.Equal(l.now) {
		return // it learns about it at this very moment
	}
	for _, o := range l.store.owed[key.Run] {
		if o.seq == known.seq && !slices.Contains(o.keys, key) && l.owedBefore(key, known.seq) {
			l.complain("what is no longer owed is stopped", key.Run, known.seq, "%s works on %s", p, key)
		}
	}
}

// owedBefore reports whether something was owed earlier than a state, and has not become owed since.
func (l *live) owedBefore(key run.Key, seq int64) bool {
	before := false
	for _, o := range l.store.owed[key.Run] {
		has := slices.Contains(o.keys, key)
		if o.seq < seq {
			before = before || has
		} else if has {
			return false
		}
	}
	return before
}

// owedLast finds the newest state of a run at which a piece of work was owed.
func (l *live) owedLast(id, work string, try int) (run.Key, int64, bool) {
	for _, o := range slices.Backward(l.store.owed[id]) {
		for _, k := range o.keys {
			if k.Work() == work && k.Try == try {
				return k, o.seq, true
			}
		}
	}
	return run.Key{}, 0, false
}

// worker is an agent as it was when it was resolved.
type worker struct {
	p    *process
	name string
	from []gate.Implementation
}

func (p *process) agent(name string) port.Agent {
	return worker{p, name, p.inForce("agent", name)}
}

func (a worker) Implementation() []gate.Implementation { return a.from }

func (a worker) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	o := order{run: w.Run, work: w.Key, try: w.Try, content: w.Input, used: used(a.from), do: a.p.l.invoked}
	if w.Step == "loops.agent" {
		o.do, o.used = a.p.l.advised, nil
	}
	done, err := a.p.carryOut(ctx, o)
	if err != nil {
		return run.Result{}, err
	}
	switch done := done.(type) {
	case run.AnswerConsult:
		return run.Result{Output: mustJSON(done.Advice)}, nil
	case run.ReadForConsult: // it wants to look something up, which only models can
		return run.Result{Output: mustJSON(done.Reads)}, nil
	}
	res := done.(run.Complete).Result
	res.Deliverables = slices.Clone(res.Deliverables)
	return res, nil
}

// model thinks for an agent.
type model struct{ worker }

func (p *process) mind(name string) (port.LLMAgent, error) {
	a := worker{p, name, p.inForce("agent", name)}
	return port.LLMAgent{Model: model{a}, Tools: []string{"all"}, Implementation: a.from}, nil
}

func (m model) Think(ctx context.Context, t port.TurnRequest, _ func(port.Progress)) (run.Turn, error) {
	done, err := m.p.carryOut(ctx, order{
		run: t.Run, work: t.Key, try: t.Try, content: t.Input, used: used(m.from),
		do: func() answer { return m.p.l.thought(run.Think{Agent: t.Agent, Turn: t.Turn}) },
	})
	if err != nil {
		return run.Turn{}, err
	}
	turn := done.(run.CompleteTurn).Turn
	turn.Calls = slices.Clone(turn.Calls)
	return turn, nil
}

// toolbox has all tools.
type toolbox struct{ p *process }

func (toolbox) List(context.Context, []string) (out []port.ToolInfo, _ error) {
	for _, t := range tools {
		out = append(out, port.ToolInfo{Name: t.Tool})
	}
	for _, name := range run.OwnTools {
		out = append(out, port.ToolInfo{Name: name})
	}
	return out, nil
}

func (b toolbox) Spec(_ context.Context, c run.Call) run.ToolSpec {
	if slices.Contains(run.OwnTools, c.Tool) {
		return run.ToolSpec{Class: "safe"}
	}
	b.p.l.mu.Lock()
	defer b.p.l.mu.Unlock()
	return b.p.l.shelf.spec(c.Tool)
}

func (b toolbox) Call(ctx context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	switch now := b.Spec(ctx, run.Call{Tool: w.Tool}); {
	case now.Unknown:
		return run.CallResult{Error: fmt.Sprintf("there is no tool %q", w.Tool)}, nil
	case len(w.Approved) > 0 && !gate.Same(w.Approved, now.Implementation):
		return run.CallResult{}, &port.Changed{Spec: &now}
	default:
		do := run.CallTool{Call: run.Call{Tool: w.Tool}, State: w.State}
		done, err := b.p.carryOut(ctx, order{
			run: w.Run, work: w.Key, try: w.Try, content: w.Args, told: w.Answer, round: string(w.State),
			used: used(now.Implementation),
			do:   func() answer { return b.p.l.called(do) },
		})
		if err != nil {
			return run.CallResult{}, err
		}
		res := done.(run.CompleteCall).Result
		res.Deliverables = slices.Clone(res.Deliverables)
		return res, nil
	}
}
