package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// host is a server process. It loses everything when it crashes, and reads what it needs from the store.
type host struct {
	w     *world
	name  int
	life  int // incremented at every crash, so that timers of dead hosts do not fire
	alive bool
	leads bool // or believes so
	epoch int64
	skew  time.Duration // its clock skew
	runs  map[string]*loaded
	law   law // the policy as it knows it
}

// loaded is a run in a host's memory.
type loaded struct {
	state   *machine.State
	started map[owed]bool
	alarm   time.Time  // when it is set to wake up
	told    run.Status // the last report to its parent
}

func newHost(w *world, name int) *host {
	return &host{w: w, name: name, alive: true, runs: map[string]*loaded{}}
}

func (h *host) now() time.Time { return h.w.now.Add(h.skew) }

func (h *host) String() string { return fmt.Sprintf("host %d", h.name) }

// die loses everything but the name.
func (h *host) die() {
	h.alive, h.leads, h.runs = false, false, map[string]*loaded{}
	h.life++
	h.w.say("%s crashes", h)
	h.w.after(h.w.delay(), func() {
		if !h.alive {
			h.w.say("%s is up again", h)
			h.alive = true
			if h.w.leader() == nil {
				h.w.elect(h)
			}
		}
	})
}

// reply is the result of a command.
type reply struct {
	seq  int64
	err  error
	lost bool // unknown: the host died or could not answer
}

func (r reply) ok() bool { return r.err == nil && !r.lost }

// load loads a run: from its snapshot and the tail, or from the whole log.
func (h *host) load(r *record) *loaded {
	if l, ok := h.runs[r.id]; ok {
		return l
	}
	upTo := r.last()
	if n := len(r.ends); n > 1 && h.w.strikes(StaleRead, 0.05) {
		upTo = r.ends[n-2-h.w.chance.IntN(min(n-1, 3))]
		h.w.say("%s reads %s as it was at %d, not at %d", h, r.id, upTo, r.last())
	}
	l := &loaded{started: map[owed]bool{}}
	if n := len(r.snaps); n > 0 && h.w.net.IntN(3) > 0 {
		if n = h.w.net.IntN(n); r.snaps[n].seq <= upTo {
			s, err := r.restore(n, upTo)
			if err != nil {
				h.w.complain("fold = snapshot + tail", r.id, r.snaps[n].seq, "%v", err)
			}
			l.state = s
		}
	}
	if l.state == nil {
		l.state = r.fold(upTo)
	}
	h.runs[r.id] = l
	return l
}

// handle executes a command: load, Handle, append, Apply, reconcile.
func (h *host) handle(r *record, c run.Command) reply {
	for range 4 {
		l := h.load(r)
		events, err := h.decide(l.state, c)
		if err != nil {
			return h.refused(r, c, err)
		}
		if len(events) == 0 {
			h.reconcile(r)
			return reply{seq: l.state.Seq}
		}
		switch err := h.append(r, l, events); {
		case err == nil:
			h.w.acknowledge(r.id, c, events)
			h.reconcile(r)
			return reply{seq: events[len(events)-1].Seq}
		case !h.alive || errors.Is(err, errRefused):
			delete(h.runs, r.id)
			return reply{lost: true}
		case errors.Is(err, errEpoch):
			h.w.say("%s learns that it no longer leads", h)
			h.leads, h.runs = false, map[string]*loaded{}
			return reply{lost: true}
		case errors.Is(err, errOutdated):
			h.w.say("%s learns that there is another policy", h)
			h.readLaw(true)
		default: // another host wrote: try again
			delete(h.runs, r.id)
		}
	}
	return reply{lost: true}
}

// decide calls the core, and sometimes checks that this changed nothing.
func (h *host) decide(s *machine.State, c run.Command) ([]run.Event, error) {
	var before []byte
	if h.w.net.IntN(64) == 0 {
		before = mustSnapshot(s)
	}
	events, err := decide.Handle(s, h.env(), c)
	if before != nil {
		if after := mustSnapshot(s); string(after) != string(before) {
			h.w.complain("Handle never mutates", s.ID, s.Seq, "%T changed the state from\n%s\nto\n%s", c.Do, before, after)
		}
	}
	return events, err
}

func (h *host) refused(r *record, c run.Command, err error) reply {
	var f *fault.Error
	if !errors.As(err, &f) {
		h.w.complain("errors are typed", r.id, 0, "%T: %v", c.Do, err)
	}
	if f != nil && f.Code == fault.Duplicate {
		seq, _ := f.Detail["seq"].(int64)
		h.w.repeated(r.id, c.ID, seq)
		return reply{seq: seq}
	}
	return reply{err: err}
}

// repeated records the answer to a repeated command.
func (w *world) repeated(id, command string, seq int64) {
	if had, ok := w.acked[id+" "+command]; ok && had != seq {
		w.complain("one command id, one answer", id, seq,
			"command %s was answered with seq %d before, now with %d", command, had, seq)
	}
	w.acked[id+" "+command] = seq
	w.acks = append(w.acks, audit.Ack{Run: id, ID: command, Last: seq, Again: true})
}

// append writes events, and is where most faults happen.
func (h *host) append(r *record, l *loaded, events []run.Event) error {
	w := h.w
	switch {
	case w.strikes(CrashBefore, 0.01):
		w.say("%s crashes before it appends to %s", h, r.id)
		h.die()
		return errRefused
	case w.strikes(AppendError, 0.02):
		w.say("the store refuses an append to %s", r.id)
		return errRefused
	}
	if err := w.store.append(r, l.state.Seq, h.epoch, h.law, events); err != nil {
		return err
	}
	w.noteEvents(events)
	switch {
	case w.strikes(CrashAfter, 0.02):
		w.say("%s crashes after it appended to %s", h, r.id)
		h.die()
		return errRefused
	case w.strikes(LostAnswer, 0.02):
		w.say("the answer of the store about %s is lost", r.id)
		return errRefused
	}
	for n, e := range events {
		l.state.Apply(e)
		if mutant.Is(mutant.SnapshotIncomplete) && n == (len(events)-1)/2 && w.wantsSnapshot(events) {
			half := *l.state
			half.Seq = events[len(events)-1].Seq
			r.save(half.Seq, mustSnapshot(&half))
		}
	}
	if !mutant.Is(mutant.SnapshotIncomplete) && w.wantsSnapshot(events) {
		r.save(l.state.Seq, mustSnapshot(l.state))
	}
	return nil
}

// wantsSnapshot: on request, and now and then.
func (w *world) wantsSnapshot(events []run.Event) bool {
	for _, e := range events {
		if _, ok := e.Fact.(*run.SnapshotSaved); ok {
			return true
		}
	}
	return events[len(events)-1].Seq%7 == 0
}

// acknowledge is a promise: an acknowledged command is in the log.
func (w *world) acknowledge(id string, c run.Command, events []run.Event) {
	a := audit.Ack{Run: id, ID: c.ID, First: events[0].Seq, Last: events[len(events)-1].Seq}
	if key, kind, ok := keyOf(c.Do); ok {
		a.Report = &audit.Report{Kind: kind, Step: key.Step, Index: key.Index, Rev: key.Rev, N: key.N, Try: key.Try}
	}
	w.acks = append(w.acks, a)
	if c.ID != "" {
		w.acked[id+" "+c.ID] = a.Last
	}
}

func keyOf(d run.Operation) (run.Key, string, bool) {
	switch d := d.(type) {
	case run.Complete:
		return d.Key, "step", true
	case run.CompleteTurn:
		return d.Key, "turn", true
	case run.CompleteCall:
		return d.Key, "call", true
	case run.Fail:
		if d.Key.Kind == run.KeyConsult || d.Key.Kind == run.KeyReplan {
			return d.Key, "", false
		}
		return d.Key, string(d.Key.Kind), true
	}
	return run.Key{}, "", false
}

func (w *world) noteEvents(events []run.Event) {
	if !w.opts.Trace {
		return
	}
	for _, e := range events {
		data, _ := run.EncodeFact(e.Fact)
		w.say("  %s %d %s %s", e.Run, e.Seq, e.Fact.Type(), short(data))
	}
}

func short(b []byte) string { return phrase.ClipBytes(string(b), 360) }

func mustSnapshot(s *machine.State) []byte {
	b, err := s.Snapshot()
	if err != nil {
		panic(err)
	}
	return b
}
