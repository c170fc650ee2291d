package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

var full = request.Param{Name: "full", Kind: request.Flag, Fallback: false,
	Doc: "Return values over 64 KiB in full instead of a reference with a preview."}

func runOperations() []operation {
	runs, one := base+"/runs", base+"/runs/{id}"
	return []operation{
		{
			method: "POST", path: runs, id: "startRun", tag: "Runs", summary: "Start a run",
			description: "Starts a run of the published version of a workflow, or of the version given. The response comes " +
				"when the start is durable.",
			takes: takesJSON, body: app.NewRun{}, gives: view.Run{}, status: http.StatusCreated,
			changes: true, heads: locateRun,
			example: `{"workflow":"refund-email","input":{"order_id":"A-5501","reason":"The cable is broken."}}`,
			do:      (*Server).startRun,
		},
		{
			method: "GET", path: runs, id: "listRuns", tag: "Runs", summary: "List runs, newest first",
			gives: view.List[view.RunSummary]{},
			params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: runStatuses, Doc: "Only runs with this status; repeatable."},
				{Name: "workflow", Doc: "Only runs of this workflow."},
				{Name: "owner", Doc: "Only runs that this person started."},
				{Name: "parent", Doc: "Only sub-runs of this run."},
				{Name: "q", Doc: "Only runs with all these words, or words that begin with them, in subject, workflow, " +
					"owner, labels, error or id."},
				{Name: "label", Kind: request.Label,
					Doc: "Only runs with this label, as name:value; if repeated, all must match."},
			}, request.Paging...),
			do: (*Server).listRuns,
		},
		{
			method: "GET", path: one, id: "getRun", tag: "Runs", summary: "Show a run", gives: view.Run{},
			params: []request.Param{full}, tagged: true,
			description: "The ETag is the sequence number: with If-None-Match, an unchanged run returns 304.",
			do:          (*Server).getRun,
		},
		{
			method: "GET", path: one + "/events", id: "listRunEvents", tag: "Runs",
			summary: "Read the log of a run, oldest first", gives: view.List[view.Event]{},
			params: append([]request.Param{{Name: "after", Kind: request.Number,
				Doc: "Only events after this sequence number."}, full}, request.Paging...),
			do: (*Server).listRunEvents,
		},
		{
			method: "GET", path: one + "/state", id: "getRunState", tag: "Runs",
			summary: "Show a run as it was", gives: view.Run{},
			description: "Replays the log up to and including an event. No model or tool is called.",
			params: []request.Param{{Name: "at_seq", Kind: request.Number, Min: 1,
				Doc: "The sequence number of the event (default: the newest)."}, full},
			do: (*Server).getRunState,
		},
		{
			method: "GET", path: one + "/snapshots", id: "listSnapshots", tag: "Runs",
			summary: "List the places of a run that were saved to return to, oldest first", gives: view.List[view.Snapshot]{},
			description: "A snapshot is saved after a step or a layer, as the workflow says, or by the command snapshot. " +
				"Fork the run from the event seq of one to continue there; any other event will do as well. One request looks " +
				"through 10,000 events at most: while there is a next_cursor, continue with it, even if a page is empty.",
			params: request.Paging, do: (*Server).listSnapshots,
		},
		{
			method: "GET", path: one + "/steps/{step}", id: "getStep", tag: "Runs",
			summary: "Show a step with all its tries and calls", gives: view.StepDetail{},
			description: "As it is now, or as it was at an event. No model or tool is called.",
			params: []request.Param{{Name: "at_seq", Kind: request.Number, Min: 1,
				Doc: "The sequence number of the event (default: the newest)."}, full},
			do: (*Server).getStep,
		},
		{
			method: "POST", path: runs + "/cancel", id: "cancelRuns", tag: "Runs",
			summary: "Cancel many runs, or see how many that would be",
			description: "Cancels the runs with these ids, or all matching runs that have not ended, at most 1,000 at a time. " +
				"With just_count, nothing is cancelled.",
			takes: takesJSON, body: app.CancelRequest{}, gives: app.CancellingView{}, changes: true,
			example: `{"workflow":"refund-email","status":["waiting"],"reason":"The campaign is over.","just_count":true}`,
			do:      (*Server).cancelRuns,
		},
		{
			method: "POST", path: one + "/commands", id: opCommand, tag: "Runs", summary: "Steer a run",
			description: "The response comes when the command is durable. An id in the body, or an Idempotency-Key, makes " +
				"it safe to send again.",
			takes: takesJSON, body: Command{}, gives: app.Accepted{}, status: http.StatusAccepted,
			changes: true, named: true,
			example: `{"type":"message","text":"The customer called: it is urgent."}`,
			do:      (*Server).commandRun,
		},
		{
			method: "POST", path: one + "/retry", id: "retryRun", tag: "Runs", summary: "Retry a run",
			description: "A new run with the same input and version.",
			takes:       takesMaybe, body: Nothing{}, gives: view.Run{}, status: http.StatusCreated,
			changes: true, heads: locateRun,
			do: (*Server).retryRun,
		},
		{
			method: "POST", path: one + "/resume", id: "resumeRun", tag: "Runs",
			summary: "Resume a run that failed, was paused, or stopped at a limit",
			description: "The run continues from its last good state; recorded results are reused. A run that stopped " +
				"at a limit needs limits above what its agent has used; people with the permissions command " +
				"and approve may set them.",
			takes: takesMaybe, body: run.Resume{}, gives: view.Run{}, changes: true,
			example: `{"limits":{"cost_usd":"5","iterations":100}}`, do: (*Server).resumeRun,
		},
		{
			method: "POST", path: one + "/fork", id: "forkRun", tag: "Runs", summary: "Fork a run from any event",
			description: "The new run has the log up to and including at_seq, changed by edits. Recorded results are reused, " +
				"and open approvals are requested again.",
			takes: takesJSON, body: app.Fork{}, gives: view.Run{}, status: http.StatusCreated,
			changes: true, heads: locateRun,
			example: `{"at_seq":4,"edits":{"outputs":{"order":{"total":12.50}}}}`, do: (*Server).forkRun,
		},
		{
			method: "GET", path: one + "/deliverables.zip", id: "zipDeliverables", tag: "Deliverables",
			summary: "Download all deliverables of a run",
			media:   "application/zip", flow: (*Server).zipDeliverables,
		},
	}
}

var runStatuses = words(run.Running, run.Waiting, run.Paused, run.Completed, run.Failed,
	run.Cancelled, run.LimitReached)

func words[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Command is a command to a run: a type, and the members that belong to it.
type Command struct{}

// Nothing is a body that may be left out.
type Nothing struct{}

// locateRun sets the address of a new run.
func locateRun(h http.Header, body []byte) {
	raw, _ := value.Get(body, "id")
	if id, ok := value.Text(raw); ok {
		h.Set("Location", base+"/runs/"+id)
	}
}

func (s *Server) startRun(c *call) (reply, error) {
	n, err := read[app.NewRun](c)
	if err != nil {
		return reply{}, err
	}
	if n.Workflow == "" {
		return reply{}, problem.Invalid("workflow", "a workflow is required")
	}
	if n.Version < 0 {
		return reply{}, problem.Invalid("version", "expected a whole number of at least 1")
	}
	v, err := s.app.Begin(c, c.who, n, s.keep(c))
	return reply{body: v}, err
}

func (s *Server) getStep(c *call) (reply, error) {
	seq, _ := c.query.Number("at_seq")
	v, err := s.app.Step(c, c.who, c.path("id"), c.path("step"), seq, c.query.Flag("full"))
	return reply{body: v}, err
}

func (s *Server) cancelRuns(c *call) (reply, error) {
	b, err := read[app.CancelRequest](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.CancelRuns(c, c.who, b)
	return reply{body: v}, err
}

func (s *Server) listRuns(c *call) (reply, error) {
	q := port.RunQuery{
		Workflow: c.query.Text("workflow"), Owner: c.query.Text("owner"), Parent: c.query.Text("parent"),
		Cursor: c.query.Text("cursor"), Limit: c.query.Limit(),
	}
	for _, v := range c.query["status"] {
		q.Status = append(q.Status, run.Status(v))
	}
	for _, v := range c.query["label"] {
		key, val, _ := strings.Cut(v, ":")
		if old, twice := q.Label[key]; twice && old != val {
			return reply{}, problem.Invalid("label", "a label cannot have two values")
		}
		if q.Label == nil {
			q.Label = map[string]string{}
		}
		q.Label[key] = val
	}
	v, err := s.app.SearchRuns(c, c.who, q, c.query.Text("q"))
	return reply{body: v}, err
}

func (s *Server) getRun(c *call) (reply, error) {
	v, err := s.app.Run(c, c.who, c.path("id"), c.query.Flag("full"))
	return reply{body: v, etag: fmt.Sprintf(`W/"%d"`, v.Seq)}, err
}

// listSnapshots continues after a sequence number, which is the cursor.
func (s *Server) listSnapshots(c *call) (reply, error) {
	after, err := seqCursor(c, 0)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Snapshots(c, c.who, c.path("id"), after, c.query.Limit())
	return reply{body: v}, err
}

// seqCursor reads a cursor that is a sequence number.
func seqCursor(c *call, otherwise int64) (int64, error) {
	cursor := c.query.Text("cursor")
	if cursor == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || n < 0 {
		return 0, problem.Invalid("cursor", "the cursor is not valid for this list")
	}
	return n, nil
}

// listRunEvents continues after a sequence number, which is also the cursor.
func (s *Server) listRunEvents(c *call) (reply, error) {
	after, _ := c.query.Number("after")
	after, err := seqCursor(c, after)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Events(c, c.who, c.path("id"), after, c.query.Limit(), c.query.Flag("full"))
	if n := len(v.Items); n > 0 && v.Items[n-1].Seq < v.Total {
		v.Next = strconv.FormatInt(v.Items[n-1].Seq, 10)
	}
	return reply{body: v}, err
}

func (s *Server) getRunState(c *call) (reply, error) {
	seq, given := c.query.Number("at_seq")
	if !given {
		return s.getRun(c)
	}
	v, err := s.app.RunAt(c, c.who, c.path("id"), seq, c.query.Flag("full"))
	return reply{body: v}, err
}

// opCommand is the operation that sends a command to a run.
const opCommand = "commandRun"

func (s *Server) commandRun(c *call) (reply, error) {
	cmd, err := app.ParseCommand(c.body)
	if err == nil && cmd.ID != "" && !goodID(cmd.ID) {
		err = problem.Invalid("id", "expected 1 to %d printable characters", nameMax)
	}
	if err != nil {
		s.app.RefusedCommand(c, c.who, c.path("id"), err)
		return reply{}, err
	}
	if cmd.ID == "" {
		cmd.ID = c.commandID()
	}
	v, err := s.app.Command(c, c.who, c.path("id"), cmd, s.keep(c))
	return reply{body: v}, err
}

func (s *Server) retryRun(c *call) (reply, error) {
	if _, err := read[Nothing](c); err != nil {
		return reply{}, err
	}
	v, err := s.app.Retry(c, c.who, c.path("id"), s.keep(c))
	return reply{body: v}, err
}

func (s *Server) resumeRun(c *call) (reply, error) {
	do, err := read[run.Resume](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Resume(c, c.who, c.path("id"), do, s.keep(c))
	return reply{body: v}, err
}

func (s *Server) forkRun(c *call) (reply, error) {
	f, err := read[app.Fork](c)
	if err != nil {
		return reply{}, err
	}
	if f.AtSeq < 1 {
		return reply{}, problem.Invalid("at_seq", "the number of an event is required, from 1")
	}
	v, err := s.app.Fork(c, c.who, c.path("id"), f, s.keep(c))
	return reply{body: v}, err
}
