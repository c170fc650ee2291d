package view

import (
	"cmp"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// FoundView is a search result. It shows only the parts that the reader can see elsewhere.
type FoundView struct {
	// approval, run or workflow.
	Kind string `json:"kind" holds:"id"`
	// The id; for a workflow, its name.
	ID string `json:"id" holds:"id"`
	// The title of the approval or the subject of the run; for a workflow, its name.
	Title string `json:"title" holds:"line"`
	// The subject of the run; for a workflow, its description.
	Subject string `json:"subject,omitempty" holds:"line"`
	// The workflow it belongs to.
	Workflow string `json:"workflow" holds:"id"`
	// The status of the approval or the run.
	Status string `json:"status,omitempty" holds:"id"`
	// When it was requested or started.
	At *time.Time `json:"at,omitempty"`
}

// Kinds of search results.
const (
	FoundApproval = "approval"
	FoundRun      = "run"
	FoundWorkflow = "workflow"
)

// FoundList holds search results by kind: pending approvals, the most urgent first, then runs and settled approvals,
// the newest first, then workflows.
type FoundList struct {
	Items   []FoundView `json:"items"`   // Pending approvals, runs, settled approvals, workflows.
	Partial bool        `json:"partial"` // True if older entries were not searched.
}

// SettledStatuses are those of approvals that were decided or withdrawn.
var SettledStatuses = []string{
	string(gate.Approved), string(gate.Modified), string(gate.Rejected), string(gate.Chosen), string(gate.Submitted),
	string(gate.RevisionRequested), string(gate.TimedOut), string(gate.Cancelled), string(gate.AutoApproved),
}

// FoundApprovalOf shows an approval as a search result.
func FoundApprovalOf(v Approval) FoundView {
	return FoundView{Kind: FoundApproval, ID: v.ID, Title: v.Title, Subject: v.Subject, Workflow: v.Workflow,
		Status: string(v.Status), At: &v.RequestedAt}
}

// FoundRunOf shows a run as a search result.
func FoundRunOf(id, workflow, subject, status string, at time.Time) FoundView {
	return FoundView{Kind: FoundRun, ID: id, Title: cmp.Or(subject, workflow), Subject: subject, Workflow: workflow,
		Status: status, At: &at}
}
