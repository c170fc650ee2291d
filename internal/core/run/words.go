// Package run is the vocabulary of a run: commands from people and hosts, facts that are recorded, and
// effects to carry out.
//
//	run.Command{By: ann, Do: run.Cancel{}}      // asked for: command.go
//	&run.StepStarted{Step: "draft", Try: 1}     // happened: fact.go; an Event is a fact in its log
//	run.Invoke{Step: "draft", Agent: "writer"}  // to be done now: effect.go, under a permanent Key
//
// This package decides nothing. Package machine folds events into a state and derives effects from it;
// package decide turns commands into events.
//
// Facts and their fields are append-only, because logs outlive releases. Tags declare what each field holds,
// and Strip uses them to remove payloads.
package run

// Status is the status of a run.
type Status string

const (
	Running      Status = "running"
	Waiting      Status = "waiting" // blocked on a decision
	Paused       Status = "paused"
	Completed    Status = "completed"
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
	LimitReached Status = "limit_reached"
)

// Ended reports whether the run has ended.
func (s Status) Ended() bool {
	return s == Completed || s == Failed || s == Cancelled || s == LimitReached
}

// StepStatus is the status of a step.
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

// Settled reports whether dependent steps may proceed.
func (s StepStatus) Settled() bool {
	return s == DoneStep || s == FailedStep || s == SkippedStep || s == CancelledStep
}

// ActorKind is the kind of an actor.
type ActorKind string

const (
	Person   ActorKind = "person"
	Service  ActorKind = "service"
	Agent    ActorKind = "agent"
	Schedule ActorKind = "schedule"
	Trigger  ActorKind = "trigger"
	Policy   ActorKind = "policy"
	System   ActorKind = "system"
)

// Limits. Each is tested at and over.
const (
	OutputMax    = 10 << 20 // bytes of one output
	OutputWarn   = 5 << 20
	ElementsMax  = 10_000 // of a map
	CallsMax     = 128    // in one turn
	TurnsMax     = 500    // of a loop without its own limit
	RevisionsMax = 100    // of one step
	DepthMax     = 16     // of sub-runs
	CommentsMax  = 200    // of one approval
	TextMax      = 64 << 10
	CommandsMax  = 100_000 // remembered per run
	CallTries    = 3
	InputsMax    = 8         // how often a tool may ask people about one call
	InputMax     = 256 << 10 // bytes of the form and state of one such question
	ReboundsMax  = 5         // how often a tool may change while one call is about to run
	MessagesMax  = 200       // between the agents of one run
	MessageMax   = 8 << 10   // bytes of one such message
	UnreadMax    = 50        // messages passed to a new piece of work, the newest ones
	AheadMax     = 3         // how often one step may run ahead
	MendsMax     = 2         // how often a model may fix an output that does not match
)
