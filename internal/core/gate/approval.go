// Package gate settles approvals: who may decide, how many must, what they were shown, and what happens on
// timeout.
//
// An Approval is opened from a Request. After that only two things change it: a Ruling on a person's
// decision, and a Due time that has passed. Both are computed without modifying the approval, recorded by the
// caller, and then applied with Record, Settle and Pass:
//
//	r, err := a.Decide(Answer{By: ann, Act: gate.Approve, Version: 1}, now)
//	a.Record(r.Decision)             // once the decision is in the log
//	if r.Outcome != nil { a.Settle(*r.Outcome) }
package gate

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/risk"
)

// KindPerson is the kind of principal whose decisions count.
const KindPerson = "person"

// RoleAdmin may decide everything that the requester and owner rules do not forbid.
const RoleAdmin = "admin"

// Option is one option of a choice.
type Option struct {
	Value       string `json:"value" holds:"text,kept"`      // The recorded value.
	Label       string `json:"label,omitempty" holds:"text"` // The label shown to people.
	Description string `json:"description,omitempty" holds:"text"`
}

// Person is the principal who acts. For is set when a stand-in acts for another principal.
type Person struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind,omitempty"` // kind of principal; only people may decide. Empty: a person
	Roles    []string `json:"roles,omitempty"`
	For      string   `json:"for,omitempty"`
	ForRoles []string `json:"for_roles,omitempty"`
	// Also is the key under which the same subject of an identity provider is known when a token does not name them.
	Also string `json:"also,omitempty"`
}

// Action is what happens if the approval is granted.
type Action struct {
	// step, tool_call, result, run, output, limit or layer.
	Type string `json:"type" holds:"id"`
	// The operation as policy rules see it, such as send_email.
	Operation string `json:"operation,omitempty" holds:"id"`
	Tool      string `json:"tool,omitempty" holds:"id"`
	// The JSON Schema that changed arguments must match.
	ArgsSchema json.RawMessage `json:"args_schema,omitempty" holds:"config"`
	// Binds the approval to the content shown.
	Digest string `json:"digest" holds:"digest"`
	// The tool or operation that undoes it; none: it cannot be undone; omitted: unknown.
	ReversibleBy string `json:"reversible_by,omitempty" holds:"id"`
	// The documents that would be used, with their versions. The approval is bound to them.
	Implementation []Implementation `json:"implementation,omitempty"`
}

// Risk is a level with reasons in words.
type Risk struct {
	Level   risk.Level `json:"level,omitempty" holds:"id"`     // The level.
	Reasons []string   `json:"reasons,omitempty" holds:"text"` // Why, in words.
}

// Rule identifies the policy rule that asked.
type Rule struct {
	Name    string `json:"name" holds:"id"`
	Policy  string `json:"policy" holds:"id"` // The version of the policy: pol_…
	Reason  string `json:"reason,omitempty" holds:"text"`
	MaxUses int    `json:"max_uses,omitempty"` // The maximum number of approvals by the rule; omitted without a limit.
}

// Rung is one level of an escalation chain.
type Rung struct {
	At time.Time `json:"at"`
	To string    `json:"to" holds:"id"`
}

// Terms define who decides, how many, by when, and what happens otherwise.
type Terms struct {
	Role             string         `json:"role,omitempty" holds:"id"`
	Roles            map[string]int `json:"roles,omitempty" holds:"id"` // number of approvals needed, by role
	Assignees        []string       `json:"assignees,omitempty" holds:"id"`
	Quorum           int            `json:"quorum"`
	Requester        string         `json:"requester,omitempty" holds:"id"`
	ExcludeRequester bool           `json:"exclude_requester,omitempty"`
	OnlyOwner        string         `json:"only_owner,omitempty" holds:"id"`
	// Private is true if only the assignees can see it, because no gate requires it.
	Private  bool            `json:"private,omitempty"`
	Acts     []Act           `json:"acts" holds:"id"`
	OnReject OnReject        `json:"on_reject,omitempty" holds:"id"`
	Revise   string          `json:"revise,omitempty" holds:"id"`
	Deadline time.Time       `json:"deadline,omitzero"`
	Then     Then            `json:"then,omitempty" holds:"id"`
	Default  json.RawMessage `json:"default,omitempty" holds:"payload,kept"`
	Remind   time.Duration   `json:"remind,omitempty"`
	PauseAt  time.Time       `json:"pause_at,omitzero"`
	Escalate []Rung          `json:"escalate,omitempty"`
	Notify   json.RawMessage `json:"notify,omitempty" holds:"config"`
}

// Request is everything an approval shows to people.
type Request struct {
	ID          string            `json:"id" holds:"id"`
	Kind        Kind              `json:"kind" holds:"id"`
	Reason      Reason            `json:"reason" holds:"id"`
	Gate        string            `json:"gate,omitempty" holds:"id"`
	Step        string            `json:"step,omitempty" holds:"id"`
	Index       *int              `json:"index,omitempty"` // element of a map
	Call        string            `json:"call,omitempty" holds:"id"`
	Agent       string            `json:"agent,omitempty" holds:"id"`
	Title       string            `json:"title" holds:"line"`
	About       string            `json:"about,omitempty" holds:"line"` // subject of the run, in one line
	TestMode    bool              `json:"test_mode,omitempty"`          // true in a test run
	Description string            `json:"description,omitempty" holds:"text"`
	Action      Action            `json:"action"`
	Proposed    json.RawMessage   `json:"proposed,omitempty" holds:"payload"`
	ProposedBy  []Proposer        `json:"proposed_by,omitempty"` // agents whose results it contains
	Reasoning   string            `json:"reasoning,omitempty" holds:"text"`
	Confidence  *float64          `json:"confidence,omitempty"`
	Source      *ConfidenceSource `json:"confidence_source,omitempty"`
	Risk        Risk              `json:"risk,omitzero"`
	CostUSD     string            `json:"estimated_cost_usd,omitempty" holds:"id"`
	Show        json.RawMessage   `json:"show,omitempty" holds:"payload"`
	SoFar       string            `json:"so_far,omitempty" holds:"text"`
	IfDenied    string            `json:"if_denied,omitempty" holds:"text"`
	Options     []Option          `json:"options,omitempty"`
	InputSchema json.RawMessage   `json:"input_schema,omitempty" holds:"config"`
	Rule        *Rule             `json:"rule,omitempty"`
	Subject     *Subject          `json:"subject,omitempty"`
	Changed     []VersionChange   `json:"changed,omitempty"` // differences since the last approval
	Terms       Terms             `json:"terms"`
}

// SourceInput is the source of data that was passed to the run rather than proposed by an agent.
const SourceInput = "input"

// ConfidenceSource identifies whose confidence an approval shows: the lowest of the results that an action
// builds on.
type ConfidenceSource struct {
	// The step, or input if it comes from the run's input.
	Step string `json:"step" holds:"id"`
	// The agent that reported it.
	Agent string `json:"agent,omitempty" holds:"id"`
	// The confidence, from 0 to 1; null if not reported.
	Confidence *float64 `json:"confidence"`
}

// Proposer is an agent whose result is part of the proposal. Run input and data that people wrote have none.
type Proposer struct {
	Step      string `json:"step" holds:"id"`
	Agent     string `json:"agent" holds:"id"`
	Operation string `json:"operation,omitempty" holds:"id"` // operation of that step
	// fields of the proposal, or of each element of a map; empty: all of it
	Fields []string `json:"fields,omitempty" holds:"text"`
}

// Subject holds what a policy looks at in addition to what is shown, so that another policy can be evaluated
// on it later. Gates that no policy looks at have none.
type Subject struct {
	Key    string `json:"key" holds:"id"`   // stable identity for rollouts and samples
	Result bool   `json:"result,omitempty"` // a step's result rather than an action about to run
	Firm   bool   `json:"firm,omitempty"`   // people are asked regardless of rules
}

// Decision is a decision as recorded.
type Decision struct {
	By    string   `json:"by" holds:"id"`
	Roles []string `json:"roles,omitempty" holds:"id"`
	// The person for whom a stand-in decided.
	OnBehalfOf string `json:"on_behalf_of,omitempty" holds:"id"`
	// Where the person decided, if in another program.
	Via Via `json:"via,omitempty" holds:"id"`
	// The act.
	Act     Act             `json:"act" holds:"id"`
	Option  string          `json:"option,omitempty" holds:"text,kept"`
	Changes json.RawMessage `json:"changes,omitempty" holds:"payload"`
	Data    json.RawMessage `json:"data,omitempty" holds:"payload"`
	Comment string          `json:"comment,omitempty" holds:"text"`
	To      string          `json:"to,omitempty" holds:"id"`
	// If votes are counted by role: the role this vote counts for; * if none.
	//
	// Votes from before places were recorded have no role.
	Role string    `json:"role,omitempty" holds:"id"`
	At   time.Time `json:"at"`
	// The version that was decided.
	Version int `json:"version"`
	// The new proposal, if this decision changed it.
	Proposed json.RawMessage `json:"proposed,omitempty" holds:"payload"`
}

// Outcome is the result of the decisions, a deadline or the policy.
type Outcome struct {
	Status   Status          `json:"status" holds:"id"`
	Act      Act             `json:"act,omitempty" holds:"id"` // The act that takes effect.
	By       string          `json:"by,omitempty" holds:"id"`  // The person whose decision settled it.
	Option   string          `json:"option,omitempty" holds:"text,kept"`
	Data     json.RawMessage `json:"data,omitempty" holds:"payload"`
	Comment  string          `json:"comment,omitempty" holds:"text"`
	Proposed json.RawMessage `json:"proposed,omitempty" holds:"payload"` // The changed proposal, if it was changed.
	Cancel   bool            `json:"cancel,omitempty"`                   // True if the deadline cancelled the run.
}

// Positive reports whether the run may continue with the proposal.
func (o Outcome) Positive() bool {
	switch o.Act {
	case Approve, Modify, Choose, Submit:
		return o.Status != Cancelled
	}
	return false
}

// Approval is a request and everything that has happened to it.
type Approval struct {
	Request
	Status      Status          `json:"status" holds:"id"`
	Version     int             `json:"version"`
	Current     json.RawMessage `json:"current,omitempty" holds:"payload"` // the current proposal
	Decisions   []Decision      `json:"decisions,omitempty"`
	Delegations []Delegation    `json:"delegations,omitempty"`
	Also        []string        `json:"also,omitempty" holds:"id"` // who else may decide after escalations
	Rungs       int             `json:"rungs,omitempty"`           // current level of the chain
	RemindAt    time.Time       `json:"remind_at,omitzero"`
	PauseAt     time.Time       `json:"pause_at,omitzero"`
	DeadlineAt  time.Time       `json:"deadline_at,omitzero"`
	OpenedAt    time.Time       `json:"opened_at"`
	SettledAt   time.Time       `json:"settled_at,omitzero"`
	Sample      bool            `json:"sample,omitempty"` // approved by a rule, and to be reviewed afterwards
	Outcome     *Outcome        `json:"outcome,omitempty"`
	Comments    []Comment       `json:"comments,omitempty"`
}

// Comment is a comment without a decision.
type Comment struct {
	By   string    `json:"by" holds:"id"`
	Text string    `json:"text" holds:"text"` // The comment.
	At   time.Time `json:"at"`
}

// Delegation passes one person's vote to another.
type Delegation struct {
	From  string   `json:"from" holds:"id"`
	Roles []string `json:"roles,omitempty" holds:"id"`
	To    string   `json:"to" holds:"id"`
}

// Open creates an approval from a request.
func Open(q Request, at time.Time) *Approval {
	a := &Approval{
		Request: q, Status: Pending, Version: 1, Current: q.Proposed, OpenedAt: at,
		PauseAt: q.Terms.PauseAt, DeadlineAt: q.Terms.Deadline,
	}
	if q.Terms.Remind > 0 {
		a.RemindAt = at.Add(q.Terms.Remind)
	}
	return a
}

// Clone copies the parts that Record, Settle and Pass may change.
func (a *Approval) Clone() *Approval {
	c := *a
	c.Decisions = slices.Clip(a.Decisions)
	c.Delegations = slices.Clip(a.Delegations)
	c.Also = slices.Clip(a.Also)
	c.Comments = slices.Clip(a.Comments)
	return &c
}

// Record applies a decision.
func (a *Approval) Record(d Decision) {
	a.Decisions = append(a.Decisions, d)
	a.Version++
	if d.Proposed != nil {
		a.Current = d.Proposed
	}
	switch d.Act {
	case Escalate:
		a.escalateTo(d.To)
	case Delegate:
		a.Delegations = append(a.Delegations, Delegation{From: d.By, Roles: d.Roles, To: d.To})
	}
}

func (a *Approval) escalateTo(to string) {
	if !slices.Contains(a.Also, to) {
		a.Also = append(a.Also, to)
	}
	if a.Rungs < len(a.Terms.Escalate) && a.Terms.Escalate[a.Rungs].To == to {
		a.Rungs++
	}
}

// Settle applies the outcome; the approval does not change afterwards.
func (a *Approval) Settle(o Outcome, at time.Time) {
	a.Status, a.Outcome, a.SettledAt = o.Status, &o, at
	if o.Proposed != nil {
		a.Current = o.Proposed
	}
	a.RemindAt, a.PauseAt, a.DeadlineAt = time.Time{}, time.Time{}, time.Time{}
}

// Quorum is how many approvals are needed and how many there are.
type Quorum struct {
	Needed int            `json:"needed"`                       // The number of approvals needed.
	Given  int            `json:"given"`                        // The number of approvals given.
	ByRole map[string]int `json:"by_role,omitempty" holds:"id"` // Missing approvals, by role.
}

// Progress returns the current quorum.
func (a *Approval) Progress() Quorum {
	votes := a.votes(positiveOf(a.Kind), "")
	if a.Kind == KindChoice { // only votes for the same option add up
		votes = nil
		for _, o := range a.Options {
			if v := a.votes(positiveOf(a.Kind), o.Value); a.given(v) > a.given(votes) {
				votes = v
			}
		}
	}
	q := Quorum{Needed: a.needed(), Given: a.given(votes)}
	if len(a.Terms.Roles) > 0 {
		q.ByRole = map[string]int{}
		for _, role := range a.unfilled(votes) {
			q.ByRole[role]++
		}
	}
	return q
}

func (a *Approval) needed() int {
	n := max(a.Terms.Quorum, 1)
	sum := 0
	for _, c := range a.Terms.Roles {
		sum += c
	}
	return max(n, sum)
}

// roleOf returns the role in "role:manager", or "".
func roleOf(to string) string {
	role, ok := strings.CutPrefix(to, "role:")
	if !ok {
		return ""
	}
	return role
}
