package access

import (
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Permission is what a role can grant. The acts on approvals are permissions as well.
type Permission string

const (
	View      Permission = "view"
	Remark    Permission = "comment"
	Begin     Permission = "start"
	Command   Permission = "command"
	ReadAudit Permission = "audit"
	Sensitive Permission = "sensitive"
	Admin     Permission = "admin"
	decides   Permission = "decide" // every act
	all       Permission = "*"      // everything, like admin
)

// Action is something a subject may want to do. Every use case checks one of these; there are no others.
type Action string

const (
	See      Action = "see"       // a run and everything that belongs to it, an approval, figures
	Look     Action = "look"      // definitions, the policy and its effect
	Start    Action = "start"     // a run of a workflow
	Pause    Action = "pause"     // a run
	Resume   Action = "resume"    // a run
	Raise    Action = "raise"     // a limit at which a run stopped
	Cancel   Action = "cancel"    // a run
	Steer    Action = "steer"     // a run, in every other way
	Fork     Action = "fork"      // a run
	Comment  Action = "comment"   // on an approval
	Review   Action = "review"    // automatic approvals
	Write    Action = "write"     // definitions and the policy
	Stop     Action = "stop"      // all automatic approvals
	Expire   Action = "expire"    // unanswered approvals
	Access   Action = "access"    // accounts and tokens
	Audit    Action = "audit"     // read the audit log
	StandIn  Action = "stand_in"  // set a stand-in for another person
	Explain  Action = "explain"   // explain what another person may do
	Unmasked Action = "see_plain" // values that are masked for others
	Forget   Action = "forget"    // the payloads of a run
	Learned  Action = "learned"   // what runs taught: read all of it, forget, rebuild
)

// Reach is the scope a role must cover for an action.
type Reach string

const (
	OfWorkflow Reach = "workflow"      // the workflow in question
	Anywhere   Reach = "any workflow"  // at least one workflow
	Everywhere Reach = "all workflows" // it affects everyone
)

// Principals are the kinds of principal that may take an action at all, whatever their roles. The zero value is
// the strictest: people.
type Principals string

const (
	People   Principals = ""         // deciding, and granting others the power to decide
	Programs Principals = "programs" // services as well, such as CI
	Anyone   Principals = "anyone"   // agents as well
)

// include reports whether a kind of principal is included. An unknown kind never is.
func (p Principals) include(kind run.ActorKind) bool {
	switch kind {
	case run.Person:
		return true
	case run.Service:
		return p == Programs || p == Anyone
	case run.Agent:
		return p == Anyone
	}
	return false
}

// Row is what an action requires.
type Row struct {
	Action Action
	Does   string       // for people, after "may not"
	Needs  []Permission // all of them
	On     Reach
	Kinds  bool // the role must also cover the approval's kind, and the approval must ask
	Owner  bool // the run's owner needs no role
	Asked  bool // nor does a person the approval asks by name
	Self   bool // nor does the person it concerns
	Tries  bool // in local mode, callers without roles, or with undefined roles, may
	By     Principals
}

// Table lists every action and what it requires.
var Table = append([]Row{
	{Action: See, Does: "see this", Needs: []Permission{View}, On: OfWorkflow, Owner: true, Asked: true,
		Tries: true, By: Anyone},
	{Action: Look, Does: "see definitions", Needs: []Permission{View}, On: Anywhere, Tries: true, By: Anyone},
	{Action: Start, Does: "start runs of this workflow", Needs: []Permission{Begin}, On: OfWorkflow,
		Tries: true, By: Anyone},
	{Action: Pause, Does: "pause this run", Needs: []Permission{Command}, On: OfWorkflow, Owner: true,
		Tries: true, By: Anyone},
	{Action: Resume, Does: "resume this run", Needs: []Permission{Command}, On: OfWorkflow, Owner: true,
		Tries: true, By: Anyone},
	{Action: Raise, Does: "raise the limits of this run", Needs: []Permission{Command, Permission(gate.Approve)},
		On: OfWorkflow, Tries: true},
	{Action: Cancel, Does: "cancel this run", Needs: []Permission{Command}, On: OfWorkflow, Owner: true,
		Tries: true, By: Anyone},
	{Action: Steer, Does: "steer runs of this workflow", Needs: []Permission{Command}, On: OfWorkflow,
		Tries: true, By: Anyone},
	{Action: Fork, Does: "fork runs of this workflow", Needs: []Permission{Command, Begin}, On: OfWorkflow,
		Tries: true, By: Anyone},
	{Action: Comment, Does: "comment on this", Needs: []Permission{Remark}, On: OfWorkflow, Asked: true,
		Tries: true, By: Programs},
	{Action: Review, Does: "review automatic approvals", Needs: []Permission{Permission(gate.Approve)},
		On: OfWorkflow, Tries: true},
	{Action: Write, Does: "change definitions", Needs: []Permission{Admin}, On: Everywhere, By: Programs},
	{Action: Stop, Does: "stop or allow automatic approvals", Needs: []Permission{Admin}, On: Everywhere, By: Programs},
	{Action: Expire, Does: "expire approvals", Needs: []Permission{Admin}, On: Everywhere},
	{Action: Access, Does: "manage accounts and tokens", Needs: []Permission{Admin}, On: Everywhere},
	{Action: Audit, Does: "read the audit log", Needs: []Permission{ReadAudit}, On: Everywhere, By: Anyone},
	{Action: StandIn, Does: "set a stand-in for someone else", Needs: []Permission{Admin}, On: Everywhere, Self: true},
	{Action: Explain, Does: "see what another person may do", Needs: []Permission{Admin}, On: Everywhere,
		Self: true, By: Anyone},
	{Action: Forget, Does: "delete the payloads of a run", Needs: []Permission{Admin}, On: Everywhere, By: Programs},
	{Action: Learned, Does: "manage what was learned from runs", Needs: []Permission{Admin}, On: Everywhere, By: Programs},
	{Action: Unmasked, Does: "see masked values", Needs: []Permission{Sensitive}, On: OfWorkflow, Owner: true, By: Anyone},
}, acts()...)

// Actions lists every action.
var Actions = func() []Action {
	out := make([]Action, len(Table))
	for i, row := range Table {
		out[i] = row.Action
	}
	return out
}()

// acts are the rows of the acts on approvals.
func acts() []Row {
	out := make([]Row, len(gate.Acts))
	for i, act := range gate.Acts {
		out[i] = Row{Action: Action(act), Does: "decide approvals", Needs: []Permission{Permission(act)}, On: OfWorkflow,
			Kinds: true, Asked: true, Tries: true}
	}
	return out
}

var rows = func() map[Action]Row {
	out := make(map[Action]Row, len(Table))
	for _, row := range Table {
		out[row.Action] = row
	}
	return out
}()
