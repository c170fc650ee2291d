package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
)

// dueKind says what is due. The order is the order in which things that are due
// at the same moment happen: gentle ones first.
type dueKind int

const (
	dueApproval dueKind = iota
	dueStarts           // something that waited to be tried again, or a limit to look at
	dueTry
	dueTurn
	dueCall
	dueConsult
	dueReplan
	dueRun
)

// due is one deadline.
type due struct {
	at    time.Time
	kind  dueKind
	step  int
	task  int
	n     int // approval, call or replan
	stamp int // try that it is about
}

// dues calls yield for every deadline of the run. NextDeadline and Tick share
// it, so what wakes a host is what it then finds.
func (s *State) dues(yield func(due)) {
	if s.Status.Ended() || s.Seq == 0 {
		return
	}
	add := func(d due) {
		if !d.at.IsZero() {
			yield(d)
		}
	}
	for _, n := range s.OpenApproval {
		if next, ok := s.Approvals[n].Next(); ok {
			add(due{at: next.At, kind: dueApproval, n: n})
		}
	}
	for _, i := range s.Active {
		if s.Steps[i].Status == RunningStep {
			s.stepDues(i, add)
		}
	}
	if s.Point.Asking {
		add(due{at: s.Point.Deadline, kind: dueConsult})
	}
	for _, r := range s.Replans {
		add(due{at: r.Deadline, kind: dueReplan, n: r.N})
	}
	if limit := s.plan.Timeout(); limit > 0 && !s.WorkSince.IsZero() {
		add(due{at: s.WorkSince.Add(limit - s.Worked), kind: dueRun})
	}
}

func (s *State) stepDues(i int, add func(due)) {
	held := s.Pause != nil || s.Cancelling != nil // nothing starts, so nothing waits to start
	p := s.Steps[i].Before
	// about all of its elements
	asked := p != nil && s.isMap(i) && slices.ContainsFunc(p.Asks, func(ask Ask) bool { return ask.Pending })
	for k, t := range s.Steps[i].Tasks {
		switch t.Status {
		case TaskBackoff:
			if !held && !asked {
				add(due{at: t.RetryAt, kind: dueStarts, step: i, task: k})
			}
		case TaskRunning:
			add(due{at: t.Deadline, kind: dueTry, step: i, task: k, stamp: t.Try})
			if t.Loop != nil {
				s.loopDues(i, k, held, add)
			}
		}
	}
}

func (s *State) loopDues(i, k int, held bool, add func(due)) {
	l := s.Steps[i].Tasks[k].Loop
	held = held || l.Limit != nil // people are asked first
	if l.Thinking {
		add(due{at: l.Deadline, kind: dueTurn, step: i, task: k, stamp: l.Try})
	} else if !held {
		add(due{at: l.RetryAt, kind: dueStarts, step: i, task: k})
	}
	for _, c := range l.Calls {
		switch {
		case c.Status == CallRunning:
			add(due{at: c.Deadline, kind: dueCall, step: i, task: k, n: c.No, stamp: c.Try})
		case c.Status == CallBackoff && !held:
			add(due{at: c.RetryAt, kind: dueStarts, step: i, task: k})
		}
	}
	warn, stop := l.moments(s.loopLimits(i, k))
	add(due{at: warn, kind: dueStarts, step: i, task: k})
	add(due{at: stop, kind: dueStarts, step: i, task: k})
}

// NextDeadline is when the run wants the next Tick.
func (s *State) NextDeadline() (at time.Time, ok bool) {
	s.dues(func(d due) {
		if at.IsZero() || d.at.Before(at) {
			at = d.at
		}
	})
	return at, !at.IsZero()
}

// ticksMax bounds how often one Tick looks again, so that it always ends.
const ticksMax = 1_000

// tick lets everything happen that is due, oldest first.
func (d *draft) tick() {
	if mutant.Is(mutant.DeadlineWins) {
		d.overrule()
	}
	for range ticksMax {
		var now []due
		d.dues(func(x due) {
			if !x.at.After(d.env.Now) {
				now = append(now, x)
			}
		})
		had := len(d.events)
		slices.SortStableFunc(now, func(a, b due) int {
			if c := a.at.Compare(b.at); c != 0 {
				return c
			}
			return int(a.kind) - int(b.kind)
		})
		for _, x := range now {
			if d.Status.Ended() {
				return
			}
			d.happen(x)
			d.drain()
		}
		if len(d.events) == had {
			return
		}
	}
}

// drain looks at the steps that were touched.
func (d *draft) drain() {
	for len(d.queue) > 0 && !d.Status.Ended() {
		i := d.queue[0]
		d.queue = d.queue[1:]
		d.nudge(i)
	}
}

// happen lets one due thing happen, if it still is due.
func (d *draft) happen(x due) {
	timeout := Failure{Code: "timeout", Message: "no answer in time", Transient: true}
	switch x.kind {
	case dueApproval:
		d.approvalDue(x.n)
	case dueStarts:
		d.touch(x.step)
	case dueTry:
		if t := d.taskIf(x.step, x.task); t != nil && t.Loop == nil && t.Try == x.stamp && !t.Deadline.After(d.env.Now) {
			if t.Child != "" {
				timeout.Transient = false
			}
			d.failTry(x.step, x.task, timeout)
		}
	case dueTurn:
		if t := d.taskIf(x.step, x.task); t != nil && t.Loop != nil && t.Loop.Thinking && t.Loop.Try == x.stamp {
			_ = d.retryTurn(x.step, x.task, timeout)
		}
	case dueCall:
		if t := d.taskIf(x.step, x.task); t != nil && t.Loop != nil {
			if c := t.Loop.call(x.n); c != nil && c.Status == CallRunning && c.Try == x.stamp {
				d.failCall(x.step, x.task, c, timeout)
				d.touch(x.step)
			}
		}
	case dueConsult:
		if d.Point.Asking {
			d.advised(AdviceRaw{Reasoning: "no answer in time"}, system)
		}
	case dueReplan:
		for _, r := range d.Replans {
			if r.N == x.n {
				d.replanned(r, AnswerReplan{Reason: "The search took too long."})
				break
			}
		}
	case dueRun:
		d.failRun(Failure{Code: "timeout", Message: "the run took longer than " + d.Plan().Timeout().String() +
			" of working time"})
	}
}

// approvalDue lets an approval remind, escalate, pause or time out.
func (d *draft) approvalDue(n int) {
	a := d.Approvals[n]
	next, ok := a.Next()
	if !ok || next.At.After(d.env.Now) {
		return
	}
	switch next.What {
	case gate.Reminds:
		d.emit(system, &ApprovalReminder{ID: a.ID})
	case gate.Escalates:
		d.emit(system, &ApprovalEscalated{ID: a.ID, To: next.To})
	case gate.Pauses:
		d.emit(system, &ApprovalPaused{ID: a.ID})
		d.pauseFor(a)
	case gate.TimesOut:
		then := a.Terms.Then
		if d.env.Stopped && then == gate.ThenApprove && !mutant.Is(mutant.SilenceDuringStop) {
			then = gate.ThenPause
		}
		d.emit(system, &ApprovalTimedOut{ID: a.ID, Then: then})
		switch o := a.OnTimeout(); {
		case then != a.Terms.Then:
			d.pauseFor(a)
		case o != nil:
			d.resolve(n, *o, system)
		case a.Terms.Then == gate.ThenPause:
			d.pauseFor(a)
		case a.Terms.Then == gate.ThenEscalate && a.Rungs < len(a.Terms.Escalate):
			d.emit(system, &ApprovalEscalated{ID: a.ID, To: a.Terms.Escalate[a.Rungs].To})
		}
	}
}

func (d *draft) pauseFor(a *gate.Approval) {
	if d.Pause == nil && d.Cancelling == nil {
		d.emit(system, &RunPaused{Reason: "no answer: " + a.Title, Approval: a.ID})
		d.warn("approval_waits", "approvals."+a.ID, "the run was paused because there was no answer: "+a.Title)
	}
}

// overrule is a planted bug: a deadline that counts although people decided in time.
func (d *draft) overrule() {
	for n, a := range d.Approvals {
		late := !a.Terms.Deadline.IsZero() && !a.Terms.Deadline.After(d.env.Now)
		if late && a.Status != gate.Pending && a.Status != gate.TimedOut && a.Status != gate.Cancelled {
			d.emit(system, &ApprovalTimedOut{ID: a.ID, Then: a.Terms.Then})
			d.resolve(n, gate.Outcome{Status: gate.TimedOut, Act: gate.Reject, Comment: "timed out without an answer"}, system)
		}
	}
}
