// Package run is the vocabulary of a run: what people and hosts ask of it, what
// happens in it, and what it wants done.
//
//	run.Command{By: ann, Do: run.Cancel{}}      // asked for: command.go
//	&run.StepStarted{Step: "draft", Try: 1}     // happened: fact.go; an Event is a fact in its log
//	run.Invoke{Step: "draft", Agent: "writer"}  // to be done now: effect.go, under a permanent Key
//
// Nothing here decides anything. Package machine folds events into a state and
// derives effects from it; package decide turns commands into events.
//
// Facts and their fields are append-only, because logs outlive releases. Tags
// name what each field holds, and Strip removes payloads by them.
package run

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

// Settled reports whether those that need the step may look at it.
func (s StepStatus) Settled() bool {
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
