package contract

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/rights"
	"github.com/assent-run/assent/internal/view"
)

func approvalOperations() []Operation {
	all, one := Base+"/approvals", Base+"/approvals/{id}"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listApprovals", Tag: "Approvals", Summary: "List approvals: the inbox",
			Gives: view.List[view.Approval]{},
			Params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: ApprovalStatuses, Doc: "Only approvals with this status; repeatable."},
				{Name: "role", Kind: request.List, Doc: "Only approvals that this role can decide, and those that anyone can."},
				{Name: "mine", Kind: request.Flag, Fallback: false,
					Doc: "Only approvals for you: pending ones that you may decide, and settled ones that " +
						"asked you by name, by one of your roles or one that you may act as, or asked someone you stand in for. total " +
						"counts up to 1,000 and is a lower bound beyond that."},
				{Name: "workflow", Doc: "Only approvals of this workflow's runs."},
				{Name: "agent", Doc: "Only approvals of this agent's work."},
				{Name: "risk", Words: RiskLevels, Doc: "Only with this risk."},
				{Name: "kind", Words: Words(gate.Kinds...), Doc: "Only of this kind."},
				{Name: "run", Doc: "Only of this run."},
				{Name: "tool", Doc: "Only about calls of this tool."},
				{
					Name: "review", Words: []string{reviewSuggested},
					Doc: "Instead of approvals, results that continued with a confidence from the threshold (default 0.7) to " +
						"under 0.9, newest first. " +
						"Test runs are excluded. There is nothing to decide: acts is empty, reason is review_suggested, and the result " +
						"is at that step of the run. " +
						"Can be combined with workflow, agent, run and q.",
				},
				{Name: "q", Doc: "Only approvals with all these words, or words that begin with them, in title, subject, " +
					"workflow, step, agent, tool, people or id."},
				{
					Name: "group", Words: []string{groupAlike},
					Doc: "Pending approvals only, with one row for similar approvals of a run; alike has their number and ids. " +
						"Approvals with an unusual amount or value have their own row. Up to 1,000 approvals are grouped per page, " +
						"whatever the limit; total counts approvals.",
				},
				{Name: "sort", Words: Words(port.ByPriority, port.ByAge, port.ByDeadline, port.ByNewest, port.BySettled),
					Fallback: string(port.ByPriority), Doc: "The order: most urgent, oldest, soonest deadline, newest or last " +
						"settled first. Most urgent (`priority`) sorts by deadline, or by the time of the request if there is " +
						"none; higher risks rank earlier, and much earlier if a timeout approves, rejects or cancels."},
			}, request.Paging...),
		},
		{
			Method: "GET", Path: one, ID: "getApproval", Tag: "Approvals", Summary: "Show an approval", Gives: view.Approval{},
			Params: []request.Param{full}, Tagged: true,
			Description: "acts lists the acts available to you. Send the ETag as If-Match with a decision.",
		},
		{
			Method: "GET", Path: one + "/access", ID: "explainAccess", Tag: "Approvals",
			Summary: "Explain who may decide, and why", Gives: rights.AccessView{}, Console: true,
			Description: "For each act: whether it is allowed, and by which role or rule, or what is missing. For other " +
				"people this requires an administrator.",
			Params: []request.Param{
				{Name: "user", Doc: "The person; you if omitted."},
				{Name: "roles", Kind: request.List, Doc: "The roles to check; those of the account if omitted."},
			},
		},
		{
			Method: "GET", Path: one + "/recipients", ID: "listRecipients", Tag: "Approvals",
			Summary: "List possible recipients of an approval", Gives: view.List[directory.Recipient]{},
			Description: "Known people (with an account or a personal token, or who have signed in before) and " +
				"roles, for callers who may delegate or escalate this approval. " +
				"to is the value for a decision. Excluded are you, disabled accounts, people who have delegated it and a " +
				"requester who may not decide. Administrators see all roles of a person, others only those that this approval " +
				"asks.",
			Params: []request.Param{
				{Name: "q", Doc: "Only those whose name, label or role contains all these words."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: directory.RecipientsMost, Fallback: directory.RecipientsDefault,
					Doc: "The maximum number of items."},
			},
		},
		{
			Method: "POST", Path: one + "/decisions", ID: "decide", Tag: "Approvals", Summary: "Decide",
			Description: "Returns the approval after your decision. version (or If-Match with the ETag) is the one you saw: " +
				"if it has changed you get 409 version_mismatch, and if it is settled 409 already_decided with " +
				"decided_by, decided_at and act.",
			Takes: TakesJSON, Body: app.Decision{}, Gives: view.Approval{}, Changes: true,
			Example: `{"act":"modify","changes":{"amount":45.00},"comment":"Half of it.","version":1}`,
		},
		{
			Method: "POST", Path: one + "/comments", ID: "comment", Tag: "Approvals", Summary: "Comment on a pending approval",
			Description: "Comments are for reviewers; agents can't see them.",
			Takes:       TakesJSON, Body: Remark{}, Gives: view.Approval{}, Changes: true,
			Example: `{"text":"Is this the address from the ticket?"}`,
		},
		{
			Method: "POST", Path: one + "/preview", ID: "previewChanges", Tag: "Approvals", Summary: "Preview changes",
			Description: "Applies a JSON merge patch to the proposal and checks the result. Nothing is stored.",
			Takes:       TakesJSON, Body: Changes{}, Gives: app.ChangeView{}, Example: `{"changes":{"amount":45.00}}`,
		},
		{
			Method: "POST", Path: all + "/batch", ID: "decideMany", Tag: "Approvals",
			Summary: "Decide several approvals at once",
			Description: "Each is decided separately; results has the outcome of each. Without versions, " +
				"the current ones apply.",
			Takes: TakesJSON, Body: app.Batch{}, Gives: BatchAnswer{}, Changes: true,
			Example: `{"ids":["apr_1","apr_2"],"act":"approve"}`,
		},
		{
			Method: "POST", Path: all + "/expire", ID: "expireApprovals", Tag: "Approvals", Summary: "Reject stale approvals",
			Description: "For administrators. At most 1,000 at a time, oldest first.",
			Takes:       TakesJSON, Body: Expiry{}, Gives: BatchAnswer{}, Changes: true,
			Example: `{"older_than":"72h","comment":"Stale.","workflow":"refund-email"}`,
		},
	}
}

// The vocabularies of approvals.
var (
	ApprovalStatuses = Words(gate.Pending, gate.Approved, gate.Modified, gate.Rejected, gate.Chosen, gate.Submitted,
		gate.RevisionRequested, gate.TimedOut, gate.Cancelled, gate.AutoApproved)
	RiskLevels = Words(risk.Low, risk.Medium, risk.High, risk.Critical)
)

// groupAlike requests one row for similar approvals.
const groupAlike = "alike"

// reviewSuggested requests results that deserve a second look.
const reviewSuggested = "suggested"

// Remark is a comment on an approval.
type Remark struct {
	Text string `json:"text"` // The comment, at most 64 KiB.
}

// Changes is a proposed change.
type Changes struct {
	Changes json.RawMessage `json:"changes"`
}

// BatchAnswer reports the result for each of several approvals.
type BatchAnswer struct {
	Results []BatchResult `json:"results"` // One for each id, in the order of the request.
}

// BatchResult is the result for one approval.
type BatchResult struct {
	ID     string           `json:"id"`
	OK     bool             `json:"ok"`               // Whether it was decided.
	Status gate.Status      `json:"status,omitempty"` // The status of the approval now.
	Error  *problem.Problem `json:"error,omitempty"`  // The reason for a refusal.
}

// Expiry selects approvals that will not be answered.
type Expiry struct {
	OlderThan quantity.Duration `json:"older_than"`        // How long they have been open, such as 72h. Required.
	Comment   string            `json:"comment,omitempty"` // Why; it is recorded with each.
	Role      string            `json:"role,omitempty"`
	Workflow  string            `json:"workflow,omitempty"`
	Agent     string            `json:"agent,omitempty"`
	Risk      risk.Level        `json:"risk,omitempty"` // Only with this risk.
	Kind      gate.Kind         `json:"kind,omitempty"`
	Run       string            `json:"run,omitempty"`
	Tool      string            `json:"tool,omitempty"`
}
