package view

import "time"

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
