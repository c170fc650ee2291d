package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/port"
)

func (v Approval) Texts() []string {
	out := []string{v.ID, v.Run, v.Workflow, v.Title, v.Subject, v.Step, v.Gate, v.Agent, v.Action.Tool, v.Requester}
	for _, who := range slices.Concat([]string{v.Role}, v.Assignees, v.EscalatedTo) {
		out = append(out, strings.TrimPrefix(who, "role:"))
	}
	for role := range v.Quorum.ByRole {
		out = append(out, role)
	}
	for _, d := range v.Decisions {
		out = append(out, d.By, d.OnBehalfOf)
	}
	return out
}

// Approval is an approval as the API shows it to one person.
type Approval struct {
	ID          string                 `json:"id" holds:"id"`
	Run         string                 `json:"run" holds:"id"`
	Workflow    string                 `json:"workflow" holds:"id"`
	Step        string                 `json:"step" holds:"id"`
	Index       *int                   `json:"index,omitempty"`
	Call        string                 `json:"call,omitempty" holds:"id"`
	Gate        string                 `json:"gate" holds:"id"`
	Agent       string                 `json:"agent" holds:"id"`
	Kind        gate.Kind              `json:"kind" holds:"id"`
	Reason      gate.Reason            `json:"reason" holds:"id"`
	Status      gate.Status            `json:"status" holds:"id"`
	Version     int                    `json:"version"`
	Title       string                 `json:"title" holds:"line"`
	Subject     string                 `json:"subject,omitempty" holds:"line"` // subject of the run
	TestMode    bool                   `json:"test_mode,omitempty"`            // of a test run
	Description string                 `json:"description" holds:"text"`
	Action      Action                 `json:"action"`
	Proposed    json.RawMessage        `json:"proposed" holds:"payload"`
	Original    json.RawMessage        `json:"original,omitempty" holds:"payload"` // before people changed it
	Reasoning   string                 `json:"reasoning" holds:"text"`
	Confidence  *float64               `json:"confidence"`
	Source      *gate.ConfidenceSource `json:"confidence_source"` // whose confidence it is
	Risk        gate.Risk              `json:"risk"`
	CostUSD     *string                `json:"estimated_cost_usd" holds:"id"`
	Show        json.RawMessage        `json:"show" holds:"payload"`
	SoFar       string                 `json:"so_far" holds:"text"`
	IfDenied    string                 `json:"if_denied" holds:"text"`
	Options     []gate.Option          `json:"options"`
	InputSchema json.RawMessage        `json:"input_schema" holds:"config"`
	Role        string                 `json:"role" holds:"id"`
	Assignees   []string               `json:"assignees" holds:"id"`
	EscalatedTo []string               `json:"escalated_to,omitempty" holds:"id"`
	Requester   string                 `json:"requester" holds:"id"`
	Quorum      gate.Quorum            `json:"quorum"`
	Decisions   []gate.Decision        `json:"decisions"`
	Acts        []gate.Act             `json:"acts" holds:"id"`
	// the person the reader would decide for, if not for themselves
	For         string     `json:"for,omitempty" holds:"id"`
	Away        []Away     `json:"away,omitempty"` // of the assignees
	RequestedAt time.Time  `json:"requested_at"`
	DeadlineAt  *time.Time `json:"deadline_at"`
	OnTimeout   gate.Then  `json:"on_timeout,omitempty" holds:"id"`
	// the answer in that case, where on_timeout is default
	Default  json.RawMessage      `json:"default,omitempty" holds:"payload"`
	RemindAt *time.Time           `json:"remind_at"`
	PauseAt  *time.Time           `json:"pause_at"`
	OnReject gate.OnReject        `json:"on_reject,omitempty" holds:"id"`
	Rule     *gate.Rule           `json:"rule"`
	Changed  []gate.VersionChange `json:"changed,omitempty"` // since it was last approved
	Outcome  *Outcome             `json:"outcome"`
	Comments []gate.Comment       `json:"comments"`
	Drafts   int                  `json:"drafts,omitempty"` // of the run, decided on together with the proposal
	Alike    *Alike               `json:"alike,omitempty"`  // in a grouped list, the approvals that the row represents
	Masking
}

// Action is what an approval would cause.
type Action struct {
	gate.Action
	Args json.RawMessage `json:"args,omitempty" holds:"payload"`
	// Reversible is yes, no or unknown; only for steps and calls that are about to run.
	Reversible string `json:"reversible,omitempty" holds:"id"`
}

// ActionOf adds to an action whether it can be undone.
func ActionOf(a gate.Action) Action {
	v := Action{Action: a}
	switch {
	case a.Type != "step" && a.Type != "tool_call":
	case a.ReversibleBy == "":
		v.Reversible = "unknown"
	case a.ReversibleBy == plan.ReversibleNone:
		v.Reversible = "no"
	default:
		v.Reversible = "yes"
	}
	return v
}

// Outcome is how an approval ended.
type Outcome struct {
	gate.Outcome
	At time.Time `json:"at"`
}

// ReadApproval is the whole approval behind a row.
func ReadApproval(row port.ApprovalRow) (*gate.Approval, error) {
	a := &gate.Approval{}
	if err := json.Unmarshal(row.Body, a); err != nil {
		return nil, fmt.Errorf("read approval %s: %w", row.ID, err)
	}
	return a, nil
}

// ApprovalOf shows an approval, except for the parts that depend on the reader. Unless full, long values appear as
// references with a preview.
func ApprovalOf(row port.ApprovalRow, a *gate.Approval, full bool) Approval {
	show := Shortener(full)
	t := &a.Terms
	v := Approval{
		ID: a.ID, Run: row.Run, Workflow: row.Workflow, Step: a.Step, Index: a.Index, Call: a.Call, Gate: a.Gate,
		Agent: a.Agent, Kind: a.Kind,
		Reason: a.Reason, Status: a.Status, Version: a.Version, Title: a.Title, Subject: a.About, TestMode: a.TestMode,
		Description: a.Description, Action: ActionOf(a.Action),
		Proposed: show(OrNull(a.Current)), Reasoning: a.Reasoning, Confidence: a.Confidence, Source: a.Source, Risk: a.Risk,
		CostUSD: TextOrNil(a.CostUSD),
		Show:    show(OrNull(a.Show)), SoFar: a.SoFar, IfDenied: cmp.Or(a.IfDenied, ifDenied(a)), Options: NotNil(a.Options),
		InputSchema: OrNull(a.InputSchema),
		Role:        t.Role, Assignees: assignees(a), EscalatedTo: a.Also, Requester: t.Requester, Quorum: a.Progress(),
		Decisions:   NotNil(a.Decisions),
		RequestedAt: a.OpenedAt, DeadlineAt: TimeOrNil(t.Deadline), OnTimeout: t.Then, RemindAt: TimeOrNil(a.RemindAt),
		PauseAt: TimeOrNil(a.PauseAt), OnReject: t.OnReject, Rule: a.Rule, Changed: a.Changed, Comments: NotNil(a.Comments),
	}
	if t.Then == gate.ThenDefault {
		v.Default = show(OrNull(t.Default))
	}
	if v.Risk.Level != "" && a.Step != "" && a.Call == "" {
		rated := fmt.Sprintf("step %s is rated %s risk by the workflow", a.Step, v.Risk.Level)
		v.Risk.Reasons = append([]string{rated}, v.Risk.Reasons...)
	}
	if a.Action.Tool != "" {
		v.Action.Args = v.Proposed
	}
	if a.Outcome != nil {
		v.Outcome = &Outcome{*a.Outcome, a.SettledAt}
		v.Outcome.Proposed = nil // it is in proposed
	}
	if string(a.Current) != string(a.Proposed) {
		v.Original = show(a.Proposed)
	}
	return v
}

// assignees are the people asked by name, including those it was delegated to.
func assignees(a *gate.Approval) []string {
	out := slices.Clone(NotNil(a.Terms.Assignees))
	for _, d := range a.Delegations {
		if !slices.Contains(out, d.To) {
			out = append(out, d.To)
		}
	}
	return out
}

// ifDenied describes the effect of a rejection where the workflow does not.
func ifDenied(a *gate.Approval) string {
	if !slices.Contains(a.Terms.Acts, gate.Reject) {
		return ""
	}
	return map[gate.OnReject]string{
		gate.RejectFails:   "The run fails. You can resume or retry it.",
		gate.RejectCancels: "The run is cancelled.",
		gate.RejectRevises: "The step runs again with your comment.",
		gate.RejectTells:   "This is skipped and the run continues.",
	}[a.Terms.OnReject]
}

func OrNull(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}

// Away is a notice that an assignee is away.
type Away struct {
	Name  string    `json:"name" holds:"id"`
	To    string    `json:"to" holds:"id"` // who decides for them
	Until time.Time `json:"until"`
}
