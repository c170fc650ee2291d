package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// Removing what a run holds. The log stays, and so does what happened; what
// people and agents sent goes. A host appends PayloadsRemoved and then rewrites
// the events before it with Strip, as often as it takes.

// forget lets go of what an ended run holds.
func (d *draft) forget(c run.Forget) error {
	switch {
	case c.Reason == "":
		return fault.Of("the request is not valid",
			[]fault.Problem{{Path: "reason", Message: "a reason is required; it is kept in the audit log"}})
	case len(c.Reason) > reasonMax:
		return fault.Of("the request is not valid",
			[]fault.Problem{{Path: "reason", Message: fmt.Sprintf("at most %d bytes", reasonMax)}})
	case len(d.Children) > 0:
		return fault.New(fault.Conflict, "a sub-run of this run is still running", "wait for it, or cancel it")
	}
	d.emit(d.cmd.By, &run.PayloadsRemoved{Reason: c.Reason})
	return nil
}

// reasonMax bounds what stays on record about a removal.
const reasonMax = 1000

// handleRemoved answers commands to a run that holds nothing any more.
func (d *draft) handleRemoved() error {
	switch c := d.cmd.Do.(type) {
	case run.Forget, run.Tick:
		return nil // it is as somebody wants it
	case run.Decide:
		if _, ok := d.FindApproval(c.Approval); ok {
			return d.decide(c) // says who decided
		}
		return notFound("approval", c.Approval)
	case run.Complete, run.Fail, run.CompleteTurn, run.CompleteCall, run.ChildWaits, run.AnswerConsult, run.AnswerReplan:
		return stale()
	}
	return d.Removed.Refusal()
}
