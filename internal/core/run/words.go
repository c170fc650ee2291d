// Package run is the state machine of one run: what may happen, what happened,
// and what is owed to the world because of it.
//
//	commands ──Handle──▶ events ──append──▶ log ──Apply──▶ State ──Effects──▶ what should be going on
//
// Three functions, not one. Handle decides and never mutates; Apply remembers
// and never decides; Effects derives from the state what should be going on
// right now. A host that crashed folds the log and asks Effects again: there is
// no second path for recovery.
//
//	events, err := s.Handle(run.Env{Now: now, Judge: policy}, run.Command{By: ann, Do: run.Cancel{}})
//	// append events to the log, guarded by their Seq; then:
//	for _, e := range events { s.Apply(e) }
//	for _, owed := range s.Effects() { start what is missing, stop what is not listed }
//
// Time is an argument, ids are derived, keys name obligations for ever. Nothing
// here reads a clock, starts a goroutine or rolls dice.
package run

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
)

// Status is where a run stands.
type Status string

const (
	Running      Status = "running"
	Waiting      Status = "waiting" // nothing can move until somebody decides
	Paused       Status = "paused"
	Completed    Status = "completed"
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
	LimitReached Status = "limit_reached"
)

// Ended reports whether nothing more will happen by itself.
func (s Status) Ended() bool {
	return s == Completed || s == Failed || s == Cancelled || s == LimitReached
}

// StepStatus is where a step stands.
type StepStatus string

const (
	PendingStep   StepStatus = "pending"
	RunningStep   StepStatus = "running"
	WaitingStep   StepStatus = "waiting"
	DoneStep      StepStatus = "done"
	FailedStep    StepStatus = "failed"
	SkippedStep   StepStatus = "skipped"
	CancelledStep StepStatus = "cancelled"
)

// settled reports whether those that need the step may look at it.
func (s StepStatus) settled() bool {
	return s == DoneStep || s == FailedStep || s == SkippedStep || s == CancelledStep
}

// ActorKind says what sort of actor did something.
type ActorKind string

const (
	Person  ActorKind = "person"
	Service ActorKind = "service"
	Agent   ActorKind = "agent"
	Policy  ActorKind = "policy"
	System  ActorKind = "system"
)

var system = Actor{Kind: System}

// Limits. "A limit on everything": each has a test at and over.
const (
	OutputMax    = 10 << 20 // bytes of one output
	OutputWarn   = 5 << 20
	ElementsMax  = 10_000 // of a map
	CallsMax     = 128    // in one turn
	TurnsMax     = 500    // of a loop without a limit of its own
	RevisionsMax = 100    // of one step
	DepthMax     = 16     // of sub-runs
	CommentsMax  = 200    // of one approval
	TextMax      = 64 << 10
	CommandsMax  = 100_000 // answered by one run
	CallTries    = 3
	InputsMax    = 8         // times a tool may ask people about one call
	InputMax     = 256 << 10 // bytes of the form and the state of one such question
	ReboundsMax  = 5         // times a tool may change while one call is about to run
	MessagesMax  = 200       // between the agents of one run
	MessageMax   = 8 << 10   // bytes of one such message
	UnreadMax    = 50        // messages that a piece of work begins with, the newest
	MendsMax     = 2         // times a model may mend an output that does not fit
)

const (
	consultTimeout   = 60 * time.Second
	replanTimeout    = 60 * time.Second
	remindDefault    = 24 * time.Hour
	pauseDefault     = 72 * time.Hour
	confidenceSure   = 0.9
	confidenceUnsure = 0.7
)

// Judge is the policy in force. A verdict is recorded and never asked for again
// about the same thing.
type Judge interface {
	Judge(now time.Time, s policy.Subject) policy.Verdict
}

// Env is the world as Handle may see it.
type Env struct {
	Now   time.Time
	Judge Judge // nil: no policy
	// Stopped says that the emergency stop is on: silence approves nothing.
	Stopped bool
	// Elsewhere says what acts of other runs add up to, if that is known; nil: it
	// is not.
	Elsewhere func(Elsewhere) (tallies []Tally, known bool)
	// InForce lists what an agent or a sub-workflow would use now, by kind and
	// name; nil: the host keeps no versions.
	InForce func(kind, name string) []gate.Implementation
}
