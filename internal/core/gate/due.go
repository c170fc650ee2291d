package gate

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/value"
)

// TimedEvent is a time-driven event of an approval.
type TimedEvent string

const (
	Reminds   TimedEvent = "reminds"
	Escalates TimedEvent = "escalates"
	Pauses    TimedEvent = "pauses"
	TimesOut  TimedEvent = "times_out"
)

// Due is a time that has come, or will.
type Due struct {
	At   time.Time
	What TimedEvent
	To   string // for an escalation
}

// Next returns the approval's earliest due event; false if it only waits for people. Ties go to the milder
// one: remind, escalate, pause, time out.
func (a *Approval) Next() (Due, bool) {
	var next Due
	if a.Status != Pending {
		return next, false
	}
	consider := func(d Due) {
		if !d.At.IsZero() && (next.At.IsZero() || d.At.Before(next.At)) {
			next = d
		}
	}
	if a.PauseAt.IsZero() || a.RemindAt.Before(a.PauseAt) { // the pause serves as the reminder
		consider(Due{At: a.RemindAt, What: Reminds})
	}
	if a.Rungs < len(a.Terms.Escalate) {
		rung := a.Terms.Escalate[a.Rungs]
		consider(Due{At: rung.At, What: Escalates, To: rung.To})
	}
	consider(Due{At: a.PauseAt, What: Pauses})
	consider(Due{At: a.DeadlineAt, What: TimesOut})
	return next, !next.At.IsZero()
}

// Pass applies a due event that has happened.
func (a *Approval) Pass(what TimedEvent, to string, at time.Time) {
	switch what {
	case Reminds:
		a.RemindAt = at.Add(a.Terms.Remind) // counted from when it was sent: after a long outage one is sent, not ten
	case Escalates:
		a.escalateTo(to)
	case Pauses:
		a.PauseAt, a.RemindAt = time.Time{}, time.Time{}
	case TimesOut:
		a.DeadlineAt = time.Time{}
	}
}

// OnTimeout returns the outcome when the deadline passes, or nil if the approval stays open (pause,
// escalate).
func (a *Approval) OnTimeout() *Outcome {
	o := &Outcome{Status: TimedOut, Comment: "timed out without an answer"}
	switch a.Terms.Then {
	case ThenApprove:
		o.Act = Approve
		if !value.Equal(a.Current, a.Proposed) { // the proposal was modified before the deadline
			o.Act, o.Proposed = Modify, a.Current
		}
	case ThenReject:
		o.Act = Reject
	case ThenCancel:
		o.Act, o.Cancel = Reject, true
	case ThenDefault:
		a.answerDefault(o)
	default:
		return nil
	}
	return o
}

func (a *Approval) answerDefault(o *Outcome) {
	switch a.Kind {
	case KindChoice:
		o.Act = Choose
		o.Option, _ = value.Text(a.Terms.Default)
	case KindInput:
		o.Act, o.Data = Submit, a.Terms.Default
		o.Proposed = Fill(a.Current, a.Terms.Default)
	default:
		o.Act = Approve
		if value.KindOf(a.Terms.Default) == value.KindObject {
			o.Proposed = json.RawMessage(value.MergePatch(a.Current, a.Terms.Default))
		}
	}
}
