// Package policy decides by rule who has to be asked: nobody, people, or
// neither because the answer is no.
//
// A Document is what an administrator writes. Compile checks all of it at once
// and turns it into a Set; Judge then gives a Verdict about one Subject, which
// is a step about to run, a tool call, or a step's result:
//
//	set, problems := policy.Compile(doc, time.LoadLocation)
//	v := set.Judge(now, policy.Subject{Operation: "refund", Risk: risk.High, Data: args})
//	switch v.Effect {
//	case policy.Asks:     // put v.Ask to people
//	case policy.Approves: // go on, and record v.Reason
//	case policy.Denies:   // refuse with v.Deny
//	}
//
// Rules are asked in the order of their priority and the first that matches
// decides. If none does, the rules under auto_approval are asked in the order
// they are written. The switches there (enabled, emergency_stop, business
// hours) hold for every automatic approval: one that is not allowed now becomes
// a question to people, with the reason.
//
// What is not known is not safe. A field that is missing, null or of the wrong
// type makes its condition unknown, and so does a confidence that was not given.
// A rule that approves needs a condition that is true. A rule that asks or
// refuses also speaks where its condition is unknown, and then it asks and names
// the field. Where a rule would approve but for something unknown and no other
// rule decides, people are asked. With if_missing: ignore what is missing
// matches nothing.
package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/risk"
)

// Document is a policy as people write it. Checkpoints are rules under their
// name in specification 000.
type Document struct {
	Name         string        `json:"policy,omitempty"`
	Version      Scalar        `json:"version,omitempty"`
	Description  string        `json:"description,omitempty"`
	Rules        []Rule        `json:"rules,omitempty"`
	Checkpoints  []Rule        `json:"checkpoints,omitempty"`
	AutoApproval *AutoApproval `json:"auto_approval,omitempty"`
}

// Rule says what to do when its trigger holds. Smaller priorities come first.
type Rule struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Enabled     *bool   `json:"enabled,omitempty"` // default true
	Priority    int     `json:"priority"`
	Title       string  `json:"title,omitempty"`      // of the approvals: Refund {amount} {currency} to {customer}
	IfMissing   string  `json:"if_missing,omitempty"` // ask (default) | ignore
	Trigger     Trigger `json:"trigger"`
	Action      Action  `json:"action"`
}

// Trigger holds when everything holds that is given; of a list, any element
// will do. A word may end in * to stand for all that begin so.
type Trigger struct {
	At              string           `json:"at,omitempty"` // act: before it happens; result: afterwards
	RiskLevel       List[risk.Level] `json:"risk_level,omitempty"`
	OperationType   List[string]     `json:"operation_type,omitempty"`
	DataThreshold   Fields           `json:"data_threshold,omitempty"`
	AgentConfidence *Confidence      `json:"agent_confidence,omitempty"`
	CustomField     Fields           `json:"custom_field,omitempty"`
	Expr            string           `json:"expr,omitempty"`
	Workflow        List[string]     `json:"workflow,omitempty"`
	Agent           List[string]     `json:"agent,omitempty"`
	Tool            List[string]     `json:"tool,omitempty"`
}

// Action is what a rule does: approve, refuse, or else ask.
type Action struct {
	AutoApprove          bool            `json:"auto_approve,omitempty"`
	Deny                 string          `json:"deny,omitempty"`
	RequireApprovalCount *int            `json:"require_approval_count,omitempty"` // default 1
	Role                 string          `json:"role,omitempty"`
	Roles                map[string]int  `json:"roles,omitempty"`
	TimeoutSeconds       float64         `json:"timeout_seconds,omitempty"`
	OnTimeout            string          `json:"on_timeout,omitempty"`
	Escalation           *Chain          `json:"escalation,omitempty"`
	Notification         json.RawMessage `json:"notification,omitempty"`

	// Of approvals. expires_at and max_uses end any rule.
	RolloutPercentage    *float64     `json:"rollout_percentage,omitempty"`
	Rollout              *Rollout     `json:"rollout,omitempty"` // the same, or growing: {to: 50, over: 14d}
	SamplePercentage     *float64     `json:"sample_percentage,omitempty"`
	ExpiresAt            string       `json:"expires_at,omitempty"`
	MaxUses              *int         `json:"max_uses,omitempty"`
	LogDecision          *bool        `json:"log_decision,omitempty"` // default true
	Notify               *bool        `json:"notify,omitempty"`       // tell people afterwards
	NotificationChannels List[string] `json:"notification_channels,omitempty"`
	Irreversible         bool         `json:"irreversible,omitempty"` // also of what cannot be undone
}

// Chain says to whom an unanswered approval goes, and when.
type Chain struct {
	Enabled      *bool        `json:"enabled,omitempty"` // default true
	AfterSeconds float64      `json:"after_seconds,omitempty"`
	EscalateTo   List[string] `json:"escalate_to,omitempty"` // ann, ann@example.com, role:manager
}

// AutoApproval holds the switches for all automatic approvals, and rules that
// are asked when no other matched.
type AutoApproval struct {
	Enabled  *bool      `json:"enabled,omitempty"` // default true
	Settings Settings   `json:"global_settings,omitzero"`
	Rules    []AutoRule `json:"rules,omitempty"`
}

// Settings are the switches.
type Settings struct {
	BusinessHoursOnly bool   `json:"business_hours_only,omitempty"`
	BusinessHours     *Hours `json:"business_hours,omitempty"`
	EmergencyStop     bool   `json:"emergency_stop,omitempty"`
}

// Hours are times of day, "09:00-17:00" or "disabled", in one time zone. A
// range may cross midnight: "22:00-06:00". Holidays are dates, 2026-12-25.
type Hours struct {
	Timezone       string       `json:"timezone,omitempty"`
	MondayFriday   string       `json:"monday_friday,omitempty"`
	SaturdaySunday string       `json:"saturday_sunday,omitempty"`
	Holidays       List[string] `json:"holidays,omitempty"`
}

// AutoRule is a rule under auto_approval.
type AutoRule struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Enabled     *bool      `json:"enabled,omitempty"` // default true
	Title       string     `json:"title,omitempty"`   // of the approvals
	IfMissing   string     `json:"if_missing,omitempty"`
	Conditions  Conditions `json:"conditions"`
	Action      Action     `json:"action"`
}

// Conditions are a trigger in which confidence may be written shorter.
type Conditions struct {
	Trigger
	Confidence *Confidence `json:"confidence,omitempty"`
}

// Field compares a field of the data with a value, or what it adds up to over
// all acts with the rule's operations.
type Field struct {
	Field    string          `json:"field"`
	Sum      string          `json:"sum,omitempty"` // run, or over all runs within a time: 24h
	By       string          `json:"by,omitempty"`  // only acts with the same value here: customer_id
	Operator string          `json:"operator"`
	Value    json.RawMessage `json:"value"`
}

// Decode reads a document strictly: an unknown key is an error.
func Decode(raw []byte) (Document, error) {
	var doc Document
	if err := strict(raw, &doc); err != nil {
		return Document{}, fault.New(fault.Invalid, "policy: "+strings.TrimPrefix(err.Error(), "json: "), "")
	}
	return doc, nil
}

func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("there is more than one document")
	}
	return nil
}

func first(raw []byte) byte {
	if raw = bytes.TrimLeft(raw, " \t\r\n"); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

// List reads one word or a list of them, and writes a list.
type List[T ~string] []T

func (l *List[T]) UnmarshalJSON(raw []byte) error {
	switch first(raw) {
	case 'n':
		*l = nil
		return nil
	case '[':
		out := []T{}
		err := json.Unmarshal(raw, &out)
		*l = out
		return err
	}
	var one T
	err := json.Unmarshal(raw, &one)
	*l = List[T]{one}
	return err
}

// Fields reads one comparison or a list of them, and writes a list.
type Fields []Field

func (f *Fields) UnmarshalJSON(raw []byte) error {
	switch first(raw) {
	case 'n':
		*f = nil
		return nil
	case '[':
		out := []Field{}
		err := strict(raw, &out)
		*f = out
		return err
	}
	var one Field
	err := strict(raw, &one)
	*f = Fields{one}
	return err
}

// Confidence compares the agent's confidence with a value from 0 to 1. It
// reads {"operator": ">=", "value": 0.8} and ">= 0.8", and writes the former.
type Confidence struct {
	Operator string   `json:"operator"`
	Value    *float64 `json:"value"`
}

func (c *Confidence) UnmarshalJSON(raw []byte) error {
	if first(raw) != '"' {
		type plain Confidence
		return strict(raw, (*plain)(c))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	// What cannot be read stays in Operator for Compile to complain about.
	s = strings.TrimSpace(s)
	sign := s[:len(s)-len(strings.TrimLeft(s, "<>=!"))]
	*c = Confidence{Operator: s}
	if n, err := strconv.ParseFloat(strings.TrimSpace(s[len(sign):]), 64); err == nil && sign != "" {
		*c = Confidence{Operator: sign, Value: &n}
	}
	return nil
}

// Scalar reads a string or a number as text: version: 1.0 and "1.0" are one.
type Scalar string

func (s *Scalar) UnmarshalJSON(raw []byte) error {
	if c := first(raw); c == '-' || '0' <= c && c <= '9' {
		*s = Scalar(bytes.TrimSpace(raw))
		return nil
	}
	return json.Unmarshal(raw, (*string)(s))
}
