package sim

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// owed identifies obligations: a sub-run is started and cancelled under one key.
type owed struct {
	key    run.Key
	cancel bool
}

// reconcile compares running work with a run's effects: missing work is started, unwanted work is dropped.
func (h *host) reconcile(r *record) {
	if !h.alive || !h.leads {
		return
	}
	l := h.load(r)
	effects := l.state.Effects()
	wanted := make(map[owed]bool, len(effects))
	if _, ok := l.state.NextDeadline(); !ok {
		l.alarm = time.Time{}
	}
	for _, e := range effects {
		_, cancel := e.Do.(run.CancelRun)
		wanted[owed{e.Key, cancel}] = true
	}
	for o := range l.started {
		if !wanted[o] {
			delete(l.started, o)
		}
	}
	for _, e := range effects {
		if !h.alive || !h.leads || h.runs[r.id] != l {
			return
		}
		_, cancel := e.Do.(run.CancelRun)
		if o := (owed{e.Key, cancel}); !l.started[o] {
			l.started[o] = true
			h.start(r, l, e)
		}
	}
	if h.runs[r.id] == l {
		h.tellParent(r, l, false)
	}
}

// start starts one effect.
func (h *host) start(r *record, l *loaded, e run.Effect) {
	w, s := h.w, l.state
	switch do := e.Do.(type) {
	case run.Invoke:
		now := w.shelf.inForce("agent", do.Agent)
		if h.changed(r, e.Key, do.Approved, now) {
			return
		}
		w.sink.start(h, r, s, e.Key, s.InputFor(do.Step, do.Index), used(now), func() answer { return w.invoked() })
	case run.Think:
		now := w.shelf.inForce("agent", do.Agent)
		if h.changed(r, e.Key, do.Approved, now) {
			return
		}
		w.sink.start(h, r, s, e.Key, s.InputFor(do.Step, do.Index), used(now), func() answer { return w.thought(do) })
	case run.CallTool:
		if h.changedTool(r, e.Key, do.Call) {
			return
		}
		w.sink.ask(h, r, s, e.Key, do, func() answer { return w.called(do) })
	case run.Advise:
		w.sink.start(h, r, s, e.Key, nil, nil, func() answer { return w.advised() })
	case run.FindSteps:
		w.sink.start(h, r, s, e.Key, nil, nil, func() answer { return w.replanned(r) })
	case run.StartRun:
		h.startChild(r, l, e, do)
	case run.CancelRun:
		h.cancelChild(r, l, e, do)
	case run.Wake:
		delete(l.started, owed{e.Key, false}) // one key, many times
		h.setAlarm(r, l, do.At)
	}
}

// setAlarm wakes the host by its own clock.
func (h *host) setAlarm(r *record, l *loaded, at time.Time) {
	if l.alarm.Equal(at) {
		return
	}
	l.alarm = at
	life := h.life
	h.w.at(at.Add(-h.skew), func() {
		if h.life != life || !h.leads || h.runs[r.id] != l || !l.alarm.Equal(at) {
			return
		}
		l.alarm = time.Time{}
		if h.now().Before(at) {
			h.setAlarm(r, l, at) // the clock was set back
			return
		}
		h.w.say("%s: time passes for %s", h, r.id)
		had := l.state.Seq
		if rep := h.handle(r, run.Command{Do: run.Tick{}}); rep.lost {
			h.again(r)
		} else if rep.ok() && rep.seq == had && h.runs[r.id] == l {
			h.w.complain("what wakes a host is found by it", r.id, had, "a Tick at %s did nothing, although it was wanted", at)
		}
	})
}

// again checks a run once more after the store gave no answer.
func (h *host) again(r *record) {
	life := h.life
	h.w.after(time.Second, func() {
		if h.life == life && h.leads {
			h.reconcile(r)
		}
	})
}

// report delivers a result to the run until it is accepted. A host that dies loses it.
func (h *host) report(r *record, c run.Command, wait time.Duration) {
	life := h.life
	h.w.after(wait, func() {
		if h.life != life || !h.leads {
			return
		}
		h.w.say("%s: %s → %s", h, describe(c), r.id)
		rep := h.handle(r, c)
		switch {
		case rep.lost:
			h.report(r, c, h.w.delay()+time.Second)
		case rep.err != nil:
			h.w.say("  refused: %v", rep.err)
			h.w.cover.add("refusal of a report", string(fault.CodeOf(rep.err)))
		}
	})
}

// startChild starts a sub-run; it is idempotent.
func (h *host) startChild(r *record, l *loaded, e run.Effect, do run.StartRun) {
	w, s := h.w, l.state
	input, now := s.InputFor(do.Step, do.Index), w.shelf.inForce("workflow", do.Workflow)
	had, ok := w.store.runs[do.Run]
	switch begun := ok && len(had.lines) > 0; {
	case begun:
		now = nil // it is bound to its original definition
	case h.changed(r, e.Key, do.Approved, now):
		return
	}
	w.sink.note(r, s, e.Key, "child", input, do.Run, used(now))
	f, ok := w.flows[do.Workflow]
	if !ok {
		h.report(r, run.Command{Do: run.Fail{Key: e.Key,
			Failure: run.Failure{Code: "not_found", Message: "no such workflow"}}}, 0)
		return
	}
	child := w.store.create(do.Run, f.plan)
	if len(child.lines) == 0 && w.strikes(Transient, 0.05) {
		h.report(r, failed(e.Key, true), w.delay()) // it could not even be started
		return
	}
	w.say("%s: starts %s for %s", h, do.Run, r.id)
	rep := h.handle(child, run.Command{ID: "start-" + do.Run, By: run.Actor{Kind: run.System}, Do: run.Start{
		Input: input, Owner: s.Started.Owner, TestMode: s.Started.TestMode, Parent: &run.Parent{Run: r.id, Key: e.Key},
		Depth: s.Started.Depth + 1,
	}})
	switch {
	case rep.lost:
		if h.alive && h.leads {
			delete(l.started, owed{e.Key, false})
			h.again(r)
		}
	case rep.err != nil:
		h.report(r, run.Command{Do: run.Fail{Key: e.Key,
			Failure: run.Failure{Code: "invalid_input", Message: rep.err.Error()}}}, 0)
	case h.leads:
		h.tellParent(child, h.load(child), true)
	}
}

// cancelChild cancels a sub-run that is no longer needed.
func (h *host) cancelChild(r *record, l *loaded, e run.Effect, do run.CancelRun) {
	child, ok := h.w.store.runs[do.Run]
	if !ok || len(child.lines) == 0 {
		key := e.Key
		key.Kind = run.KeyStep // its end is reported under the step's key
		h.report(r, run.Command{Do: run.EndChild{Key: key, Status: run.Cancelled}}, 0)
		return
	}
	h.w.say("%s: cancels %s, for which %s no longer waits", h, do.Run, r.id)
	rep := h.handle(child, run.Command{ID: "cancel-" + do.Run, By: run.Actor{Kind: run.System},
		Do: run.Abort{Reason: "not awaited"}})
	switch {
	case rep.lost:
		if h.alive && h.leads {
			delete(l.started, owed{e.Key, true})
			h.again(r)
		}
	case h.leads:
		h.tellParent(child, h.load(child), true)
	}
}

// tellParent reports that a sub-run ended, or started or stopped waiting.
func (h *host) tellParent(r *record, l *loaded, again bool) {
	s := l.state
	if s.Started.Parent == nil || s.Seq == 0 || l.told == s.Status && !again || s.Forked != nil {
		return
	}
	parent, ok := h.w.store.runs[s.Started.Parent.Run]
	if !ok {
		return
	}
	first := l.told == ""
	l.told = s.Status
	key := s.Started.Parent.Key
	var do run.Operation
	switch {
	case s.Status.Ended():
		do = run.EndChild{Key: key, Status: s.Status, Output: s.Output, Error: s.Error}
	case first && s.Status != run.Waiting:
		return
	default:
		do = run.ChildWaits{Key: key, Waiting: s.Status == run.Waiting}
	}
	h.report(parent, run.Command{Do: do}, h.w.delay())
	if h.w.strikes(Duplicate, 0.2) {
		h.report(parent, run.Command{Do: do}, h.w.delay())
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
