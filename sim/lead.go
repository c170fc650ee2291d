package sim

import (
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// leader is the host that really leads, if it is alive and knows.
func (w *world) leader() *host {
	for _, h := range w.hosts {
		if h.alive && h.leads && h.epoch == w.store.epoch {
			return h
		}
	}
	return nil
}

// elect gives a host a new epoch. The old leader is notified, or keeps believing that it leads.
func (w *world) elect(h *host) {
	old := w.leader()
	w.store.epoch++
	h.leads, h.epoch, h.runs = true, w.store.epoch, map[string]*loaded{}
	w.say("%s leads with epoch %d", h, h.epoch)
	if old != nil && old != h && !w.strikes(Zombie, 0.7) {
		old.leads, old.runs = false, map[string]*loaded{}
	}
	h.recover()
}

// recover checks every run that may have effects. It takes the same path as every command: fold, then derive
// the effects.
func (h *host) recover() {
	for _, r := range append([]*record(nil), h.w.store.order...) {
		if !h.alive || !h.leads {
			return
		}
		if len(r.lines) > 0 && r.open() { // as an index of open runs would return
			h.reconcile(r)
		}
	}
}

// trouble makes hosts fail every now and then.
func (w *world) trouble() {
	if w.quiet {
		return
	}
	wait := w.pause()
	if w.settled() {
		wait = 12 * time.Hour // no one is disturbed
	}
	w.after(wait, w.trouble)
	h := w.hosts[w.chance.IntN(len(w.hosts))]
	switch {
	case w.leader() == nil:
		if up := w.someHost(h); up != nil {
			w.elect(up)
		}
	case w.strikes(Crash, 0.25):
		if h.alive {
			h.die()
		}
	case w.strikes(Zombie, 0.2):
		if h.alive && w.leader() != h {
			w.elect(h)
		}
	case w.strikes(Skew, 0.3):
		h.skew = time.Duration(w.chance.Int64N(int64(2*time.Hour))) - time.Hour
		w.say("the clock of %s is off by %s", h, h.skew.Round(time.Second))
		h.skew = h.skew.Round(time.Second)
		if h.alive && h.leads {
			h.recover() // its timers check the clock again
		}
	}
}

func (w *world) someHost(first *host) *host {
	if first.alive {
		return first
	}
	for _, h := range w.hosts {
		if h.alive {
			return h
		}
	}
	return nil
}

// receiver is the host that a client happens to reach.
func (w *world) receiver() *host {
	if w.strikes(Zombie, 0.15) {
		for _, h := range w.hosts {
			if h.alive && h.leads && h.epoch != w.store.epoch {
				return h
			}
		}
	}
	return w.leader()
}

// pause is the time between faults; delay is how long things take.
func (w *world) pause() time.Duration {
	return []time.Duration{2 * time.Second, 20 * time.Second, 2 * time.Minute, 20 * time.Minute,
		3 * time.Hour}[w.chance.IntN(5)]
}

func (w *world) delay() time.Duration {
	if w.quiet {
		return time.Millisecond
	}
	most := []time.Duration{10 * time.Millisecond, time.Second, 20 * time.Second, 4 * time.Minute}[w.net.IntN(4)]
	return time.Duration(w.net.Int64N(int64(most))).Truncate(time.Millisecond)
}

// send sends a client's command to a host, repeatedly until it is answered.
func (w *world) send(id string, c run.Command, tries int) {
	r, h := w.store.runs[id], w.receiver()
	if h == nil || r == nil {
		if tries > 0 {
			w.after(w.delay()+time.Second, func() { w.send(id, c, tries-1) })
		}
		return
	}
	w.say("%s: %s %s → %s", h, c.By.Name, describe(c), id)
	rep := h.handle(r, c)
	switch {
	case rep.ok():
		w.cover.add("command", kindOf(c))
	case rep.lost && tries > 0:
		w.say("  no answer; %s tries again", c.By.Name)
		w.after(w.delay()+time.Second, func() { w.send(id, c, tries-1) })
	case rep.err != nil:
		w.cover.add("refusal", string(fault.CodeOf(rep.err)))
		w.say("  refused: %v", rep.err)
	}
}
