package view

import (
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

func (v RunSummary) Texts() []string {
	out := []string{v.ID, v.Workflow, v.Subject, v.Owner}
	for name, value := range v.Labels {
		out = append(out, name+":"+value)
	}
	if v.Error != nil {
		out = append(out, *v.Error)
	}
	return out
}

// RunSummary is a run as lists show it.
type RunSummary struct {
	ID       string     `json:"id" holds:"id"`
	Workflow string     `json:"workflow" holds:"id"`
	Version  int        `json:"version"`
	Status   run.Status `json:"status" holds:"id"`
	// True while a cancelled run waits for its running steps.
	Cancelling bool `json:"cancelling,omitempty"`
	// Who started it.
	Owner  string            `json:"owner" holds:"id"`
	Labels map[string]string `json:"labels,omitempty" holds:"labels"`
	// What it is about, in a line.
	Subject string `json:"subject,omitempty" holds:"line"`
	// True for a test run, which metrics exclude.
	TestMode bool `json:"test_mode,omitempty"`
	// The progress.
	Progress Progress `json:"progress"`
	// The number of pending approvals.
	Pending int `json:"pending"`
	// The error message; null if it did not fail.
	Error   *string `json:"error" holds:"text"`
	CostUSD string  `json:"cost_usd" holds:"id"`
	// The number of its newest event.
	Seq       int64     `json:"seq"`
	StartedAt time.Time `json:"started_at"`
	// The time of the newest event.
	UpdatedAt time.Time  `json:"updated_at"`
	EndedAt   *time.Time `json:"ended_at"`
	// The next deadline of the run.
	DueAt *time.Time `json:"due_at,omitempty"`
	// The parent run; null if none.
	Parent *string `json:"parent" holds:"id"`
	// The run it retries; null if none.
	RetryOf *string `json:"retry_of" holds:"id"`
	// The run it was forked from; null if none.
	ForkedFrom *string `json:"forked_from" holds:"id"`
	Masking
}

func SummaryOf(r port.RunRow) (RunSummary, error) {
	p := Progress{Done: r.StepsDone, Total: r.StepsTotal}
	if p.Total > 0 {
		p.Percent = p.Done * 100 / p.Total
	}
	return RunSummary{
		ID: r.ID, Workflow: r.Workflow, Version: r.Version, Status: r.Status, Cancelling: r.Cancelling, Owner: r.Owner,
		Labels: r.Labels, Subject: r.Subject, TestMode: r.TestMode, Progress: p, Pending: r.Pending,
		Error: TextOrNil(r.Error), CostUSD: r.CostUSD, Seq: r.Seq, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt,
		EndedAt: TimeOrNil(r.EndedAt),
		DueAt:   TimeOrNil(r.DueAt), Parent: TextOrNil(r.Parent), RetryOf: TextOrNil(r.RetryOf),
		ForkedFrom: TextOrNil(r.ForkedFrom),
	}, nil
}
