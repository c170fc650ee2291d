package run

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
)

// Fact is something that happened: one of the types below. Their names and
// fields are append-only across releases, because logs live for ever.
type Fact interface{ Type() string }

// Event is a fact with its place in the run's log.
type Event struct {
	Run   string
	Seq   int64
	At    time.Time
	Actor Actor
	Cause string // the id of the command that led to it, if it had one
	Fact  Fact
}

// Spot says where in a run an approval stands.
type Spot struct {
	At    SpotAt `json:"at"`
	Step  string `json:"step,omitempty"`
	Index *int   `json:"index,omitempty"`
	Call  int    `json:"call,omitempty"` // call number within the loop
	Layer int    `json:"layer,omitempty"`
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
)

// The life of the run itself.
type (
	RunStarted struct {
		Workflow   string            `json:"workflow"`
		Version    int               `json:"version"`
		Definition string            `json:"definition"` // digest of what the run is bound to
		Input      json.RawMessage   `json:"input"`
		Owner      string            `json:"owner,omitempty"`
		Labels     map[string]string `json:"labels,omitempty"`
		TestMode   bool              `json:"test_mode,omitempty"`
		RetryOf    string            `json:"retry_of,omitempty"`
		Parent     *Parent           `json:"parent,omitempty"`
		Depth      int               `json:"depth,omitempty"`
		Held       bool              `json:"held,omitempty"` // people are asked before anything runs
	}
	// RunForked ends the copied part of a fork's log.
	RunForked struct {
		From  string `json:"from"`
		AtSeq int64  `json:"at_seq"`
		Owner string `json:"owner,omitempty"` // who asked for the fork
		Edits Edits  `json:"edits,omitzero"`
	}
	RunWaiting struct{}
	RunResumed struct{}
	RunPaused  struct {
		Reason   string `json:"reason,omitempty"`
		Approval string `json:"approval,omitempty"` // whose silence paused the run
	}
	RunUnpaused struct{}
	// RunReopened takes up a failed run from its last good state.
	RunReopened   struct{}
	RunCancelling struct {
		Reason string `json:"reason,omitempty"`
	}
	RunCompleted struct {
		Output json.RawMessage `json:"output"`
	}
	RunFailed struct {
		Error Failure `json:"error"`
	}
	RunCancelled struct {
		Reason string `json:"reason,omitempty"`
	}
	RunLimitReached struct {
		Step  string    `json:"step"`
		Limit LimitKind `json:"limit"`
	}
	// PayloadsRemoved says that what people and agents sent is gone from the
	// events before it; see Strip.
	PayloadsRemoved struct {
		Reason string `json:"reason"`
	}
	WarningRaised struct{ Warning }
	SnapshotSaved struct{}
	// StateUpdated puts what people said at a gate into the context of those behind it.
	StateUpdated struct {
		Gate  string          `json:"gate"`
		Value json.RawMessage `json:"value"`
	}
)

// Steps.
type (
	LayerStarted struct {
		Layer int      `json:"layer"`
		Steps []string `json:"steps"`
	}
	StepStarted struct {
		Step     string    `json:"step"`
		Index    *int      `json:"index,omitempty"`
		Rev      int       `json:"rev,omitempty"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
		Child    string    `json:"child,omitempty"`
	}
	// StepExpanded begins a map.
	StepExpanded struct {
		Step  string `json:"step"`
		Count int    `json:"count"`
		Rev   int    `json:"rev,omitempty"`
		// Keeps says that elements which are done stay done.
		Keeps bool `json:"keeps,omitempty"`
	}
	// StepReturned is a result that people have to see before it counts.
	StepReturned struct {
		Step   string `json:"step"`
		Index  *int   `json:"index,omitempty"`
		Result Result `json:"result"`
	}
	// StepCompleted carries the result unless it was returned before, or is
	// the list of a map's elements.
	StepCompleted struct {
		Step   string  `json:"step"`
		Result *Result `json:"result,omitempty"`
	}
	ElementCompleted struct {
		Step   string  `json:"step"`
		Index  int     `json:"index"`
		Result *Result `json:"result,omitempty"`
	}
	StepRetrying struct {
		Step    string    `json:"step"`
		Index   *int      `json:"index,omitempty"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	StepFailed struct {
		Step  string  `json:"step"`
		Error Failure `json:"error"`
		// Goes says that the run goes on without the step.
		Goes bool `json:"goes_on,omitempty"`
	}
	StepSkipped struct {
		Step string     `json:"step"`
		Why  SkipReason `json:"why"`
	}
	// StepRevised sends work back with what people said about it.
	StepRevised struct {
		Step     string `json:"step"`
		Index    *int   `json:"index,omitempty"`
		Rev      int    `json:"rev"`
		Guidance string `json:"guidance"`
		// Redo lists the steps behind it that have to be done anew.
		Redo []string `json:"redo,omitempty"`
	}
	StepArgsChanged struct {
		Step    string          `json:"step"`
		Changes json.RawMessage `json:"changes"`
	}
	ChildWaiting struct {
		Step    string `json:"step"`
		Index   *int   `json:"index,omitempty"`
		Waiting bool   `json:"waiting"`
	}
	// ChildEnded is recorded for sub-runs that outlived the step they worked for.
	ChildEnded struct {
		Run    string `json:"run"`
		Status Status `json:"status"`
	}
	ReviewSuggested struct {
		Step       string  `json:"step"`
		Index      *int    `json:"index,omitempty"`
		Confidence float64 `json:"confidence"`
	}
	DeliverableCreated struct {
		Step        string      `json:"step"`
		Agent       string      `json:"agent,omitempty"`
		Deliverable Deliverable `json:"deliverable"`
	}
	// DeliverableMarked says how a deliverable stands from now on.
	DeliverableMarked struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Status string `json:"status"`
		Was    string `json:"was"`
	}
	PlanChanged struct {
		Steps  []plan.Step           `json:"steps"`
		Agents map[string]plan.Agent `json:"agents,omitempty"`
		Why    string                `json:"why,omitempty"`
		// AtPoint says that people changed the plan where they were asked about it.
		AtPoint bool `json:"at_point,omitempty"`
	}
)

// SkipReason says why a step did not run.
type SkipReason string

const (
	SkipIf       SkipReason = "if"       // its condition did not hold
	SkipNeed     SkipReason = "need"     // something it needs failed
	SkipCommand  SkipReason = "command"  // a person said so
	SkipRejected SkipReason = "rejected" // people said no, and the run goes on
)

// Approvals.
type (
	ApprovalNeeded struct {
		Spot    Spot         `json:"spot"`
		Want    string       `json:"want"`    // which gate, rule or limit wants it
		Content string       `json:"content"` // digest of what it is about
		Request gate.Request `json:"request"`
	}
	ApprovalAutoApproved struct {
		Spot    Spot         `json:"spot"`
		Want    string       `json:"want"`
		Content string       `json:"content"`
		Request gate.Request `json:"request"`
		Reason  string       `json:"reason"`
		Sample  bool         `json:"sample,omitempty"`
		Notify  bool         `json:"notify,omitempty"`
	}
	ApprovalDecided struct {
		ID       string        `json:"id"`
		Decision gate.Decision `json:"decision"`
	}
	ApprovalResolved struct {
		ID      string       `json:"id"`
		Spot    Spot         `json:"spot"`
		Outcome gate.Outcome `json:"outcome"`
		Content string       `json:"content,omitempty"` // digest of what was accepted
	}
	ApprovalCommented struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	ApprovalReminder struct {
		ID string `json:"id"`
	}
	ApprovalEscalated struct {
		ID string `json:"id"`
		To string `json:"to"`
	}
	// ApprovalTimedOut says that a deadline passed; what follows is in Then.
	ApprovalTimedOut struct {
		ID   string    `json:"id"`
		Then gate.Then `json:"then"`
	}
	// GatePassed lets a run start that people were asked about.
	GatePassed struct {
		Spot Spot `json:"spot"`
	}
	// ApprovalPaused marks the moment after which the run was paused for want of an answer.
	ApprovalPaused struct {
		ID string `json:"id"`
	}
)

// The agent loop.
type (
	TurnStarted struct {
		Step     string    `json:"step"`
		Index    *int      `json:"index,omitempty"`
		Agent    string    `json:"agent"`
		Turn     int       `json:"turn"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
	}
	TurnCompleted struct {
		Step  string `json:"step"`
		Index *int   `json:"index,omitempty"`
		Agent string `json:"agent"`
		Turn  Turn   `json:"turn"` // without its calls: those follow as call.requested
	}
	TurnRetrying struct {
		Step    string    `json:"step"`
		Index   *int      `json:"index,omitempty"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	// NoteAdded puts a remark of the system into the model's view.
	NoteAdded struct {
		Step  string `json:"step"`
		Index *int   `json:"index,omitempty"`
		Text  string `json:"text"`
		Mend  bool   `json:"mend,omitempty"` // the model is asked to mend its output
	}
	CallRequested struct {
		Step  string `json:"step"`
		Index *int   `json:"index,omitempty"`
		No    int    `json:"no"`
		Call  Call   `json:"call"`
	}
	CallStarted struct {
		Step     string    `json:"step"`
		Index    *int      `json:"index,omitempty"`
		No       int       `json:"no"`
		Try      int       `json:"try"`
		Deadline time.Time `json:"deadline,omitzero"`
	}
	CallArgsChanged struct {
		Step  string          `json:"step"`
		Index *int            `json:"index,omitempty"`
		No    int             `json:"no"`
		Args  json.RawMessage `json:"args"`
	}
	CallRetrying struct {
		Step    string    `json:"step"`
		Index   *int      `json:"index,omitempty"`
		No      int       `json:"no"`
		Error   Failure   `json:"error"`
		RetryAt time.Time `json:"retry_at"`
	}
	// CallInputNeeded says that a tool wants to know something from people before
	// it goes on. The call runs again once they answered.
	CallInputNeeded struct {
		Step  string    `json:"step"`
		Index *int      `json:"index,omitempty"`
		No    int       `json:"no"`
		Round int       `json:"round"` // from 1, within the call
		Input CallInput `json:"input"`
		Usage Usage     `json:"usage,omitzero"`
	}
	CallCompleted struct {
		Step   string     `json:"step"`
		Index  *int       `json:"index,omitempty"`
		No     int        `json:"no"`
		ID     string     `json:"id"`
		Result CallResult `json:"result"`
		Denied bool       `json:"denied,omitempty"`
		DryRun bool       `json:"dry_run,omitempty"`
	}
	HandedOff struct {
		Step  string `json:"step"`
		Index *int   `json:"index,omitempty"`
		From  string `json:"from"`
		To    string `json:"to"`
	}
	MessageAdded struct{ Message }
	LimitWarning struct {
		Step  string    `json:"step"`
		Index *int      `json:"index,omitempty"`
		Limit LimitKind `json:"limit"`
	}
	LimitGranted struct {
		Step  string      `json:"step"`
		Index *int        `json:"index,omitempty"`
		Limit LimitKind   `json:"limit"`
		More  LimitAmount `json:"more"`
	}
)

// LimitKind is what runs out.
type LimitKind string

const (
	LimitDuration   LimitKind = "duration"
	LimitCost       LimitKind = "cost_usd"
	LimitIterations LimitKind = "iterations"
)

// LimitAmount is how much more of it people grant; only one is set.
type LimitAmount struct {
	Duration   quantity.Duration `json:"duration,omitempty"`
	CostUSD    quantity.Money    `json:"cost_usd,omitempty"`
	Iterations int               `json:"iterations,omitempty"`
}

// Decision points and replanning.
type (
	ConsultStarted struct {
		N        int       `json:"n"`
		Layer    int       `json:"layer"`
		Deadline time.Time `json:"deadline"`
		Failed   string    `json:"failed,omitempty"` // the step whose failure it is about
	}
	ConsultAnswered struct {
		N        int       `json:"n"`
		Advice   AdviceRaw `json:"advice"`
		Fallback bool      `json:"fallback,omitempty"` // no usable answer in time
	}
	PointPassed struct {
		Layer int `json:"layer"` // steps up to this layer may run now
	}
	ReplanRequested struct {
		N           int       `json:"n"`
		Requirement string    `json:"requirement"`
		Deadline    time.Time `json:"deadline"`
	}
	ReplanAnswered struct {
		N      int    `json:"n"`
		Found  int    `json:"found"`
		Reason string `json:"reason,omitempty"`
	}
)

// Warning is something people should know that stopped nothing.
type Warning struct {
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

// Message is one entry of the run's thread.
type Message struct {
	From Actor     `json:"from"`
	To   string    `json:"to,omitempty"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Edits are a fork's changes to the past.
type Edits struct {
	Input   json.RawMessage            `json:"input,omitempty"`
	Context json.RawMessage            `json:"context,omitempty"`
	Outputs map[string]json.RawMessage `json:"outputs,omitempty"`
}
