// Package policy decides by rule whether an action is approved automatically, needs approval, or is denied.
//
// Administrators write a Document. Compile validates it and turns it into a Set; Judge then returns a Verdict
// on one Subject: a step about to run, a tool call, or a step's result.
//
//	set, problems := policy.Compile(doc, time.LoadLocation)
//	v := set.Judge(now, policy.Subject{Operation: "refund", Risk: risk.High, Data: args})
//	switch v.Effect {
//	case policy.Asks:     // open an approval with v.Ask
//	case policy.Approves: // continue, and record v.Reason
//	case policy.Denies:   // refuse with v.Deny
//	}
//
// Rules are evaluated in order of priority, and the first match decides. If none matches, the rules under
// auto_approval are evaluated in the order they are written. The settings there (enabled, emergency_stop,
// business hours) apply to every automatic approval: one that is currently not allowed becomes an approval
// request that states the reason.
//
// Unknown is not safe. A field that is missing, null or of the wrong type makes its condition unknown, and so
// does a missing confidence. A rule that approves needs its condition to be true. A rule that asks or denies
// also applies when its condition is unknown; it then asks and names the field. If a rule would approve
// except for an unknown field and no other rule decides, people are asked. With if_missing: ignore, a missing
// field does not match.
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

// Document is a policy as it is written. Checkpoints is the name specification 000 uses for rules.
type Document struct {
	Name         string        `json:"policy,omitempty"`
	Version      Scalar        `json:"version,omitempty"`
	Description  string        `json:"description,omitempty"`
	Rules        []Rule        `json:"rules,omitempty"`
	Checkpoints  []Rule        `json:"checkpoints,omitempty"`
	AutoApproval *AutoApproval `json:"auto_approval,omitempty"`
}

// Rule defines an action for subjects that match its trigger. Lower priorities come first.
type Rule struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Enabled     *bool   `json:"enabled,omitempty"` // default true
	Priority    int     `json:"priority"`
	Title       string  `json:"title,omitempty"`      // title of the approvals: Refund {amount} {currency} to {customer}
	IfMissing   string  `json:"if_missing,omitempty"` // ask (default) | ignore
	Trigger     Trigger `json:"trigger"`
	Action      Action  `json:"action"`
}

// Trigger matches when all of its parts match; for a list, any element is enough. A word may end in * to
// match a prefix.
type Trigger struct {
	At              string           `json:"at,omitempty"` // act: before execution; result: afterwards
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

// Action is a rule's action: approve, deny, or otherwise ask.
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

	// For approvals. expires_at and max_uses apply to any rule.
	RolloutPercentage    *float64     `json:"rollout_percentage,omitempty"`
	Rollout              *Rollout     `json:"rollout,omitempty"` // fixed, or growing: {to: 50, over: 14d}
	SamplePercentage     *float64     `json:"sample_percentage,omitempty"`
	ExpiresAt            string       `json:"expires_at,omitempty"`
	MaxUses              *int         `json:"max_uses,omitempty"`
	LogDecision          *bool        `json:"log_decision,omitempty"` // default true
	Notify               *bool        `json:"notify,omitempty"`       // notify people afterwards
	NotificationChannels List[string] `json:"notification_channels,omitempty"`
	Irreversible         bool         `json:"irreversible,omitempty"` // include irreversible actions
}

// Chain defines to whom an unanswered approval is escalated, and when.
type Chain struct {
	Enabled      *bool        `json:"enabled,omitempty"` // default true
	AfterSeconds float64      `json:"after_seconds,omitempty"`
	EscalateTo   List[string] `json:"escalate_to,omitempty"` // ann, ann@example.com, role:manager
}

// AutoApproval holds the settings for all automatic approvals, and rules that are evaluated when no other
// matched.
type AutoApproval struct {
	Enabled  *bool      `json:"enabled,omitempty"` // default true
	Settings Settings   `json:"global_settings,omitzero"`
	Rules    []AutoRule `json:"rules,omitempty"`
}

// Settings are the settings of auto_approval.
type Settings struct {
	BusinessHoursOnly bool   `json:"business_hours_only,omitempty"`
	BusinessHours     *Hours `json:"business_hours,omitempty"`
	EmergencyStop     bool   `json:"emergency_stop,omitempty"`
}

// Hours are times of day, "09:00-17:00" or "disabled", in one time zone. A range may span midnight:
// "22:00-06:00". Holidays are dates, 2026-12-25.
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
	Title       string     `json:"title,omitempty"`   // title of the approvals
	IfMissing   string     `json:"if_missing,omitempty"`
	Conditions  Conditions `json:"conditions"`
	Action      Action     `json:"action"`
}

// Conditions is a trigger with a shorthand for confidence.
type Conditions struct {
	Trigger
	Confidence *Confidence `json:"confidence,omitempty"`
}

// Field compares a field of the data, or its sum over all acts with the rule's operations, with a value.
type Field struct {
	Field    string          `json:"field"`
	Sum      string          `json:"sum,omitempty"` // run, or a window over all runs: 24h
	By       string          `json:"by,omitempty"`  // only acts with the same value of this field: customer_id
	Operator string          `json:"operator"`
	Value    json.RawMessage `json:"value"`
}

// Decode parses a document strictly: an unknown key is an error.
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

// List decodes one word or a list of words, and encodes a list.
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

// Fields decodes one comparison or a list of them, and encodes a list.
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

// Confidence compares the agent's confidence with a value from 0 to 1. It decodes {"operator": ">=", "value":
// 0.8} and ">= 0.8", and encodes the former.
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
	// An unreadable value stays in Operator for Compile to report.
	s = strings.TrimSpace(s)
	sign := s[:len(s)-len(strings.TrimLeft(s, "<>=!"))]
	*c = Confidence{Operator: s}
	if n, err := strconv.ParseFloat(strings.TrimSpace(s[len(sign):]), 64); err == nil && sign != "" {
		*c = Confidence{Operator: sign, Value: &n}
	}
	return nil
}

// Scalar decodes a string or a number as text: version: 1.0 and "1.0" are the same.
type Scalar string

func (s *Scalar) UnmarshalJSON(raw []byte) error {
	if c := first(raw); c == '-' || '0' <= c && c <= '9' {
		*s = Scalar(bytes.TrimSpace(raw))
		return nil
	}
	return json.Unmarshal(raw, (*string)(s))
}
