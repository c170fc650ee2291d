package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

func runHandlers() handlers {
	return handlers{
		"startRun":         {do: (*Server).startRun, heads: locateRun},
		"listRuns":         {do: (*Server).listRuns},
		"getRun":           {do: (*Server).getRun},
		"listRunEvents":    {do: (*Server).listRunEvents},
		"getRunState":      {do: (*Server).getRunState},
		"listSnapshots":    {do: (*Server).listSnapshots},
		"getStep":          {do: (*Server).getStep},
		"cancelRuns":       {do: (*Server).cancelRuns},
		contract.OpCommand: {do: (*Server).commandRun},
		"retryRun":         {do: (*Server).retryRun, heads: locateRun},
		"resumeRun":        {do: (*Server).resumeRun},
		"forkRun":          {do: (*Server).forkRun, heads: locateRun},
		"zipDeliverables":  {flow: (*Server).zipDeliverables},
	}
}

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
	v, err := s.app.Lists(c.who).SearchRuns(c, q, c.query.Text("q"))
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

func (s *Server) commandRun(c *call) (reply, error) {
	cmd, err := app.ParseCommand(c.body)
	if err == nil && cmd.ID != "" && !goodID(cmd.ID) {
		err = problem.Invalid("id", "expected 1 to %d printable characters", nameMax)
	}
	if err != nil {
		s.app.Access.RefusedCommand(c, c.who, c.path("id"), err)
		return reply{}, err
	}
	if cmd.ID == "" {
		cmd.ID = c.commandID()
	}
	v, err := s.app.Command(c, c.who, c.path("id"), cmd, s.keep(c))
	return reply{body: v}, err
}

func (s *Server) retryRun(c *call) (reply, error) {
	if _, err := read[contract.Nothing](c); err != nil {
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
		return reply{}, problem.Invalid("at_seq", "an event number of 1 or more is required")
	}
	v, err := s.app.Fork(c, c.who, c.path("id"), f, s.keep(c))
	return reply{body: v}, err
}
