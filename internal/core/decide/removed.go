package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// Deleting a run's payloads. The log stays, without the content that people and agents sent. A host appends
// PayloadsRemoved and then rewrites the earlier events with Strip, which is idempotent.

// forget deletes the payloads of an ended run.
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

// reasonMax limits the reason recorded for a deletion.
const reasonMax = 1000

// handleRemoved handles commands to a run whose payloads are deleted.
func (d *draft) handleRemoved() error {
	switch c := d.cmd.Do.(type) {
	case run.Forget, run.Tick:
		return nil // it is already done
	case run.Decide:
		if _, ok := d.FindApproval(c.Approval); ok {
			return d.decide(c) // names who decided
		}
		return notFound("approval", c.Approval)
	case run.Complete, run.Fail, run.CompleteTurn, run.CompleteCall, run.ChildWaits, run.Rebind, run.AnswerConsult,
		run.ReadForConsult, run.AnswerReplan:
		return stale()
	}
	return d.Removed.Refusal()
}
