package notify

import (
	"slices"

	"github.com/assent-run/assent/internal/port"
)

// Event is what a notification is about.
type Event string

const (
	ApprovalNeeded       Event = "approval.needed"
	ApprovalReminder     Event = "approval.reminder"
	ApprovalEscalated    Event = "approval.escalated"
	ApprovalTimedOut     Event = "approval.timed_out"
	ApprovalResolved     Event = "approval.resolved"
	ApprovalAutoApproved Event = "approval.auto_approved"
	RunCompleted         Event = "run.completed"
	RunFailed            Event = "run.failed" // also: it reached a limit
	RunPaused            Event = "run.paused" // by someone other than its owner
	DeliverableCreated   Event = "deliverable.created"
	LimitWarning         Event = "limit.warning"
)

// asks reports whether an event asks for a decision. The others say what happened.
func (e Event) asks() bool { return slices.Contains(port.AskingEvents, string(e)) }

// Events lists them all. Their names are those of the events in the log that cause most of them.
var Events = []Event{ApprovalNeeded, ApprovalReminder, ApprovalEscalated, ApprovalTimedOut, ApprovalResolved,
	ApprovalAutoApproved, RunCompleted, RunFailed, RunPaused, DeliverableCreated, LimitWarning}
