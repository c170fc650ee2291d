package run

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
)

// Fact is something that happened: one of the types below. Their names and fields are append-only across
// releases, because logs are permanent.
type Fact interface{ Type() string }

// Event is a fact at its position in the run's log.
type Event struct {
	Run   string
	Seq   int64
	At    time.Time
	Actor Actor
	Cause string // the id of the command that caused it, if any
	Fact  Fact
}

// Spot identifies the position of an approval in a run.
type Spot struct {
	At    SpotAt `json:"at" holds:"id"`
	Step  string `json:"step,omitempty" holds:"id"`
	Index *int   `json:"index,omitempty"`
	Call  int    `json:"call,omitempty"` // call number within the loop
	Layer int    `json:"layer,omitempty"`
	// Replan is the number of the search whose steps are proposed.
	Replan int `json:"replan,omitempty"`
}

// Element is the index of the map element that a spot refers to, -1 otherwise.
func (s Spot) Element() int {
	if s.Index == nil {
		return -1
	}
	return *s.Index
}

// Index is the index of an element; -1: none.
func Index(element int) *int {
	if element < 0 {
		return nil
	}
	return &element
}

// SpotAt is the kind of spot.
type SpotAt string

const (
	AtStart  SpotAt = "start"
	AtBefore SpotAt = "before"
	AtAfter  SpotAt = "after"
	AtCall   SpotAt = "call"
	AtEnd    SpotAt = "end"
	AtLayer  SpotAt = "layer"
	AtLimit  SpotAt = "limit"
	AtReplan SpotAt = "replan"
)

// Runs.
type (
	// RunStarted is recorded when a run is created. It is the first event of every log.
	RunStarted struct {
		Workflow   string            `json:"workflow" holds:"id"`
		Version    int               `json:"version"`               // version of the workflow
		Definition string            `json:"definition" holds:"id"` // digest of the workflow and agents that the run uses
		Input      json.RawMessage   `json:"input" holds:"payload"`
		Owner      string            `json:"owner,omitempty" holds:"id"`
		Labels     map[string]string `json:"labels,omitempty" holds:"labels"`
		TestMode   bool              `json:"test_mode,omitempty"`
		RetryOf    string            `json:"retry_of,omitempty" holds:"id"`
		Parent     *Parent           `json:"parent,omitempty"`
		Depth      int               `json:"depth,omitempty"`
		Held       bool              `json:"held,omitempty"` // people are asked before anything runs
		// Family is the first run of those that belong together: sub-runs, retries and forks.
		// The policy adds up their amounts.
		Family string `json:"family,omitempty" holds:"id"`
		// Trace is the traceparent that the run was started with.
		Trace string `json:"trace,omitempty" holds:"id"`
	}
	// RunForked is recorded when a run is forked. It ends the part of the log that was
	// copied from the other run.
	RunForked struct {
		From  string `json:"from" holds:"id"`
		AtSeq int64  `json:"at_seq"`
		Owner string `json:"owner,omitempty" holds:"id"` // the person who forked it
		Edits Edits  `json:"edits,omitzero"`
		// Family is the same as that of the run it was forked from.
		Family string `json:"family,omitempty" holds:"id"`
	}
	// RunWaiting is recorded when nothing can continue until a person decides.
	RunWaiting struct{}
	// RunResumed is recorded when a waiting run continues because a decision came in.
	RunResumed struct{}
	// RunPaused is recorded when a person pauses the run, an approval is not answered in time
	// and its deadline pauses, or the agent in the loop gives no usable answer and its fallback is pause.
	RunPaused struct {
		Reason   string `json:"reason,omitempty" holds:"text"`
		Approval string `json:"approval,omitempty" holds:"id"` // The unanswered approval that paused the run.
	}
	// RunUnpaused is recorded when a paused run is resumed.
	RunUnpaused struct{}
	// RunReopened is recorded when a run that failed or reached a limit is resumed from
	// its last good state.
	RunReopened struct{}
	// RunCancelling is recorded when a person cancels the run. Work in progress still
	// finishes; run.cancelled follows.
	RunCancelling struct {
		Reason string `json:"reason,omitempty" holds:"text"`
	}
	// RunCompleted is recorded when the last step is done and accepted.
	RunCompleted struct {
		Output json.RawMessage `json:"output" holds:"payload"`
	}
	// RunFailed is recorded when a step fails after all retries, a rejection fails the
	// run, or the run's timeout is up.
	RunFailed struct {
		Error Failure `json:"error"`
	}
	// RunCancelled is recorded when the run has stopped after a cancellation, a rejection
	// or a deadline that cancels.
	RunCancelled struct {
		Reason string `json:"reason,omitempty" holds:"text"`
	}
	// RunLimitReached is recorded when an agent uses up its limit and the run ends.
	RunLimitReached struct {
		Step    string    `json:"step" holds:"id"`
		Index   *int      `json:"index,omitempty"`
		Agent   string    `json:"agent,omitempty" holds:"id"`
		Limit   LimitKind `json:"limit" holds:"id"`
		Current int64     `json:"current,omitempty"` // in nanoseconds, billionths of a dollar, or turns
		Max     int64     `json:"max,omitempty"`     // in the same unit
	}
	// PayloadsRemoved is recorded when the payloads of a finished run are permanently
	// deleted. Earlier events keep their shape without the values.
	PayloadsRemoved struct {
		Reason string `json:"reason" holds:"text,kept"`
	}
	// WarningRaised is recorded for a problem that people should know about and that did not
	// fail the run.
	WarningRaised struct{ Warning }
	// SnapshotSaved is recorded when a snapshot is taken, from which the run can be forked or
	// resumed: by a command or, if set by the workflow, after each step or layer.
	SnapshotSaved struct {
		Step  string `json:"step,omitempty" holds:"id"`
		Layer *int   `json:"layer,omitempty"`
	}
	// StateUpdated is recorded when an answer at a gate becomes part of the context that
	// later steps see. A stream with state=true also sends one after each step, which is not
	// in the log and has the fields step, seq and state instead.
	StateUpdated struct {
		Gate  string          `json:"gate" holds:"id"`
		Value json.RawMessage `json:"value" holds:"payload"`
	}
)

// Steps.
type (
	// LayerStarted is recorded when steps of the next layer of the plan become ready.
	LayerStarted struct {
		Layer int      `json:"layer"`
		Steps []string `json:"steps" holds:"id"`
	}
	// StepStarted is recorded when an attempt at a step, or at one element of a map, starts.
	StepStarted struct {
		Step     string    `json:"step" holds:"id"`
		Index    *int      `json:"index,omitempty"`
		Rev      int       `json:"rev,omitempty"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
		Child    string    `json:"child,omitempty" holds:"id"`
		// Judged is true if the policy was evaluated again just before, because the step had
		// been approved or tried earlier.
		Judged bool `json:"judged,omitempty"`
		// Counted is what it adds to the sums of the policy.
		Counted *Counted `json:"counted,omitempty"`
	}
	// StepRebound is recorded when an agent, MCP server or sub-workflow changed after
	// a step was approved. The step has not run; those who approved it are asked again.
	StepRebound struct {
		Step           string                `json:"step" holds:"id"`
		Index          *int                  `json:"index,omitempty"`
		Changed        []gate.VersionChange  `json:"changed,omitempty"`
		Implementation []gate.Implementation `json:"implementation,omitempty"`
		// Act is the key of the work, which no longer counts in the sums of the policy.
		Act string `json:"act,omitempty" holds:"id"`
	}
	// StepExpanded is recorded when a map starts and its list is known.
	StepExpanded struct {
		Step  string `json:"step" holds:"id"`
		Count int    `json:"count"`
		Rev   int    `json:"rev,omitempty"`
		// Keeps is true if completed elements are kept.
		Keeps bool `json:"keeps,omitempty"`
	}
	// StepReturned is recorded when an agent returns a result that needs approval.
	StepReturned struct {
		Step   string `json:"step" holds:"id"`
		Index  *int   `json:"index,omitempty"`
		Result Result `json:"result"`
	}
	// StepCompleted is recorded when a step is done. It contains the result unless step.returned
	// did, or the result is the list of a map's elements.
	StepCompleted struct {
		Step   string  `json:"step" holds:"id"`
		Result *Result `json:"result,omitempty"`
	}
	// ElementCompleted is recorded when one element of a map is done.
	ElementCompleted struct {
		Step   string  `json:"step" holds:"id"`
		Index  int     `json:"index"`
		Result *Result `json:"result,omitempty"`
	}
	// StepRetrying is recorded when an attempt failed and will be retried.
	StepRetrying struct {
		Step    string    `json:"step" holds:"id"`
		Index   *int      `json:"index,omitempty"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	// StepFailed is recorded when a step has failed after all retries.
	StepFailed struct {
		Step  string  `json:"step" holds:"id"`
		Error Failure `json:"error"`
		// Goes is true if the run continues without the step.
		Goes bool `json:"goes_on,omitempty"`
	}
	// StepSkipped is recorded when a step will not run.
	StepSkipped struct {
		Step string     `json:"step" holds:"id"`
		Why  SkipReason `json:"why" holds:"id"`
		// The approvals and gates that the person who skipped it could have answered.
		LeftOut []string `json:"left_out,omitempty" holds:"id"`
		// The person for whom a stand-in skipped it.
		OnBehalfOf string `json:"on_behalf_of,omitempty" holds:"id"`
	}
	// StepRevised is recorded when work is sent back to its agent with feedback.
	StepRevised struct {
		Step     string `json:"step" holds:"id"`
		Index    *int   `json:"index,omitempty"`
		Rev      int    `json:"rev"`
		Guidance string `json:"guidance" holds:"text"`
		// The later steps that run again.
		Redo []string `json:"redo,omitempty" holds:"id"`
	}
	// StepArgsChanged is recorded when a person changes the input of a step that has not
	// started.
	StepArgsChanged struct {
		Step    string          `json:"step" holds:"id"`
		Changes json.RawMessage `json:"changes" holds:"payload"`
	}
	// ChildWaiting is recorded when a sub-run starts or stops waiting for a decision.
	ChildWaiting struct {
		Step    string `json:"step" holds:"id"`
		Index   *int   `json:"index,omitempty"`
		Waiting bool   `json:"waiting"`
	}
	// ChildEnded is recorded when a sub-run ends after the step that started it.
	ChildEnded struct {
		Run    string `json:"run" holds:"id"`
		Status Status `json:"status" holds:"id"`
	}
	// ReviewSuggested is recorded when a result is accepted with a confidence between the
	// threshold and 0.9, so that it can be reviewed later.
	ReviewSuggested struct {
		Step       string  `json:"step" holds:"id"`
		Index      *int    `json:"index,omitempty"`
		Confidence float64 `json:"confidence"`
	}
	// DeliverableCreated is recorded when an agent creates a deliverable or a new version
	// of one.
	DeliverableCreated struct {
		Step        string      `json:"step" holds:"id"`
		Agent       string      `json:"agent,omitempty" holds:"id"`
		Deliverable Deliverable `json:"deliverable"`
	}
	// DeliverableMarked is recorded when the status of a deliverable changes.
	DeliverableMarked struct {
		ID     string `json:"id" holds:"id"`
		Name   string `json:"name" holds:"text"`
		Status string `json:"status" holds:"id"`
		Was    string `json:"was" holds:"id"`
	}
	// PlanChanged is recorded when steps are added to the plan of a run.
	PlanChanged struct {
		Steps  []plan.Step           `json:"steps"`
		Agents map[string]plan.Agent `json:"agents,omitempty" holds:"id"`
		Why    string                `json:"why,omitempty" holds:"text"`
		// AtPoint is true if people changed the plan at a decision point.
		AtPoint bool `json:"at_point,omitempty"`
		// The new steps, by id.
		Added []string `json:"added,omitempty" holds:"id"`
		// The existing steps whose needs changed.
		Rewired []Rewired `json:"rewired,omitempty"`
		// Because is why each new step was chosen, if they were found by a search.
		Because []Because `json:"because,omitempty"`
	}
)

// Steps that run ahead of an approval.
type (
	// StepSpeculated is recorded when a step starts ahead of open approvals, on the
	// assumption that they are approved as shown.
	StepSpeculated struct {
		Step      string          `json:"step" holds:"id"`
		Rev       int             `json:"rev,omitempty"`
		Input     json.RawMessage `json:"input" holds:"payload"` // its input if they are approved
		Approvals []string        `json:"approvals" holds:"id"`  // the open approvals
		Deadline  time.Time       `json:"deadline,omitzero"`
		// The documents it uses. If one changes, the result is not used.
		Implementation []gate.Implementation `json:"implementation,omitempty"`
	}
	// SpeculationReturned is recorded when a step that ran ahead has a result. Other steps
	// cannot see it until it is used.
	SpeculationReturned struct {
		Step   string `json:"step" holds:"id"`
		Result Result `json:"result"`
	}
	// SpeculationUsed is recorded when a step starts with exactly the input that it ran
	// ahead with. Its result follows as soon as it is available.
	SpeculationUsed struct {
		Step string `json:"step" holds:"id"`
	}
	// SpeculationDiscarded is recorded when the result of a step that ran ahead will not be
	// used. If the step is still needed, it runs again under another key.
	SpeculationDiscarded struct {
		Step string `json:"step" holds:"id"`
		Rev  int    `json:"rev"` // the next revision of the step
		// Why is the reason; used does not occur here.
		Why AheadEnd `json:"why" holds:"id"`
		// Usage is the part of its cost that is not in the result.
		Usage Usage `json:"usage,omitzero"`
	}
)

// AheadEnd is what became of a step that ran ahead.
type AheadEnd string

const (
	AheadUsed    AheadEnd = "used"
	AheadChanged AheadEnd = "changed" // the decision, or something else, differs from the assumption
	AheadFailed  AheadEnd = "failed"
	AheadEnded   AheadEnd = "ended"   // the run ended, or is being cancelled
	AheadStopped AheadEnd = "stopped" // the emergency stop
)

// SkipReason is why a step did not run.
type SkipReason string

const (
	SkipIf       SkipReason = "if"       // its condition was false
	SkipNeed     SkipReason = "need"     // a step it needs failed
	SkipCommand  SkipReason = "command"  // skipped by a person
	SkipRejected SkipReason = "rejected" // rejected, and the run continues
)

// Approvals.
type (
	// ApprovalNeeded is recorded when an approval opens.
	ApprovalNeeded struct {
		Spot    Spot         `json:"spot"`
		Want    string       `json:"want" holds:"id"`        // the gate, rule or limit that requires it
		Content string       `json:"content" holds:"digest"` // digest of the subject
		Request gate.Request `json:"request"`
	}
	// ApprovalAutoApproved is recorded when a rule of the policy approves without asking.
	ApprovalAutoApproved struct {
		Spot    Spot         `json:"spot"`
		Want    string       `json:"want" holds:"id"`
		Content string       `json:"content" holds:"digest"`
		Request gate.Request `json:"request"`
		Reason  string       `json:"reason" holds:"text"`
		Sample  bool         `json:"sample,omitempty"`
		Notify  bool         `json:"notify,omitempty"`
	}
	// ApprovalDecided is recorded for each decision by a person.
	ApprovalDecided struct {
		ID       string        `json:"id" holds:"id"`
		Decision gate.Decision `json:"decision"`
		// The agents that a change to the plan may use, as they were at the time.
		Agents map[string]plan.Agent `json:"agents,omitempty" holds:"id"`
	}
	// ApprovalResolved is recorded when an approval is settled by decisions, a deadline or
	// a cancellation.
	ApprovalResolved struct {
		ID      string       `json:"id" holds:"id"`
		Spot    Spot         `json:"spot"`
		Outcome gate.Outcome `json:"outcome"`
		Content string       `json:"content,omitempty" holds:"digest"` // digest of what was accepted
	}
	// ApprovalCommented is recorded when a person comments on an approval.
	ApprovalCommented struct {
		ID   string `json:"id" holds:"id"`
		Text string `json:"text" holds:"text"`
	}
	// ApprovalReminder is recorded when a reminder is due for a pending approval.
	ApprovalReminder struct {
		ID string `json:"id" holds:"id"`
	}
	// ApprovalEscalated is recorded when a pending approval is passed to the next person or
	// role of its escalation chain.
	ApprovalEscalated struct {
		ID string `json:"id" holds:"id"`
		To string `json:"to" holds:"id"`
	}
	// ApprovalTimedOut is recorded when an approval's deadline passes.
	ApprovalTimedOut struct {
		ID   string    `json:"id" holds:"id"`
		Then gate.Then `json:"then" holds:"id"`
	}
	// GatePassed is recorded when every approval at the start of a run has been given.
	GatePassed struct {
		Spot Spot `json:"spot"`
	}
	// ApprovalPaused is recorded when an approval was not answered in time and the run is paused
	// because of it. The approval stays open.
	ApprovalPaused struct {
		ID string `json:"id" holds:"id"`
	}
)

// Agents.
type (
	// TurnStarted is recorded when a language model is asked for its next turn.
	TurnStarted struct {
		Step     string    `json:"step" holds:"id"`
		Index    *int      `json:"index,omitempty"`
		Agent    string    `json:"agent" holds:"id"`
		Turn     int       `json:"turn"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
	}
	// TurnCompleted is recorded when a language model has responded. The tool calls of the
	// turn follow as call.requested.
	TurnCompleted struct {
		Step  string `json:"step" holds:"id"`
		Index *int   `json:"index,omitempty"`
		Agent string `json:"agent" holds:"id"`
		Turn  Turn   `json:"turn"` // without its calls
	}
	// TurnRetrying is recorded when a language model could not be reached and is asked
	// again later.
	TurnRetrying struct {
		Step    string    `json:"step" holds:"id"`
		Index   *int      `json:"index,omitempty"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	// NoteAdded is recorded when the engine adds a note to the conversation that the model
	// sees, for example because a limit is close.
	NoteAdded struct {
		Step  string `json:"step" holds:"id"`
		Index *int   `json:"index,omitempty"`
		Text  string `json:"text" holds:"text"`
		Mend  bool   `json:"mend,omitempty"` // the model is asked to fix its output
	}
	// CallRequested is recorded when a language model asks for a tool call.
	CallRequested struct {
		Step  string `json:"step" holds:"id"`
		Index *int   `json:"index,omitempty"`
		No    int    `json:"no"`
		Call  Call   `json:"call"`
	}
	// CallStarted is recorded when a tool is called.
	CallStarted struct {
		Step     string    `json:"step" holds:"id"`
		Index    *int      `json:"index,omitempty"`
		No       int       `json:"no"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
		// Judged is true if the policy was evaluated again just before, because the call had
		// been approved or tried earlier.
		Judged bool `json:"judged,omitempty"`
		// Counted is what it adds to the sums of the policy.
		Counted *Counted `json:"counted,omitempty"`
	}
	// CallRebound is recorded when a tool changed after a call was evaluated or approved. The call
	// has not been made; it is evaluated again with the current tool.
	CallRebound struct {
		Step    string               `json:"step" holds:"id"`
		Index   *int                 `json:"index,omitempty"`
		No      int                  `json:"no"`
		Changed []gate.VersionChange `json:"changed,omitempty"`
		Spec    ToolSpec             `json:"spec"`
		// Act is the key of the work, which no longer counts in the sums of the policy.
		Act string `json:"act,omitempty" holds:"id"`
	}
	// CallArgsChanged is recorded when a person changes the arguments of a call before it is
	// made.
	CallArgsChanged struct {
		Step  string          `json:"step" holds:"id"`
		Index *int            `json:"index,omitempty"`
		No    int             `json:"no"`
		Args  json.RawMessage `json:"args" holds:"payload"`
	}
	// CallRetrying is recorded when a call failed and will be retried.
	CallRetrying struct {
		Step    string    `json:"step" holds:"id"`
		Index   *int      `json:"index,omitempty"`
		No      int       `json:"no"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	// CallInputNeeded is recorded when a tool asks people for input before it continues.
	// The call runs again once they have answered.
	CallInputNeeded struct {
		Step  string    `json:"step" holds:"id"`
		Index *int      `json:"index,omitempty"`
		No    int       `json:"no"`
		Round int       `json:"round"` // from 1, within the call
		Input CallInput `json:"input"`
		Usage Usage     `json:"usage,omitzero"`
	}
	// CallCompleted is recorded when a call has an answer for the model: a result, an error,
	// or the reason it was denied.
	CallCompleted struct {
		Step   string     `json:"step" holds:"id"`
		Index  *int       `json:"index,omitempty"`
		No     int        `json:"no"`
		ID     string     `json:"id" holds:"id"`
		Result CallResult `json:"result"`
		Denied bool       `json:"denied,omitempty"`
		DryRun bool       `json:"dry_run,omitempty"`
	}
	// HandedOff is recorded when an agent hands its step to another agent.
	HandedOff struct {
		Step  string `json:"step" holds:"id"`
		Index *int   `json:"index,omitempty"`
		From  string `json:"from" holds:"id"`
		To    string `json:"to" holds:"id"`
		// Reason is the agent's reason.
		Reason string `json:"reason,omitempty" holds:"text"`
	}
	// AgentMessage is recorded when an agent sends a message to another agent of the run.
	// It only informs that agent: it cannot answer an approval or change a rule.
	AgentMessage struct {
		Step  string `json:"step" holds:"id"`
		Index *int   `json:"index,omitempty"`
		ID    string `json:"id" holds:"id"` // id of the tool call
		From  string `json:"from" holds:"id"`
		To    string `json:"to" holds:"id"`
		Text  string `json:"text" holds:"text"`
	}
	// MessageAdded is recorded when a message is added to the run's thread.
	MessageAdded struct{ Message }
	// LimitWarning is recorded when an agent has used 80 % of a limit.
	LimitWarning struct {
		Step  string    `json:"step" holds:"id"`
		Index *int      `json:"index,omitempty"`
		Agent string    `json:"agent,omitempty" holds:"id"`
		Limit LimitKind `json:"limit" holds:"id"`

		Current    int64 `json:"current,omitempty"`    // in nanoseconds, billionths of a dollar, or turns
		Max        int64 `json:"max,omitempty"`        // in the same unit
		Percentage int   `json:"percentage,omitempty"` // used, of the maximum
	}
	// LimitGranted is recorded when people extend a limit.
	LimitGranted struct {
		Step  string      `json:"step" holds:"id"`
		Index *int        `json:"index,omitempty"`
		Limit LimitKind   `json:"limit" holds:"id"`
		More  LimitAmount `json:"more"`
	}
	// LimitRaised is recorded when a person raises the limit that stopped a run. It follows
	// run.reopened.
	LimitRaised struct {
		Step  string    `json:"step" holds:"id"`
		Agent string    `json:"agent" holds:"id"`
		Limit LimitKind `json:"limit" holds:"id"`
		From  int64     `json:"from"` // in nanoseconds, billionths of a dollar, or turns
		To    int64     `json:"to"`   // in the same unit
	}
)

// LimitKind is the kind of a limit.
type LimitKind string

const (
	LimitDuration   LimitKind = "duration"
	LimitCost       LimitKind = "cost_usd"
	LimitIterations LimitKind = "iterations"
)

// LimitKinds lists the kinds.
var LimitKinds = []LimitKind{LimitDuration, LimitCost, LimitIterations}

// Words returns a limit's name for sentences.
func (k LimitKind) Words() string {
	switch k {
	case LimitDuration:
		return "time"
	case LimitCost:
		return "money"
	case LimitIterations:
		return "turns"
	}
	return string(k)
}

// Amount formats a number of a limit's units.
func (k LimitKind) Amount(n int64) string {
	switch k {
	case LimitDuration:
		return quantity.Duration(time.Duration(n).Round(time.Second)).String()
	case LimitCost:
		return quantity.Money(n).String() + " USD"
	}
	return strconv.FormatInt(n, 10)
}

// LimitAmount is how much more of a limit people grant; only one field is set.
type LimitAmount struct {
	Duration   quantity.Duration `json:"duration,omitempty"` // A duration such as 90s, 72h or 30d.
	CostUSD    quantity.Money    `json:"cost_usd,omitempty"`
	Iterations int               `json:"iterations,omitempty"` // Turns of the model.
}

// Of returns the amount for one kind of limit, in its units.
func (a LimitAmount) Of(k LimitKind) int64 {
	switch k {
	case LimitDuration:
		return int64(a.Duration)
	case LimitCost:
		return int64(a.CostUSD)
	}
	return int64(a.Iterations)
}

// Plus adds to the amount for one kind of limit, in its units.
func (a LimitAmount) Plus(k LimitKind, n int64) LimitAmount {
	switch k {
	case LimitDuration:
		a.Duration += quantity.Duration(n)
	case LimitCost:
		a.CostUSD = a.CostUSD.Add(quantity.Money(n))
	default:
		a.Iterations += int(n)
	}
	return a
}

// Decision points and replanning.
type (
	// ConsultStarted is recorded for each attempt to consult the agent in the loop at a decision point.
	ConsultStarted struct {
		N        int       `json:"n"`
		Layer    int       `json:"layer"`
		Deadline time.Time `json:"deadline"`
		Failed   string    `json:"failed,omitempty" holds:"id"` // the failed step it is about
		Try      int       `json:"try,omitempty"`               // attempt, from 1; omitted for the first
		Agent    string    `json:"agent,omitempty" holds:"id"`
		// For is summary if a summary for people is requested; omitted for advice.
		For string `json:"for,omitempty" holds:"id"`
	}
	// ConsultRetrying is recorded when the agent in the loop failed or gave an unusable answer and will be asked again.
	ConsultRetrying struct {
		N       int       `json:"n"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at,omitzero"`           // omitted: at once
		Said    string    `json:"said,omitempty" holds:"text"` // a model's unusable answer
	}
	// ConsultRead is recorded when the agent in the loop has looked something up before answering.
	ConsultRead struct {
		N     int        `json:"n"`
		Text  string     `json:"text,omitempty" holds:"text"`
		Reads []ReadCall `json:"reads"`
		Usage Usage      `json:"usage,omitzero"`
	}
	// ConsultAnswered is recorded when the agent in the loop has answered or timed out.
	ConsultAnswered struct {
		N        int       `json:"n"`
		Advice   AdviceRaw `json:"advice"`
		Fallback bool      `json:"fallback,omitempty"`             // no usable answer in time
		Summary  string    `json:"summary,omitempty" holds:"text"` // for people, if requested
	}
	// PointPassed is recorded when a decision point is passed and the next layers may run.
	PointPassed struct {
		Layer int `json:"layer"` // steps up to this layer may run now
	}
	// ReplanRequested is recorded when a search for steps that meet a new requirement starts.
	ReplanRequested struct {
		N           int       `json:"n"`
		Requirement string    `json:"requirement" holds:"text"`
		Deadline    time.Time `json:"deadline"`
		// Failed is the failed step that the new ones should replace.
		Failed string `json:"failed,omitempty" holds:"id"`
	}
	// ReplanAnswered is recorded when the search for steps has ended.
	ReplanAnswered struct {
		N      int    `json:"n"`
		Found  int    `json:"found"`
		Reason string `json:"reason,omitempty" holds:"text"`
		// Proposed is what people are asked to approve; omitted if no approval is needed.
		Proposed *FoundSteps `json:"proposed,omitempty"`
	}
	// ReplanSettled is recorded when people have decided on the steps that were found.
	ReplanSettled struct {
		N        int    `json:"n"`
		Accepted bool   `json:"accepted"`
		Reason   string `json:"reason,omitempty" holds:"text"`
	}
)

// ReadCall is one lookup by the agent in the loop.
type ReadCall struct {
	ID     string          `json:"id" holds:"id"`
	Tool   string          `json:"tool" holds:"id"`
	Args   json.RawMessage `json:"args,omitempty" holds:"payload"`
	Output json.RawMessage `json:"output,omitempty" holds:"payload"`
}

// Rewired is a step whose needs changed.
type Rewired struct {
	Step  string   `json:"step" holds:"id"`
	Needs []string `json:"needs" holds:"id"`
}

// Warning is a problem that did not fail the run.
type Warning struct {
	Code    string `json:"code" holds:"id"`
	Path    string `json:"path,omitempty" holds:"text"`
	Message string `json:"message" holds:"text"`
}

// Message is one entry of the run's thread.
type Message struct {
	From Actor     `json:"from"`                    // The sender.
	To   string    `json:"to,omitempty" holds:"id"` // The step or agent it is for; if empty, all agents at work.
	Text string    `json:"text" holds:"text"`       // The text.
	At   time.Time `json:"at"`
}

// Reaches reports whether a message is for an agent at work on a step. An agent's own remarks are for people.
func (m Message) Reaches(step, agent string) bool {
	if m.From.Kind == Agent {
		return m.To == agent
	}
	return m.To == "" || m.To == step || m.To == agent
}

// Entry is a message as the model sees it.
func (m Message) Entry() Entry {
	role := "user"
	if m.From.Kind == Agent {
		role = "agent"
	}
	return Entry{Role: role, Name: m.From.Name, Text: m.Text}
}

// Edits are a fork's changes to the past.
type Edits struct {
	// The new input.
	Input json.RawMessage `json:"input,omitempty" holds:"payload"`
	// Fields of the context to replace, each as a whole: null is a value and removes nothing.
	Context json.RawMessage `json:"context,omitempty" holds:"payload"`
	// New outputs of steps, by step.
	Outputs map[string]json.RawMessage `json:"outputs,omitempty" holds:"payload"`
}
