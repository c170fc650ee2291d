package plan

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// Limits of a plan. Each is tested at and over.
const (
	StepsMax       = 10_000
	GatesMax       = 1_000
	EdgesMax       = 1_000_000
	NameMax        = 64
	ExpressionMax  = 2_000
	WidthMax       = 1_000
	RetryMax       = 100
	QuorumMax      = 1_000
	OptionsMax     = 200
	EscalationsMax = 50
	ShowMax        = 200
	FieldsMax      = 1_000 // of one mapping
)

// Workflow is a workflow definition as it is written.
type Workflow struct {
	Name        string `json:"workflow"`
	Description string `json:"description,omitempty"`
	// a run's subject: "Refund {amount} to {customer}"
	Subject             string             `json:"subject,omitempty"`
	OwnerOnly           bool               `json:"owner_only,omitempty"`
	Input               json.RawMessage    `json:"input,omitempty"` // JSON Schema
	Output              Mapping            `json:"output,omitzero"` // target ← source path
	Timeout             *quantity.Duration `json:"timeout,omitempty"`
	StopOnError         *bool              `json:"stop_on_error,omitempty"`
	ConfidenceThreshold *float64           `json:"confidence_threshold,omitempty"`
	Loops               *Loops             `json:"loops,omitempty"`
	Snapshots           Snapshots          `json:"snapshots,omitempty"`
	Speculate           bool               `json:"speculate,omitempty"` // harmless steps run ahead of approvals
	Notify              json.RawMessage    `json:"notify,omitempty"`
	Labels              map[string]string  `json:"labels,omitempty"`
	Sensitive           []string           `json:"sensitive,omitempty"` // fields whose values are restricted
	// LLM agents that any agent of the workflow may hand off to
	HandOff []string `json:"hand_off,omitempty"`
	// default approvers, if neither a gate nor a rule names any
	Ask   *Ask   `json:"ask,omitempty"`
	Steps []Step `json:"steps"`
	Gates []Gate `json:"gates,omitempty"`
}

// Loops are the decision points between layers.
type Loops struct {
	Agent  *AgentLoop `json:"agent,omitempty"`
	Human  HumanLoop  `json:"human,omitzero"`
	Replan ReplanMode `json:"replan,omitempty"`
	Learn  LearnMode  `json:"learn,omitempty"`
}

// LearnMode is what is kept of a run for later searches; empty: LearnTools.
type LearnMode string

const (
	LearnTools LearnMode = "tools" // names of tools and how they followed each other
	// What people and agents asked for as well: the workflow declares that their words are not sensitive.
	LearnRequests LearnMode = "requests"
)

// LearnModes lists them all.
var LearnModes = []LearnMode{LearnTools, LearnRequests}

// LearnsRequests reports whether a workflow declares that what people and agents ask for in its runs is not sensitive.
func (l *Loops) LearnsRequests() bool { return l != nil && l.Learn == LearnRequests }

// ReplanMode is whether people approve the steps that are found for a new requirement; empty: unless all of
// them are harmless.
type ReplanMode string

const (
	ReplanAsk ReplanMode = "ask"
	ReplanGo  ReplanMode = "go"
)

// ReplanModes lists them all.
var ReplanModes = []ReplanMode{ReplanAsk, ReplanGo}

// Agents lists the agents that are consulted; none for a workflow without loops.
func (l *Loops) Agents() (names []string) {
	if l == nil {
		return nil
	}
	if l.Agent != nil {
		names = append(names, l.Agent.Agent)
	}
	if by := l.Human.SummaryBy(); by != "" {
		names = append(names, by)
	}
	return names
}

// AgentLoop asks an agent whether to continue, replan, abort, or ask people.
type AgentLoop struct {
	Agent    string             `json:"agent"`
	At       AgentAt            `json:"at,omitempty"`
	Timeout  *quantity.Duration `json:"timeout,omitempty"`  // nil: 60 seconds
	Fallback Fallback           `json:"fallback,omitempty"` // without a usable answer; empty: continue
}

// Fallback is how a run proceeds if the agent in the loop has no usable answer in time. None of them ends it.
type Fallback string

const (
	FallbackContinue Fallback = "continue"
	FallbackPause    Fallback = "pause"
	FallbackAsk      Fallback = "ask" // people decide
)

// Fallbacks lists them all.
var Fallbacks = []Fallback{FallbackContinue, FallbackPause, FallbackAsk}

// AgentAt is when the agent in the loop is asked; empty means per layer.
type AgentAt string

const (
	PerLayer AgentAt = "per_layer"
	OnError  AgentAt = "on_error"
	Manual   AgentAt = "manual"
)

// AgentAts lists them all.
var AgentAts = []AgentAt{PerLayer, OnError, Manual}

// HumanLoop is when people are asked between layers, who they are and by when. A document may give the first
// alone: human: always.
type HumanLoop struct {
	When HumanWhen `json:"when,omitempty"`
	Ask
	// Summary is who writes the summary that people read: template, or the name of an agent.
	Summary string `json:"summary,omitempty"`
}

// HumanWhen is when people are asked between layers; empty means never.
type HumanWhen string

const (
	HumanAlways       HumanWhen = "always"
	HumanCriticalOnly HumanWhen = "critical_only"
	HumanNever        HumanWhen = "never"
)

// HumanWhens lists them all.
var HumanWhens = []HumanWhen{HumanAlways, HumanCriticalOnly, HumanNever}

// SummaryTemplate is the summary that needs no agent.
const SummaryTemplate = "template"

// SummaryBy is the agent that writes summaries; empty: none does.
func (h *HumanLoop) SummaryBy() string {
	if h.Summary == SummaryTemplate {
		return ""
	}
	return h.Summary
}

// humanLoop has the fields of HumanLoop without its methods.
type humanLoop HumanLoop

// UnmarshalJSON decodes a word, or an object.
func (h *HumanLoop) UnmarshalJSON(raw []byte) error {
	*h = HumanLoop{}
	if value.KindOf(raw) == value.KindObject {
		return json.Unmarshal(raw, (*humanLoop)(h))
	}
	return json.Unmarshal(raw, &h.When)
}

// MarshalJSON encodes a loop that has nothing but a word as that word.
func (h HumanLoop) MarshalJSON() ([]byte, error) {
	if h.Summary == "" && h.Role == "" && h.People == nil && h.Quorum == 0 && h.Timeout == nil {
		return json.Marshal(h.When)
	}
	return json.Marshal(humanLoop(h))
}

// Snapshots is when a run saves a place to resume from by itself; empty means
// manual: when someone asks for it.
type Snapshots string

const (
	SnapshotsPerLayer Snapshots = "per_layer"
	SnapshotsPerStep  Snapshots = "per_step"
	SnapshotsManual   Snapshots = "manual"
)

// SnapshotWords lists them all.
var SnapshotWords = []Snapshots{SnapshotsPerLayer, SnapshotsPerStep, SnapshotsManual}

// Step is a node of the plan: an agent, a tool, a sub-workflow or a human task.
type Step struct {
	ID string `json:"id" holds:"id"`
	// title of approvals by rules: Refund {amount} {currency} to {customer}
	Title     string             `json:"title,omitempty" holds:"line,kept"`
	Agent     string             `json:"agent,omitempty" holds:"id"`
	Tool      string             `json:"tool,omitempty" holds:"id"` // called with the input as its arguments
	Workflow  string             `json:"workflow,omitempty" holds:"id"`
	Human     *Gate              `json:"human,omitempty"`
	Needs     *[]string          `json:"needs,omitempty" holds:"id"`     // nil: the previous step; empty: none
	NeededBy  []string           `json:"needed_by,omitempty" holds:"id"` // only in edits of a running plan
	Replaces  string             `json:"replaces,omitempty" holds:"id"`  // likewise: a failed step whose place it takes
	If        string             `json:"if,omitempty" holds:"text,blank"`
	With      Mapping            `json:"with,omitzero"` // nil: the context, for a tool nothing; empty: nothing
	Each      string             `json:"each,omitempty" holds:"id"`
	Width     int                `json:"width,omitempty"`
	Timeout   *quantity.Duration `json:"timeout,omitempty"`
	Retry     *Retry             `json:"retry,omitempty"`
	Operation string             `json:"operation,omitempty" holds:"id"`
	Risk      risk.Level         `json:"risk,omitempty" holds:"id"`
	Sample    json.RawMessage    `json:"sample,omitempty" holds:"payload,blank"`
	Effects   string             `json:"effects,omitempty" holds:"id"` // none: allowed in test runs
	// ReversibleBy is the operation or tool that undoes it; none: irreversible.
	ReversibleBy string `json:"reversible_by,omitempty" holds:"id"`
}

// Retry defines how often and at which interval a failing step is retried.
type Retry struct {
	Max        int                `json:"max,omitempty"` // including the first attempt
	Backoff    *quantity.Duration `json:"backoff,omitempty"`
	Factor     float64            `json:"factor,omitempty"`
	MaxBackoff *quantity.Duration `json:"max_backoff,omitempty"`
}

// Gate is a point where people may be asked.
type Gate struct {
	ID string `json:"id,omitempty" holds:"id"`
	// start | before STEP | after STEP | call TOOL | end
	At   string `json:"at,omitempty" holds:"id"`
	When string `json:"when,omitempty" holds:"text,blank"`
	// ask | ignore: how to treat a missing field of when
	IfMissing      string             `json:"if_missing,omitempty" holds:"id"`
	Kind           gate.Kind          `json:"kind,omitempty" holds:"id"`
	Title          string             `json:"title,omitempty" holds:"line"`
	Description    string             `json:"description,omitempty" holds:"text"`
	Role           string             `json:"role,omitempty" holds:"id"`
	Roles          map[string]int     `json:"roles,omitempty" holds:"id"`
	Assignees      []string           `json:"assignees,omitempty" holds:"id"`
	Quorum         int                `json:"quorum,omitempty"`
	Requester      string             `json:"requester,omitempty" holds:"id"` // allowed | excluded
	Acts           []gate.Act         `json:"acts,omitempty" holds:"id"`
	OnReject       gate.OnReject      `json:"on_reject,omitempty" holds:"id"`
	Revise         string             `json:"revise,omitempty" holds:"id"`
	Timeout        *GateTimeout       `json:"timeout,omitempty"`
	Remind         *quantity.Duration `json:"remind,omitempty"`
	PauseAfter     *quantity.Duration `json:"pause_after,omitempty"`
	Escalate       []Escalation       `json:"escalate,omitempty"`
	Show           []string           `json:"show,omitempty" holds:"id"`
	Options        []gate.Option      `json:"options,omitempty" holds:"kept"`
	InputSchema    json.RawMessage    `json:"input_schema,omitempty" holds:"config"`
	AutoApprovable bool               `json:"auto_approvable,omitempty"`
	Notify         json.RawMessage    `json:"notify,omitempty" holds:"config"`
}

// GateTimeout defines what happens on timeout.
type GateTimeout struct {
	After   quantity.Duration `json:"after"`
	Then    gate.Then         `json:"then" holds:"id"`
	Default json.RawMessage   `json:"default,omitempty" holds:"payload,kept"`
	// Irreversible allows a timeout to approve irreversible actions as well.
	Irreversible bool `json:"irreversible,omitempty"`
}

// Escalation is one level of a chain; After counts from when the approval was opened.
type Escalation struct {
	After quantity.Duration `json:"after"`
	To    string            `json:"to" holds:"id"`
}

// Agent is what the core needs to know about a registered agent. Adapters keep the rest (addresses, keys,
// prompts) to themselves.
type Agent struct {
	Name                string                `json:"agent" holds:"id"`
	Kind                AgentKind             `json:"kind" holds:"id"`
	Input               json.RawMessage       `json:"input,omitempty" holds:"config"`
	Output              json.RawMessage       `json:"output,omitempty" holds:"config"`
	ConfidenceThreshold *float64              `json:"confidence_threshold,omitempty"`
	Queue               string                `json:"queue,omitempty" holds:"id"`
	Sample              json.RawMessage       `json:"sample,omitempty" holds:"config"`
	Autonomy            risk.Autonomy         `json:"autonomy,omitempty" holds:"id"`
	ToolRisk            map[string]risk.Class `json:"tool_risk,omitempty" holds:"id"`
	Limits              *Limits               `json:"limits,omitempty"`
	HandOff             []string              `json:"hand_off,omitempty" holds:"id"` // LLM agents that it may hand off to
	// approvers of its work; takes precedence over the workflow's
	Ask     *Ask   `json:"ask,omitempty"`
	Effects string `json:"effects,omitempty" holds:"id"` // none: allowed in test runs
}

// Ask defines the approvers if neither a gate nor a rule names any.
type Ask struct {
	Role    string       `json:"role,omitempty" holds:"id"`
	People  []string     `json:"people,omitempty" holds:"id"`
	Quorum  int          `json:"quorum,omitempty"`
	Timeout *GateTimeout `json:"timeout,omitempty"`
}

// DefaultRole is the default approvers' role, unless the deployment sets another.
const DefaultRole = "approver"

// EffectsNone declares that a call has no side effects and costs nothing. It is the only value for effects:
// without it, anything is possible.
const EffectsNone = "none"

// ReversibleNone declares that an action is irreversible.
const ReversibleNone = "none"

// Tool is what is known about a tool before a step calls it.
type Tool struct {
	Args, Output json.RawMessage // JSON Schemas; nil: unknown
	Risk         risk.Class      // empty: unknown
	// Missing is why there may be no such tool; empty: there is one, as far as is known.
	Missing string
}

// AgentKind is how an agent is reached.
type AgentKind string

const (
	AgentScripted AgentKind = "scripted"
	AgentHTTP     AgentKind = "http"
	AgentCommand  AgentKind = "command"
	AgentLLM      AgentKind = "llm"
	AgentMCP      AgentKind = "mcp"
	AgentGo       AgentKind = "go"

	// AgentTool performs the steps that call a tool. No document has this kind.
	AgentTool AgentKind = "tool"
)

// AgentKinds lists them all.
var AgentKinds = []AgentKind{AgentScripted, AgentHTTP, AgentCommand, AgentLLM, AgentMCP, AgentGo}

// Limits bound a long-running agent. Zero means no limit.
type Limits struct {
	Duration   quantity.Duration `json:"duration,omitempty"`
	CostUSD    quantity.Money    `json:"cost_usd,omitempty"`
	Iterations int               `json:"iterations,omitempty"`
	OnLimit    string            `json:"on_limit,omitempty" holds:"id"` // stop | ask
}

// Definition is everything a run is bound to: the workflow's version and the agents it names, as they were
// when the run started.
type Definition struct {
	Workflow  Workflow            `json:"definition"`
	Version   int                 `json:"version"`
	Agents    map[string]Agent    `json:"agents"`
	Workflows map[string]Workflow `json:"-"` // other workflows known during validation
	// Tools finds what is known about a tool during validation; nil: nothing is. A run looks tools up when it
	// uses them.
	Tools func(name string) (Tool, bool) `json:"-"`
	// ConfidenceThreshold of the deployment; nil means 0.7.
	ConfidenceThreshold *float64 `json:"confidence_threshold,omitempty"`
	// DefaultRole of the deployment; empty, as in runs of earlier releases: any approver.
	DefaultRole string `json:"default_role,omitempty"`
	// GatesIfMissing is the deployment's default for gates without if_missing; empty, as in runs of earlier
	// releases: ignore.
	GatesIfMissing string `json:"gates_if_missing,omitempty"`
	// ToolRisk is the risk of tools that steps call, by name, as far as it was known when the run started.
	ToolRisk map[string]risk.Class `json:"tool_risk,omitempty"`
}

// What a gate does when a field of its condition is missing. Ignore evaluates the condition literally: a
// comparison with a missing field is false.
const (
	MissingAsks    = "ask"
	MissingIgnored = "ignore"
)

// AsksIfMissing reports whether a gate asks when a field of its condition is missing.
func (d *Definition) AsksIfMissing(g *Gate) bool {
	if g.IfMissing != "" {
		return g.IfMissing == MissingAsks
	}
	return d.GatesIfMissing == MissingAsks
}
