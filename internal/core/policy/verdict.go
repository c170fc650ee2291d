package policy

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
)

// Effect is what a verdict comes to.
type Effect string

const (
	None     Effect = ""        // no rule matched
	Asks     Effect = "ask"     // people decide
	Approves Effect = "approve" // goes on without people
	Denies   Effect = "deny"    // does not happen
)

// Nothing is None where people read it.
const Nothing Effect = "none"

// Subject is what a verdict is about.
type Subject struct {
	Run, Workflow, Step, Agent, Tool, Operation string

	Risk       risk.Level
	Confidence *float64 // nil: not known (yet)
	Result     bool     // a step's result, rather than something about to run
	// Irreversible says that what is about to run cannot be undone: only a rule that
	// says so itself approves it.
	Irreversible bool

	// Data holds the fields rules look at: a step's input, a call's arguments
	// or a result. Look finds everything else: input, context and the outputs
	// of steps. It may be nil.
	//
	// Arguments come from agents, and an agent must not be able to talk a rule
	// into something by adding a field. So risk, confidence, operation, tool
	// and agent are always those above; input and context always come from
	// Look, and so does step.field where Look knows the step. All other names
	// mean fields of Data, and only if there is none what Look knows.
	Data json.RawMessage
	Look expr.Lookup

	Key  string                // stable identity for rollouts and samples
	Uses func(rule string) int // how often a rule has approved; nil: never
	// Total is what other acts add up to, if that is known; nil: it is not.
	Total func(SumQuery) (Total, bool)
	Test  bool // it is an act of a test run, which counts only among test runs
	// Granted is the rule that approved this very thing before: its use has been
	// counted already.
	Granted string
}

// Verdict is what a policy says about a subject. It is recorded, and never
// computed again for the same event.
type Verdict struct {
	Effect Effect   `json:"effect,omitempty"`
	Rule   string   `json:"rule,omitempty"`
	Policy string   `json:"policy,omitempty"` // hash of the set that spoke
	Reason string   `json:"reason,omitempty"` // a sentence for people
	Sum    string   `json:"sum,omitempty"`    // what acts add up to, if that decided: a sentence for people
	Limits []string `json:"-"`                // thresholds that what is asked about exceeds, each in words
	Deny   string   `json:"deny,omitempty"`   // what to tell who is refused
	// template of the approval's title, with fields: Refund {amount} {currency}
	Title       string   `json:"title,omitempty"`
	Ask         Ask      `json:"ask,omitzero"`
	Log         bool     `json:"log,omitempty"`
	NotifyAfter bool     `json:"notify_after,omitempty"` // tell people what was approved
	Sample      bool     `json:"sample,omitempty"`       // have a person look at it afterwards
	Channels    []string `json:"channels,omitempty"`
	MaxUses     int      `json:"max_uses,omitempty"` // how often the rule may approve in all; 0: any number
}

// Ask says whom to ask, for how long, and what then.
type Ask struct {
	Count    int             `json:"count,omitempty"`
	Role     string          `json:"role,omitempty"`
	Roles    map[string]int  `json:"roles,omitempty"`
	Timeout  time.Duration   `json:"timeout_ns,omitempty"`
	Then     gate.Then       `json:"then,omitempty"`
	Escalate []Escalation    `json:"escalate,omitempty"`
	Notify   json.RawMessage `json:"notify,omitempty"`
}

// Escalation is one rung of a chain, counted from the opening.
type Escalation struct {
	After time.Duration `json:"after_ns"`
	To    string        `json:"to"`
}
