package app

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/refusal"
)

// CancelRequest selects runs to cancel: by their ids, or all that match.
type CancelRequest struct {
	// Only these runs.
	IDs []string `json:"ids,omitempty"`
	// Only runs with this status; if empty, all that have not ended.
	Status   []run.Status `json:"status,omitempty"`
	Workflow string       `json:"workflow,omitempty"`
	// Only runs that this person started.
	Owner  string            `json:"owner,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Reason string            `json:"reason,omitempty"`
	// Return what would be cancelled, and cancel nothing.
	JustCount bool `json:"just_count,omitempty"`
}

// CancellingView reports the runs that were cancelled, or would be.
type CancellingView struct {
	Runs       int             `json:"runs"`        // The number of matching runs.
	More       bool            `json:"more"`        // True if there are more: send the request again.
	ByWorkflow map[string]int  `json:"by_workflow"` // The number of runs, by workflow.
	ByStatus   map[string]int  `json:"by_status"`   // The number of runs, by status.
	Approvals  int             `json:"approvals"`   // Pending approvals that are withdrawn with them.
	Cancelled  int             `json:"cancelled"`   // The number of cancelled runs.
	Failed     []CancelFailure `json:"failed"`      // Runs that could not be cancelled.
}

// CancelFailure is a run that could not be cancelled.
type CancelFailure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// CancelMax bounds how many runs one request cancels.
const CancelMax = 1000

var openStatuses = []run.Status{run.Running, run.Waiting, run.Paused}

// CancelRuns cancels many runs, one by one, newest first, or only counts them.
func (a *App) CancelRuns(ctx context.Context, who Who, c CancelRequest) (out CancellingView, err error) {
	defer a.guard.Refusing(ctx, who, refusal.Command, "runs", &err)
	rows, more, err := a.toCancel(ctx, who, c)
	if err != nil {
		return CancellingView{}, err
	}
	v := CancellingView{Runs: len(rows), More: more, ByWorkflow: map[string]int{}, ByStatus: map[string]int{},
		Failed: []CancelFailure{}}
	for _, r := range rows {
		v.ByWorkflow[r.Workflow]++
		v.ByStatus[string(r.Status)]++
		v.Approvals += r.Pending
		if c.JustCount {
			continue
		}
		if err := ctx.Err(); err != nil {
			return v, err
		}
		_, err := a.engine.Do(ctx, r.ID, a.command(who, "", run.Cancel{Reason: c.Reason}), nil)
		if err != nil {
			v.Failed = append(v.Failed, CancelFailure{r.ID, err.Error()})
			continue
		}
		v.Cancelled++
	}
	return v, nil
}

// toCancel finds the matching runs that the caller may steer.
func (a *App) toCancel(ctx context.Context, who Who, c CancelRequest) (rows []port.RunRow, more bool, err error) {
	if len(c.IDs) > CancelMax {
		return nil, false, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "ids", Message: "expected at most 1000 ids"}})
	}
	if len(c.IDs) > 0 {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(c.IDs))) {
			row, err := a.guard.Run(ctx, who, access.Cancel, id)
			if err != nil {
				return nil, false, err
			}
			if !row.Status.Ended() {
				rows = append(rows, row)
			}
		}
		return rows, false, nil
	}
	if c.IDs != nil || len(c.Status) == 0 && c.Workflow == "" && c.Owner == "" && len(c.Labels) == 0 {
		return nil, false, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "ids", Message: "select runs by ids, or by status, " +
				"workflow, owner or labels"}})
	}
	q := port.RunQuery{Status: c.Status, Workflow: c.Workflow, Owner: c.Owner, Label: c.Labels,
		Scope: a.guard.Scope(who), Limit: 200}
	if len(q.Status) == 0 {
		q.Status = openStatuses
	}
	if i := slices.IndexFunc(q.Status, run.Status.Ended); i >= 0 {
		return nil, false, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "status", Message: string(q.Status[i]) + " runs have ended already"}})
	}
	var refusal error
	for {
		page, err := a.lists.Runs(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for _, row := range page.Items {
			if len(rows) == CancelMax {
				return rows, true, nil
			}
			v := a.guard.Decide(who, access.Cancel, access.Object{Workflow: row.Workflow, Owner: row.Owner})
			if v.Allowed {
				rows = append(rows, row)
			} else if refusal == nil {
				refusal = v.Refusal()
			}
		}
		if page.Next == "" && len(rows) == 0 {
			return nil, false, refusal // some match, but the caller may cancel none of them
		}
		if page.Next == "" {
			return rows, false, nil
		}
		q.Cursor = page.Next
	}
}
