package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
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
	ID       string `json:"id" holds:"id"`
	Run      string `json:"run" holds:"id"`
	Workflow string `json:"workflow" holds:"id"`
	Step     string `json:"step" holds:"id"`
	Index    *int   `json:"index,omitempty"`
	// The model's id of the tool call.
	Call string `json:"call,omitempty" holds:"id"`
	// The gate.
	Gate  string    `json:"gate" holds:"id"`
	Agent string    `json:"agent" holds:"id"`
	Kind  gate.Kind `json:"kind" holds:"id"`
	// Why people are asked.
	Reason gate.Reason `json:"reason" holds:"id"`
	Status gate.Status `json:"status" holds:"id"`
	// Increases with every decision; a decision names the version it is about.
	Version int    `json:"version"`
	Title   string `json:"title" holds:"line"`
	// The subject of the run, in one line.
	Subject string `json:"subject,omitempty" holds:"line"`
	// True if it belongs to a test run: nothing with side effects is called.
	TestMode    bool   `json:"test_mode,omitempty"`
	Description string `json:"description" holds:"text"`
	// What would happen if people say yes.
	Action   Action          `json:"action"`
	Proposed json.RawMessage `json:"proposed" holds:"payload"`
	// The original proposal, if it was changed.
	Original json.RawMessage `json:"original,omitempty" holds:"payload"`
	// The agent's reasoning.
	Reasoning  string   `json:"reasoning" holds:"text"`
	Confidence *float64 `json:"confidence"`
	// The source of the confidence: the least certain result that the action is based on.
	Source *gate.ConfidenceSource `json:"confidence_source"`
	// The risk.
	Risk gate.Risk `json:"risk"`
	// The estimated cost, as a decimal; null if unknown.
	CostUSD *string `json:"estimated_cost_usd" holds:"id"`
	// Supporting data selected by the gate. At a decision point: done, next, later, would_skip and advice; for a
	// changed plan: before and after.
	Show json.RawMessage `json:"show" holds:"payload"`
	// A summary of the run so far.
	SoFar string `json:"so_far" holds:"text"`
	// The effect of a rejection.
	IfDenied string `json:"if_denied" holds:"text"`
	// The options of a choice.
	Options []gate.Option `json:"options"`
	// The JSON Schema that submitted data must match; null if none.
	InputSchema json.RawMessage `json:"input_schema" holds:"config"`
	Role        string          `json:"role" holds:"id"`
	// The people asked by name.
	Assignees []string `json:"assignees" holds:"id"`
	// Who may also decide since it was escalated.
	EscalatedTo []string `json:"escalated_to,omitempty" holds:"id"`
	// Who started the run.
	Requester string `json:"requester" holds:"id"`
	// How many are needed, and how many have agreed.
	Quorum gate.Quorum `json:"quorum"`
	// The decisions so far, oldest first.
	Decisions []gate.Decision `json:"decisions"`
	// The acts available to you now.
	Acts []gate.Act `json:"acts" holds:"id"`
	// If votes are counted by role and yours could fill a place for several: those roles, the default first. A decision
	// names one as role.
	VoteAs []string `json:"vote_as,omitempty" holds:"id"`
	// The person you would decide for as a stand-in, if it does not ask you directly.
	For string `json:"for,omitempty" holds:"id"`
	// People asked by name who are away, with their stand-ins.
	Away []Away `json:"away,omitempty"`
	// When it was opened.
	RequestedAt time.Time `json:"requested_at"`
	// When on_timeout applies; null without a timeout.
	DeadlineAt *time.Time `json:"deadline_at"`
	// The effect of the deadline.
	OnTimeout gate.Then `json:"on_timeout,omitempty" holds:"id"`
	// The answer at the deadline if on_timeout is default: the id of an option, the data, or changes to what
	// is proposed.
	Default json.RawMessage `json:"default,omitempty" holds:"payload"`
	// The time of the next reminder; null if never.
	RemindAt *time.Time `json:"remind_at"`
	// When the run is paused if there is no answer; null if never.
	PauseAt *time.Time `json:"pause_at"`
	// What a rejection does to the run.
	OnReject gate.OnReject `json:"on_reject,omitempty" holds:"id"`
	// The rule that requested the approval; null if none did.
	Rule *gate.Rule `json:"rule"`
	// What has changed since an earlier approval; omitted if nothing has.
	Changed []gate.VersionChange `json:"changed,omitempty"`
	// The outcome; null while it is pending.
	Outcome *Outcome `json:"outcome"`
	// Comments, oldest first.
	Comments []gate.Comment `json:"comments"`
	// The number of draft deliverables of the run, which are approved together with the proposal. Omitted if there
	// are none.
	Drafts int `json:"drafts,omitempty"`
	// In a list with group=alike: the approvals in this row. Omitted if it is the only one.
	Alike *Alike `json:"alike,omitempty"`
	Masking
}

// Action is what an approval would cause.
type Action struct {
	gate.Action
	// The arguments of the tool call.
	Args json.RawMessage `json:"args,omitempty" holds:"payload"`
	// Whether it can be undone: yes, no or unknown; omitted if nothing is about to run.
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
		rated := phrase.Sentence("%s is rated %s risk by the workflow", a.Step, string(v.Risk.Level))
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
	Name  string    `json:"name" holds:"id"` // The person who is away.
	To    string    `json:"to" holds:"id"`   // The stand-in.
	Until time.Time `json:"until"`           // The end, exclusive.
}
