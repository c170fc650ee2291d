package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

var full = request.Param{Name: "full", Kind: request.Flag, Fallback: false,
	Doc: "Return values over 64 KiB in full instead of a reference with a preview."}

func runOperations() []Operation {
	runs, one := Base+"/runs", Base+"/runs/{id}"
	return []Operation{
		{
			Method: "POST", Path: runs, ID: "startRun", Tag: "Runs", Summary: "Start a run",
			Description: "Starts a run of the published version of a workflow, or of the version given. The response comes " +
				"when the start is durable.",
			Takes: TakesJSON, Body: app.NewRun{}, Gives: view.Run{}, Status: http.StatusCreated,
			Changes: true,
			Example: `{"workflow":"refund-email","input":{"order_id":"A-5501","reason":"The cable is broken."}}`,
		},
		{
			Method: "GET", Path: runs, ID: "listRuns", Tag: "Runs", Summary: "List runs, newest first",
			Gives: view.List[view.RunSummary]{},
			Params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: RunStatuses, Doc: "Only runs with this status; repeatable."},
				{Name: "workflow", Doc: "Only runs of this workflow."},
				{Name: "owner", Doc: "Only runs that this person started."},
				{Name: "parent", Doc: "Only sub-runs of this run."},
				{Name: "q", Doc: "Only runs with all these words, or words that begin with them, in subject, workflow, " +
					"owner, labels, error or id."},
				{Name: "label", Kind: request.Label,
					Doc: "Only runs with this label, as name:value; if repeated, all must match."},
			}, request.Paging...),
		},
		{
			Method: "GET", Path: one, ID: "getRun", Tag: "Runs", Summary: "Show a run", Gives: view.Run{},
			Params: []request.Param{full}, Tagged: true,
			Description: "The ETag is the sequence number: with If-None-Match, an unchanged run returns 304.",
		},
		{
			Method: "GET", Path: one + "/events", ID: "listRunEvents", Tag: "Runs",
			Summary: "Read the log of a run, oldest first", Gives: view.List[view.Event]{},
			Params: append([]request.Param{{Name: "after", Kind: request.Number,
				Doc: "Only events after this sequence number."}, full}, request.Paging...),
		},
		{
			Method: "GET", Path: one + "/state", ID: "getRunState", Tag: "Runs",
			Summary: "Show a run as it was", Gives: view.Run{},
			Description: "Replays the log up to and including an event. No model or tool is called.",
			Params: []request.Param{{Name: "at_seq", Kind: request.Number, Min: 1,
				Doc: "The sequence number of the event (default: the newest)."}, full},
		},
		{
			Method: "GET", Path: one + "/snapshots", ID: "listSnapshots", Tag: "Runs",
			Summary: "List the snapshots of a run, oldest first", Gives: view.List[view.Snapshot]{},
			Description: "A snapshot is saved after each step or layer if the workflow sets snapshots, or by the command " +
				"snapshot. " +
				"To continue from one, fork the run at its seq; any other event works as well. A request scans at most 10,000 " +
				"events: while there is a next_cursor, continue with it, even if a page is empty.",
			Params: request.Paging,
		},
		{
			Method: "GET", Path: one + "/steps/{step}", ID: "getStep", Tag: "Runs",
			Summary: "Show a step with all its tries and calls", Gives: view.StepDetail{},
			Description: "As it is now, or as it was at an event. No model or tool is called.",
			Params: []request.Param{{Name: "at_seq", Kind: request.Number, Min: 1,
				Doc: "The sequence number of the event (default: the newest)."}, full},
		},
		{
			Method: "POST", Path: runs + "/cancel", ID: "cancelRuns", Tag: "Runs",
			Summary: "Cancel many runs, or see how many that would be",
			Description: "Cancels the runs with these ids, or all matching runs that have not ended, at most 1,000 at a time. " +
				"With just_count, nothing is cancelled.",
			Takes: TakesJSON, Body: app.CancelRequest{}, Gives: app.CancellingView{}, Changes: true,
			Example: `{"workflow":"refund-email","status":["waiting"],"reason":"The campaign is over.","just_count":true}`,
		},
		{
			Method: "POST", Path: one + "/commands", ID: OpCommand, Tag: "Runs", Summary: "Steer a run",
			Description: "The response comes when the command is durable. An id in the body, or an Idempotency-Key, makes " +
				"it safe to send again.",
			Takes: TakesJSON, Body: Command{}, Gives: app.Accepted{}, Status: http.StatusAccepted,
			Changes: true, Named: true,
			Example: `{"type":"message","text":"The customer called: it is urgent."}`,
		},
		{
			Method: "POST", Path: one + "/retry", ID: "retryRun", Tag: "Runs", Summary: "Retry a run",
			Description: "A new run with the same input and version.",
			Takes:       TakesMaybe, Body: Nothing{}, Gives: view.Run{}, Status: http.StatusCreated,
			Changes: true,
		},
		{
			Method: "POST", Path: one + "/resume", ID: "resumeRun", Tag: "Runs",
			Summary: "Resume a run that failed, was paused, or stopped at a limit",
			Description: "The run continues from its last good state; recorded results are reused. A run that stopped " +
				"at a limit needs limits above what its agent has used; people with the permissions command " +
				"and approve may set them.",
			Takes: TakesMaybe, Body: run.Resume{}, Gives: view.Run{}, Changes: true,
			Example: `{"limits":{"cost_usd":"5","iterations":100}}`,
		},
		{
			Method: "POST", Path: one + "/fork", ID: "forkRun", Tag: "Runs", Summary: "Fork a run from any event",
			Description: "The new run has the log up to and including at_seq, changed by edits. Recorded results are reused, " +
				"and open approvals are requested again.",
			Takes: TakesJSON, Body: app.Fork{}, Gives: view.Run{}, Status: http.StatusCreated,
			Changes: true,
			Example: `{"at_seq":4,"edits":{"outputs":{"order":{"total":12.50}}}}`,
		},
		{
			Method: "GET", Path: one + "/deliverables.zip", ID: "zipDeliverables", Tag: "Deliverables",
			Summary: "Download all deliverables of a run",
			Media:   "application/zip",
		},
	}
}

// RunStatuses are the statuses of a run.
var RunStatuses = Words(run.Running, run.Waiting, run.Paused, run.Completed, run.Failed,
	run.Cancelled, run.LimitReached)

// Command is a command to a run: a type, and the members that belong to it.
type Command struct{}

// Nothing is a body that may be left out.
type Nothing struct{}

// opCommand is the operation that sends a command to a run.
const OpCommand = "commandRun"
