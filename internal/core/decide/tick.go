package decide

import (
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// ticksMax limits the iterations of one Tick, so that it always ends.
const ticksMax = 1_000

// tick handles everything that is due, oldest first.
func (d *draft) tick() {
	if mutant.Is(mutant.DeadlineWins) {
		d.overrule()
	}
	for range ticksMax {
		var now []machine.Due
		d.Dues(func(x machine.Due) {
			if !x.At.After(d.env.Now) {
				now = append(now, x)
			}
		})
		had := len(d.events)
		slices.SortStableFunc(now, func(a, b machine.Due) int {
			if c := a.At.Compare(b.At); c != 0 {
				return c
			}
			return int(a.Kind) - int(b.Kind)
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

// drain rechecks the steps that were touched.
func (d *draft) drain() {
	for len(d.queue) > 0 && !d.Status.Ended() {
		i := d.queue[0]
		d.queue = d.queue[1:]
		d.nudge(i)
	}
}

// happen handles one deadline, if it is still due.
func (d *draft) happen(x machine.Due) {
	timeout := run.Failure{Code: "timeout", Message: "no answer in time", Transient: true}
	switch x.Kind {
	case machine.DueApproval:
		d.approvalDue(x.N)
	case machine.DueStarts:
		d.touch(x.Step)
	case machine.DueTry:
		if t := d.taskIf(x.Step, x.Task); t != nil && t.Loop == nil && t.Try == x.Stamp && !t.Deadline.After(d.env.Now) {
			if t.Child != "" {
				timeout.Transient = false
			}
			d.failTry(x.Step, x.Task, timeout)
		}
	case machine.DueTurn:
		if t := d.taskIf(x.Step, x.Task); t != nil && t.Loop != nil && t.Loop.Thinking && t.Loop.Try == x.Stamp {
			d.retryTurn(x.Step, x.Task, timeout)
		}
	case machine.DueCall:
		if t := d.taskIf(x.Step, x.Task); t != nil && t.Loop != nil {
			if c := t.Loop.Call(x.N); c != nil && c.Status == loop.Running && c.Try == x.Stamp {
				d.failCall(x.Step, x.Task, c, timeout)
				d.touch(x.Step)
			}
		}
	case machine.DueConsultAgain:
		if p := &d.Point; p.Asking && !p.RetryAt.IsZero() && p.Deadline.After(d.env.Now) {
			d.emit(system, &run.ConsultStarted{N: p.No, Layer: p.Open, Deadline: p.Deadline, Failed: p.Failed,
				Try: max(p.Try, 1) + 1, Agent: p.Agent, For: p.For})
		}
	case machine.DueConsult:
		if d.Point.Asking {
			d.noAdvice("no answer in time", run.Usage{})
		}
	case machine.DueReplan:
		for _, r := range d.Replans {
			if r.N == x.N {
				d.replanned(r, run.AnswerReplan{Reason: "The search took too long."})
				break
			}
		}
	case machine.DueAhead:
		if a := d.AheadOf(x.Step); a != nil && a.Result == nil && !a.Deadline.After(d.env.Now) {
			d.failedAhead(a, run.Usage{})
		}
	case machine.DueRun:
		d.failRun(run.Failure{Code: "timeout", Message: "the run took longer than " + d.Plan().Timeout().String() +
			" of working time"})
	}
}

// approvalDue reminds, escalates, pauses or times out an approval.
func (d *draft) approvalDue(n int) {
	a := d.Approvals[n]
	next, ok := a.Next()
	if !ok || next.At.After(d.env.Now) {
		return
	}
	switch next.What {
	case gate.Reminds:
		d.emit(system, &run.ApprovalReminder{ID: a.ID})
	case gate.Escalates:
		d.emit(system, &run.ApprovalEscalated{ID: a.ID, To: next.To})
	case gate.Pauses:
		d.emit(system, &run.ApprovalPaused{ID: a.ID})
		d.pauseFor(a)
	case gate.TimesOut:
		then := a.Terms.Then
		if d.env.Stopped && then.Proceeds() && !mutant.Is(mutant.SilenceDuringStop) &&
			!(then == gate.ThenDefault && mutant.Is(mutant.DefaultDuringStop)) {
			then = gate.ThenPause
		}
		d.emit(system, &run.ApprovalTimedOut{ID: a.ID, Then: then})
		switch o := a.OnTimeout(); {
		case then != a.Terms.Then:
			d.pauseFor(a)
		case o != nil:
			d.resolve(n, *o, system)
		case a.Terms.Then == gate.ThenPause:
			d.pauseFor(a)
		case a.Terms.Then == gate.ThenEscalate && a.Rungs < len(a.Terms.Escalate):
			d.emit(system, &run.ApprovalEscalated{ID: a.ID, To: a.Terms.Escalate[a.Rungs].To})
		}
	}
}

func (d *draft) pauseFor(a *gate.Approval) {
	if d.Pause == nil && d.Cancelling == nil {
		d.emit(system, &run.RunPaused{Reason: "no answer: " + a.Title, Approval: a.ID})
		d.warn("approval_waits", "approvals."+a.ID, "the run was paused because there was no answer: "+a.Title)
	}
}

// overrule is a planted bug: a deadline that applies although people decided in time.
func (d *draft) overrule() {
	for n, a := range d.Approvals {
		late := !a.Terms.Deadline.IsZero() && !a.Terms.Deadline.After(d.env.Now)
		if late && a.Status != gate.Pending && a.Status != gate.TimedOut && a.Status != gate.Cancelled {
			d.emit(system, &run.ApprovalTimedOut{ID: a.ID, Then: a.Terms.Then})
			d.resolve(n, gate.Outcome{Status: gate.TimedOut, Act: gate.Reject, Comment: "timed out without an answer"}, system)
		}
	}
}
