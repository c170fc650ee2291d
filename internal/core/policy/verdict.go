package policy

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
)

// Effect is the outcome of a verdict.
type Effect string

const (
	None     Effect = ""        // no rule matched
	Asks     Effect = "ask"     // people decide
	Approves Effect = "approve" // continues without approval
	Denies   Effect = "deny"    // is denied
)

// Nothing is how None is shown to people.
const Nothing Effect = "none"

// Subject is the subject of a verdict.
type Subject struct {
	Run, Workflow, Step, Agent, Tool, Operation string

	Risk       risk.Level
	Confidence *float64 // nil: not known (yet)
	Result     bool     // a step's result rather than an action about to run
	// Irreversible marks an action that cannot be undone: only a rule that explicitly includes such actions
	// approves it.
	Irreversible bool

	// Data holds the fields that rules look at: a step's input, a call's arguments or a result. Look resolves
	// everything else: input, context and the outputs of steps. It may be nil.
	//
	// Arguments come from agents, and an agent must not be able to sway a rule by adding a field. So risk,
	// confidence, operation, tool and agent always refer to the fields above; input and context always come
	// from Look, and so does step.field if Look knows the step. All other names refer to fields of Data, and
	// fall back to Look only if Data has none.
	Data json.RawMessage
	Look expr.Lookup

	Key  string                // stable identity for rollouts and samples
	Uses func(rule string) int // how often a rule has approved; nil: never
	// Total returns the total over other acts, if known; nil: unknown.
	Total func(SumQuery) (Total, bool)
	Test  bool // an act of a test run, which counts only among test runs
	// Granted is the rule that already approved this very action: its use has been counted.
	Granted string
}

// Verdict is a policy's verdict on a subject. It is recorded, and never recomputed for the same event.
type Verdict struct {
	Effect Effect   `json:"effect,omitempty"`
	Rule   string   `json:"rule,omitempty"`
	Policy string   `json:"policy,omitempty"` // hash of the policy that decided
	Reason string   `json:"reason,omitempty"` // a sentence for people
	Sum    string   `json:"sum,omitempty"`    // the totals, if they decided: a sentence for people
	Limits []string `json:"-"`                // thresholds that the subject exceeds, each in words
	Deny   string   `json:"deny,omitempty"`   // message for the requester when denied
	// template of the approval's title, with fields: Refund {amount} {currency}
	Title       string   `json:"title,omitempty"`
	Ask         Ask      `json:"ask,omitzero"`
	Log         bool     `json:"log,omitempty"`
	NotifyAfter bool     `json:"notify_after,omitempty"` // notify people of the approval
	Sample      bool     `json:"sample,omitempty"`       // sample for review by a person
	Channels    []string `json:"channels,omitempty"`
	MaxUses     int      `json:"max_uses,omitempty"` // how often the rule may approve in total; 0: no limit
}

// Ask defines whom to ask, for how long, and what happens on timeout.
type Ask struct {
	Count    int             `json:"count,omitempty"`
	Role     string          `json:"role,omitempty"`
	Roles    map[string]int  `json:"roles,omitempty"`
	Timeout  time.Duration   `json:"timeout_ns,omitempty"`
	Then     gate.Then       `json:"then,omitempty"`
	Escalate []Escalation    `json:"escalate,omitempty"`
	Notify   json.RawMessage `json:"notify,omitempty"`
}

// Escalation is one level of a chain; its time counts from when the approval was opened.
type Escalation struct {
	After time.Duration `json:"after_ns"`
	To    string        `json:"to"`
}
