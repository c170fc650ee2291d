package run

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
)

// Command is an input to a run. People's commands have an ID and are idempotent by it; a host's reports have
// none, they are fenced by their Key.
type Command struct {
	ID string
	By Actor
	Do Operation
	// May returns as whom the sender may answer an approval of a workflow, or why not. Without it, they hold no role.
	May func(workflow string, a *gate.Approval) (gate.Person, error)
}

// Operation is what a command does: one of the types below.
type Operation interface{ operation() }

// Commands by people, or by the API on their behalf.
type (
	// Start starts the run.
	Start struct {
		Input    json.RawMessage   `json:"input"`
		Owner    string            `json:"owner,omitempty"`
		Labels   map[string]string `json:"labels,omitempty"`
		TestMode bool              `json:"test_mode,omitempty"`
		RetryOf  string            `json:"retry_of,omitempty"`
		Parent   *Parent           `json:"parent,omitempty"`
		Depth    int               `json:"depth,omitempty"`
		Family   string            `json:"family,omitempty"` // see State.Family; empty: its own
		Trace    string            `json:"trace,omitempty"`  // traceparent of the caller
	}
	// Decide decides an approval.
	Decide struct {
		Approval string      `json:"approval"`
		Answer   gate.Answer `json:"answer"`
		// Agents are those in force that a change of the plan names.
		Agents map[string]plan.Agent `json:"agents,omitempty"`
	}
	// Expire settles an approval that can no longer be answered, as a rejection.
	Expire struct {
		Approval string `json:"approval"`
		Comment  string `json:"comment,omitempty"`
	}
	// Comment adds a comment to an approval; it decides nothing, and agents cannot see it.
	Comment struct {
		Approval string `json:"approval"`
		Text     string `json:"text"`
	}
	// Cancel stops starting work, waits for work in progress, then ends.
	Cancel struct {
		Reason string `json:"reason,omitempty"`
	}
	// Abort ends the run immediately.
	Abort struct {
		Reason string `json:"reason,omitempty"`
	}
	Pause struct {
		Reason string `json:"reason,omitempty"`
	}
	// Resume continues after a pause, or from the last good state after a failure or a limit. A run that
	// stopped at a limit needs a higher one.
	Resume struct {
		// The new limits of the agent that stopped the run, as totals.
		Limits LimitAmount `json:"limits,omitzero"`
	}
	// InjectSteps adds steps to the running plan.
	InjectSteps struct {
		Steps  []plan.Step           `json:"steps"`
		Agents map[string]plan.Agent `json:"agents,omitempty"` // those not yet in the plan
	}
	// Replan requests steps that meet a new requirement.
	Replan struct {
		Requirement string `json:"requirement"` // The additional requirement.
		// Replaces is a failed step in whose place the new ones are put.
		Replaces string `json:"replaces,omitempty"`
	}
	// SkipStep skips a step, or every step of a layer, that has not started.
	SkipStep struct {
		Step  string `json:"step,omitempty"`
		Layer *int   `json:"layer,omitempty"` // A layer of the plan, from 0, instead of a step.
	}
	// ModifyArgs changes the input of a step or call that has not started.
	ModifyArgs struct {
		Step    string          `json:"step,omitempty"`
		Call    string          `json:"call,omitempty"` // With step: the model's id of the call.
		Changes json.RawMessage `json:"changes"`
	}
	// SendMessage adds to the thread; working agents see it at their next turn.
	SendMessage struct {
		Text string `json:"text"`         // The message.
		To   string `json:"to,omitempty"` // A step or an agent; all that are working if omitted.
	}
	// Consult opens a decision point for the planning agent manually.
	Consult struct{}
	// TakeSnapshot marks a point to resume or fork from.
	TakeSnapshot struct{}
	// MarkDeliverable sets a deliverable's status. It is accepted after the end of the run as well.
	MarkDeliverable struct {
		Deliverable string `json:"deliverable"`
		Status      string `json:"status"`
		Version     int    `json:"version"`       // the latest version that the reviewer has seen
		Was         string `json:"was,omitempty"` // the status they saw, if it matters
	}
	// Forget reports that the payloads of a finished run are deleted. The host deletes them; the run cannot
	// be resumed.
	Forget struct {
		Reason string `json:"reason"`
	}
)

// Reports by a host.
type (
	// Complete reports that an agent answered.
	Complete struct {
		Key    Key    `json:"key"`
		Result Result `json:"result"`
	}
	// Fail reports that an agent, turn or call failed.
	Fail struct {
		Key     Key     `json:"key"`
		Failure Failure `json:"failure"`
	}
	// CompleteTurn reports that a model answered.
	CompleteTurn struct {
		Key  Key  `json:"key"`
		Turn Turn `json:"turn"`
	}
	// CompleteCall reports that a tool answered.
	CompleteCall struct {
		Key    Key        `json:"key"`
		Result CallResult `json:"result"`
	}
	// EndChild reports how a sub-run ended.
	EndChild struct {
		Key    Key             `json:"key"`
		Status Status          `json:"status"`
		Output json.RawMessage `json:"output,omitempty"`
		Error  *Failure        `json:"error,omitempty"`
		Usage  Usage           `json:"usage,omitzero"`
	}
	// ChildWaits reports that a sub-run started or stopped waiting for people.
	ChildWaits struct {
		Key     Key  `json:"key"`
		Waiting bool `json:"waiting"`
	}
	// Rebind reports that the implementation about to run is not the approved one, and that nothing was done.
	// Spec is the current spec of a call's tool.
	Rebind struct {
		Key            Key                   `json:"key"`
		Implementation []gate.Implementation `json:"implementation,omitempty"` // of a step
		Spec           *ToolSpec             `json:"spec,omitempty"`           // of a call
	}
	// AnswerConsult is the planning agent's answer.
	AnswerConsult struct {
		Key    Key       `json:"key"`
		Advice AdviceRaw `json:"advice"`
		// Summary for people, if that was wanted.
		Summary string `json:"summary,omitempty"`
	}
	// ReadForConsult is what the planning agent looked up.
	ReadForConsult struct {
		Key   Key        `json:"key"`
		Text  string     `json:"text,omitempty"`
		Reads []ReadCall `json:"reads"`
		Usage Usage      `json:"usage,omitzero"`
	}
	// AnswerReplan returns the steps that were found, or none.
	AnswerReplan struct {
		Key     Key                   `json:"key"`
		Steps   []plan.Step           `json:"steps,omitempty"`
		Agents  map[string]plan.Agent `json:"agents,omitempty"`
		Because []Because             `json:"because,omitempty"`
		Reason  string                `json:"reason,omitempty"`
		// Harmless reports that all steps are declared to change nothing.
		Harmless bool `json:"harmless,omitempty"`
	}
	// Tick reports that time has passed.
	Tick struct{}
)

func (Start) operation()           {}
func (Decide) operation()          {}
func (Expire) operation()          {}
func (Comment) operation()         {}
func (Cancel) operation()          {}
func (Abort) operation()           {}
func (Pause) operation()           {}
func (Resume) operation()          {}
func (InjectSteps) operation()     {}
func (Replan) operation()          {}
func (SkipStep) operation()        {}
func (ModifyArgs) operation()      {}
func (SendMessage) operation()     {}
func (Consult) operation()         {}
func (TakeSnapshot) operation()    {}
func (MarkDeliverable) operation() {}
func (Forget) operation()          {}
func (Complete) operation()        {}
func (Fail) operation()            {}
func (CompleteTurn) operation()    {}
func (CompleteCall) operation()    {}
func (EndChild) operation()        {}
func (ChildWaits) operation()      {}
func (Rebind) operation()          {}
func (AnswerConsult) operation()   {}
func (ReadForConsult) operation()  {}
func (AnswerReplan) operation()    {}
func (Tick) operation()            {}

// Parent identifies the run and step that a sub-run works for.
type Parent struct {
	Run string `json:"run" holds:"id"`
	Key Key    `json:"key"`
}

// Result is an agent's answer.
type Result struct {
	Output       json.RawMessage `json:"output" holds:"payload"`
	Confidence   *float64        `json:"confidence,omitempty"`
	Reasoning    string          `json:"reasoning,omitempty" holds:"text"`
	Usage        Usage           `json:"usage,omitzero"`
	Logs         string          `json:"logs,omitempty" holds:"text"`
	Deliverables []Deliverable   `json:"deliverables,omitempty"`
	DryRun       bool            `json:"dry_run,omitempty"`
	// Messages to other agents of the run.
	Messages []Outgoing `json:"messages,omitempty"`
}

// Outgoing is a message that an agent sends with its result.
type Outgoing struct {
	To   string `json:"to" holds:"id"` // an agent of the run
	Text string `json:"text" holds:"text"`
}

// Usage is the cost of a piece of work.
type Usage struct {
	LLMCalls  int64          `json:"llm_calls,omitempty"`  // Calls to models.
	TokensIn  int64          `json:"tokens_in,omitempty"`  // Tokens read by models.
	TokensOut int64          `json:"tokens_out,omitempty"` // Tokens written by models.
	CostUSD   quantity.Money `json:"cost_usd,omitempty"`
}

// Add sums two usages; negative numbers from an agent count as zero.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.LLMCalls + max(v.LLMCalls, 0), u.TokensIn + max(v.TokensIn, 0),
		u.TokensOut + max(v.TokensOut, 0), u.CostUSD.Add(max(v.CostUSD, 0)),
	}
}

// Since is what was used after v.
func (u Usage) Since(v Usage) Usage {
	return Usage{u.LLMCalls - v.LLMCalls, u.TokensIn - v.TokensIn, u.TokensOut - v.TokensOut, u.CostUSD - v.CostUSD}
}

// Failure describes why something failed and how to fix it.
type Failure struct {
	Code    string `json:"code,omitempty" holds:"id"`
	Message string `json:"message" holds:"text"`
	// Where in the agent's code it happened, if known.
	Stack string `json:"stack,omitempty" holds:"text"`
	// Whether a retry may help.
	Transient bool `json:"transient,omitempty"`
	// Whether the service is overloaded or unavailable.
	//
	// The request itself may be fine, so it is retried for minutes.
	Busy bool `json:"busy,omitempty"`
	// How long to wait before the next attempt.
	RetryAfter quantity.Duration `json:"retry_after,omitempty"`
	Step       string            `json:"step,omitempty" holds:"id"`
	Agent      string            `json:"agent,omitempty" holds:"id"`
	Index      *int              `json:"index,omitempty"`
	// The sub-run that failed, with its own error.
	Child *ChildFailure `json:"child,omitempty"`
	Try   int           `json:"try,omitempty"`
	// Which step of the run, from 1.
	StepIndex int `json:"step_index,omitempty"`
	// How many steps the run has.
	StepCount int             `json:"step_count,omitempty"`
	Input     json.RawMessage `json:"input,omitempty" holds:"payload"`
	// The response of the other side.
	Body  string `json:"body,omitempty" holds:"text"`
	Usage Usage  `json:"usage,omitzero"`
}

// ChildFailure is a sub-run's own error.
type ChildFailure struct {
	Run   string   `json:"run" holds:"id"`
	Error *Failure `json:"error,omitempty"`
}

// Deliverable is a result for people; the host stores its bytes as a blob.
type Deliverable struct {
	ID          string          `json:"id,omitempty" holds:"id"`
	Name        string          `json:"name" holds:"text"`
	Type        string          `json:"type,omitempty" holds:"id"`
	Status      string          `json:"status,omitempty" holds:"id"`
	MIME        string          `json:"mime_type,omitempty" holds:"id"`
	Description string          `json:"description,omitempty" holds:"text"`
	Content     json.RawMessage `json:"content,omitempty" holds:"payload"` // text, or a reference to a blob
	URL         string          `json:"url,omitempty" holds:"text"`
	// Update is true if a deliverable of this name must exist. Without content and address, only its status changes.
	Update bool `json:"update,omitempty"`
}

// OnlyMarks reports whether an update changes nothing but the status.
func (dl *Deliverable) OnlyMarks() bool { return len(dl.Content) == 0 && dl.URL == "" }

// Statuses of a deliverable.
const (
	Draft    = "draft"
	Final    = "final"
	Archived = "archived"
)

// DeliverableStatuses lists them.
var DeliverableStatuses = []string{Draft, Final, Archived}

// Turn is one answer of a model: text, calls, or the final output.
type Turn struct {
	Text       string          `json:"text,omitempty" holds:"text"`
	Calls      []Call          `json:"calls,omitempty"`
	Output     json.RawMessage `json:"output,omitempty" holds:"payload"` // set if the turn has no calls
	Confidence *float64        `json:"confidence,omitempty"`
	Reasoning  string          `json:"reasoning,omitempty" holds:"text"`
	Usage      Usage           `json:"usage,omitzero"`
}

// Call is a tool call requested by a model, with the host's knowledge of the tool at that time, so that a
// replay needs no registry.
type Call struct {
	ID   string          `json:"id" holds:"id"`
	Tool string          `json:"tool" holds:"id"`
	Args json.RawMessage `json:"args" holds:"payload"`
	Spec ToolSpec        `json:"spec,omitzero"`
	// Confidence is the agent's confidence in this call, 0 to 1; omitted if unknown.
	Confidence *float64 `json:"confidence,omitempty"`
}

// ToolSpec is the host's knowledge of a tool.
type ToolSpec struct {
	Unknown      bool            `json:"unknown,omitempty"` // the tool does not exist, which the model is told
	Class        risk.Class      `json:"class,omitempty" holds:"id"`
	Operation    string          `json:"operation,omitempty" holds:"id"`
	Description  string          `json:"description,omitempty" holds:"text"` // in plain words, for this particular call
	CostUSD      quantity.Money  `json:"cost_usd,omitempty"`
	ArgsSchema   json.RawMessage `json:"args_schema,omitempty" holds:"config"`
	ReadOnly     bool            `json:"read_only,omitempty"`
	Destructive  bool            `json:"destructive,omitempty"`
	IfDenied     string          `json:"if_denied,omitempty" holds:"text"`
	Sample       json.RawMessage `json:"sample,omitempty" holds:"payload"`
	Effects      string          `json:"effects,omitempty" holds:"text"`     // none: allowed in test runs
	ReversibleBy string          `json:"reversible_by,omitempty" holds:"id"` // what undoes it; none: irreversible
	// The documents that the call would use. An approval is bound to them.
	Implementation []gate.Implementation `json:"implementation,omitempty"`
}

// Tools that the state machine implements itself.
const (
	ToolAskHuman  = "ask_human" // a question to people; the answer is the call's result
	ToolHandOff   = "hand_off"  // another agent takes over
	ToolMilestone = "milestone" // a point to stop at under approve_milestones
	// ToolSendMessage sends a message to another agent of the run.
	ToolSendMessage = "send_message"
)

// OwnTools lists them.
var OwnTools = []string{ToolAskHuman, ToolHandOff, ToolMilestone, ToolSendMessage}

// CallResult is a tool's answer.
type CallResult struct {
	Output       json.RawMessage `json:"output,omitempty" holds:"payload"`
	Error        string          `json:"error,omitempty" holds:"text"` // the tool's own error, reported to the model
	Usage        Usage           `json:"usage,omitzero"`
	Logs         string          `json:"logs,omitempty" holds:"text"`
	Deliverables []Deliverable   `json:"deliverables,omitempty"`
	// Input is set if there is no answer yet: people are asked first, and the call runs again with their
	// input.
	Input *CallInput `json:"input,omitempty"`
}

// CallInput is the input that a tool requests from people.
type CallInput struct {
	From    string          `json:"from,omitempty" holds:"id"` // the requester, in plain words
	Message string          `json:"message" holds:"text"`
	Schema  json.RawMessage `json:"schema,omitempty" holds:"config,removed"` // JSON Schema of the answer
	// opaque state of the tool, returned with the answer
	State json.RawMessage `json:"state,omitempty" holds:"payload"`
}

// AdviceRaw is the answer of the agent in the loop before validation.
type AdviceRaw struct {
	Action      string `json:"action" holds:"id"` // continue | replan | abort | ask; pause as a fallback
	Requirement string `json:"requirement,omitempty" holds:"text"`
	Reasoning   string `json:"reasoning,omitempty" holds:"text"`
	Usage       Usage  `json:"usage,omitzero"`
}

// What the planning agent may answer.
const (
	AdviceContinue = "continue"
	AdviceReplan   = "replan"
	AdviceAbort    = "abort"
	AdviceAsk      = "ask"
	// AdvicePause is only a fallback.
	AdvicePause = "pause"
)

// AdviceSchema is the JSON Schema of the planning agent's answer. Other members are ignored, unless they are those of
// commands (Commanding).
var AdviceSchema = json.RawMessage(`{"type":"object","required":["action"],` +
	`"properties":{"action":{"enum":["continue","replan","abort","ask"],` +
	`"description":"continue: proceed with the plan. replan: find and add steps for the requirement. ` +
	`abort: end the run. ask: let people decide."},` +
	`"requirement":{"type":"string","maxLength":2000,"description":"With replan: what the new steps should do, ` +
	`in plain words."},"reasoning":{"type":"string","maxLength":16000,"description":"Why, for the people who read ` +
	`it."}},"if":{"properties":{"action":{"const":"replan"}}},"then":{"required":["requirement"],` +
	`"properties":{"requirement":{"minLength":1}}}}`)

// SummarySchema is the JSON Schema of a summary for people.
var SummarySchema = json.RawMessage(`{"type":"object","required":["summary"],"properties":{"summary":` +
	`{"type":"string","minLength":1,"maxLength":16000,"description":"500 to 1,000 tokens, in Markdown: what was done ` +
	`and found, what is next and which risk it has."}}}`)

// ForSummary is the purpose of a consultation that ends with a summary for people.
const ForSummary = "summary"

// Tools of a planning agent that is a language model. They only read.
const (
	ToolReadValue = "read_value"
	ToolFindTools = "find_tools"
)
