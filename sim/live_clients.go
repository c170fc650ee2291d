package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/sim/audit"
)

// sendLive sends a client's command to a process, repeatedly until it is answered.
func (l *live) sendLive(id string, c run.Command, tries int) {
	p := l.anyProcess()
	if p == nil || l.closed {
		l.sendAgain(id, c, tries)
		return
	}
	l.say("%s: %s %s → %s", p, c.By.Name, describe(c), id)
	l.calls.Go(func() {
		receipt, err := p.take(id, c)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.now = time.Now()
		l.answered(id, c, receipt, err, tries)
	})
}

func (l *live) sendAgain(id string, c run.Command, tries int) {
	if tries > 0 {
		l.after(l.delay()+time.Second, func() { l.sendLive(id, c, tries-1) })
	}
}

// anyProcess is the one that a client happens to reach; nil: all are down.
func (l *live) anyProcess() *process {
	first := l.net.IntN(len(l.seats))
	for n := range l.seats {
		if p := l.seats[(first+n)%len(l.seats)]; !p.dead {
			return p
		}
	}
	return nil
}

// take passes a command to the engine.
func (p *process) take(id string, c run.Command) (port.Receipt, error) {
	if _, ok := c.Do.(run.Start); !ok {
		return p.engine.Do(context.Background(), id, c, nil)
	}
	p.l.mu.Lock()
	def, err := p.l.definition(p.l.names[0])
	p.l.mu.Unlock()
	if err != nil {
		return port.Receipt{}, err
	}
	return p.engine.Begin(context.Background(), id, def, c, nil)
}

// answered interprets an answer for the client.
func (l *live) answered(id string, c run.Command, receipt port.Receipt, err error, tries int) {
	code := fault.CodeOf(err)
	switch {
	case err == nil && len(receipt.Events) > 0:
		l.acknowledge(id, c, own(receipt.Events))
		l.cover.add("command", kindOf(c))
	case err == nil:
		l.cover.add("command", kindOf(c))
	case errors.Is(err, port.ErrUnavailable):
		l.say("  no answer about %s %s: %v; %s tries again", id, c.ID, err, c.By.Name)
		l.sendAgain(id, c, tries)
	case code == fault.Duplicate:
		seq, _ := fault.DetailOf(err)["seq"].(int64)
		l.repeated(id, c.ID, seq)
	case code == "":
		l.complain("errors are typed", id, 0, "%T: %v", c.Do, err)
	default:
		l.cover.add("refusal", string(code))
		l.say("  %s %s is refused: %v", id, c.ID, err)
	}
}

// own leaves out the history that a fork has from another run, which may be a fork itself.
func own(events []run.Event) []run.Event {
	for n, e := range slices.Backward(events) {
		if _, ok := e.Fact.(*run.RunForked); ok {
			return events[n:]
		}
	}
	return events
}

// forkLive forks a run.
func (l *live) forkLive(r *record, id string, at int64, edits run.Edits, by person) {
	p := l.anyProcess()
	if p == nil || l.closed {
		return
	}
	l.say("%s: %s forks %s at %d into %s with %s", p, by.name, r.id, at, id, mustJSON(edits))
	c := run.Command{ID: "fork-" + id, By: by.actor()}
	l.calls.Go(func() {
		receipt, err := p.engine.Fork(context.Background(), id, r.id, at, edits, c, nil)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.now = time.Now()
		switch {
		case err == nil:
			l.acknowledge(id, c, own(receipt.Events))
			l.cover.add("command", "fork")
		case fault.CodeOf(err) == "" && !errors.Is(err, port.ErrUnavailable):
			l.complain("errors are typed", id, 0, "fork: %v", err)
		}
	})
}

// peek reads a run now and then.
func (l *live) peek() {
	if l.quiet {
		return
	}
	l.after(time.Duration(l.crowd.Int64N(int64(20*time.Minute))), l.peek)
	if r := l.someRun(); r != nil {
		if p := l.anyProcess(); p != nil {
			l.calls.Go(func() { p.look(r.id) })
		}
	}
}

// look compares a process's view of a run with the log: nothing is visible that was not stored.
func (p *process) look(id string) {
	l := p.l
	var seq int64
	var shown []byte
	err := p.engine.View(context.Background(), id, func(s *machine.State) error {
		seq, shown = s.Seq, mustSnapshot(s)
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || l.found != nil {
		return
	}
	r := l.world.store.runs[id]
	if seq > r.last() {
		l.complain("what is not stored is not shown", id, seq, "%s shows %d events of %d", p, seq, r.last())
		return
	}
	if seq < r.last() {
		return // other writes happened in the meantime
	}
	if want := mustSnapshot(r.truth); string(want) != string(shown) {
		l.complain("fold = live", id, seq, "%s: %s", p, difference(want, shown))
	}
}

// watchOver checks a write before it is stored, for what the auditor cannot see: who wrote it. It also
// records the start of sub-runs.
func (l *live) watchOver(p *process, law law, w port.Write) {
	leads := p.epoch == l.world.store.epoch
	for _, e := range own(w.Events) {
		if f, ok := e.Fact.(*run.ApprovalTimedOut); ok && f.Then.Proceeds() && law.no != l.world.store.law {
			l.complain("silence approves by the policy in force", w.Run, e.Seq, "%s knew edition %d of %d", p,
				law.no, l.world.store.law)
		}
		switch f := e.Fact.(type) {
		case *run.ApprovalTimedOut, *run.ApprovalEscalated:
			if !leads && e.Actor.Kind == run.System && e.Cause == "" {
				l.complain("only the leader watches the clock", w.Run, e.Seq, "%s writes %T, and does not lead", p, e.Fact)
			}
		case *run.RunStarted:
			if f.Parent == nil {
				continue
			}
			if !leads {
				l.complain("only the leader starts sub-runs", w.Run, e.Seq,
					"%s starts it for %s, and does not lead", p, f.Parent.Run)
			}
			l.begunChild(w.Run, f)
		case *run.StepFailed:
			l.blameless(w.Run, e.Seq, f.Error)
		case *run.StepRetrying:
			l.blameless(w.Run, e.Seq, f.Error)
		case *run.TurnRetrying:
			l.blameless(w.Run, e.Seq, f.Error)
		case *run.CallRetrying:
			l.blameless(w.Run, e.Seq, f.Error)
		case *run.ConsultRetrying:
			l.blameless(w.Run, e.Seq, f.Error)
		case *run.ConsultAnswered:
			l.blameless(w.Run, e.Seq, run.Failure{Code: "consult", Message: f.Advice.Reasoning})
		case *run.SnapshotSaved:
			if w.Snapshot == nil {
				l.complain("a snapshot that was asked for is taken", w.Run, e.Seq, "%s stored none", p)
			}
		}
	}
}

// blameless: an agent is not blamed for what an engine did to it.
func (l *live) blameless(id string, seq int64, f run.Failure) {
	if f.Code == "panic" || strings.Contains(f.Message, "panicked") ||
		strings.Contains(f.Message, context.Canceled.Error()) ||
		strings.Contains(f.Message, port.ErrUnavailable.Error()) {
		l.complain("agents are blamed only for what they did", id, seq, "%s: %s", f.Code, f.Message)
	}
}

// begunChild records the start of a sub-run for the auditor.
func (l *live) begunChild(id string, f *run.RunStarted) {
	k := f.Parent.Key
	_, seq, ok := l.owedLast(k.Run, k.Work(), k.Try)
	if !ok {
		l.complain("only what is owed is started", id, 1, "it was never owed to %s", k.Run)
		return
	}
	l.sink.starts = append(l.sink.starts, audit.Start{
		Run: k.Run, Seq: seq, Kind: "child", Work: k.Work(), Step: k.Step, Index: k.Index, Rev: k.Rev, N: k.N, Try: k.Try,
		Content: f.Input, Child: id, Used: used([]gate.Implementation{{Kind: "workflow",
			Name: f.Workflow, Version: f.Version}}),
	})
}
