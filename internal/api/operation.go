package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/pack"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// operation is an endpoint of the contract, with the function that serves it.
type operation struct {
	contract.Operation
	handler
}

// handler serves an operation.
type handler struct {
	// do responds. Operations that write by themselves have flow instead; an error that flow returns before it wrote
	// anything is sent to the client.
	do   func(*Server, *call) (reply, error)
	flow func(*Server, *call, http.ResponseWriter) error
	// heads sets headers that follow from the body, including that of a repeated response.
	heads func(http.Header, []byte)
}

// handlers are handlers by the id of their operation.
type handlers map[string]handler

// call is one request on its way through an operation.
type call struct {
	context.Context
	bare   context.Context // for authenticating the caller, which is attributed to no actor
	r      *http.Request
	op     *operation
	who    app.Who
	how    port.Identity // the authenticated identity
	query  request.Query
	body   []byte
	format definition.Format
	once   *once         // nil without an Idempotency-Key
	turn   *traffic.Turn // of slow requests; nil otherwise
	leaves []func()      // run at the end, the last first
}

// pause gives others a turn, if this call is slow.
func (c *call) pause() error {
	if c.turn == nil {
		return nil
	}
	return c.turn.Pause()
}

func (c *call) leave() {
	for _, f := range slices.Backward(c.leaves) {
		f()
	}
}

// reply is a response.
type reply struct {
	status int // 0: the operation's
	body   any
	etag   string
	text   []byte // instead of body: a document as YAML
	kept   any    // instead of body, for repeated requests: without secrets that are shown once
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

// changeMax bounds a request that changes something. It continues when the client disconnects, so that nothing is left
// half done.
const changeMax = time.Minute

// begin creates a call. Its context never changes after that, since other goroutines may read it.
func (s *Server) begin(r *http.Request, op *operation) (*call, context.CancelFunc) {
	c, end := &call{bare: r.Context(), r: r, op: op}, func() {}
	if op.Changes {
		c.bare, end = context.WithTimeout(context.WithoutCancel(r.Context()), changeMax)
	}
	c.Context = port.WithPause(s.recording(c), c.pause)
	return c, end
}

// serve takes a request through the steps common to all operations.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	c, end := s.begin(r, op)
	defer end()
	if rec, ok := w.(*record.Recorder); ok {
		rec.Route, rec.Stream = op.Path, op.Streams()
		defer func() { rec.Who = c.who.Name }()
	}
	defer func() { c.leave() }()
	err := s.admit(c, w)
	switch {
	case err != nil:
		s.noteRefused(c, err)
		s.slow(c, w, err)
		s.refuse(w, err)
	case c.once != nil:
		s.serveOnce(c, w)
	case op.flow != nil:
		if err := s.flow(c, w); err != nil {
			s.fail(w, err)
		}
	default:
		answer, err := s.perform(c)
		if err != nil {
			s.refuse(w, err)
			return
		}
		s.answer(c, w, answer)
	}
}

// admit authenticates the caller, reads the body, and prepares the check for an earlier response.
func (s *Server) admit(c *call, w http.ResponseWriter) (err error) {
	if c.op.Changes && s.drained.Load() {
		return errDraining
	}
	leave, err := s.receive(c)
	if err != nil {
		return err
	}
	c.leaves = append(c.leaves, leave)
	if err = c.takeBody(w); err != nil {
		return err
	}
	if err = s.queue(c, w); err != nil {
		return err
	}
	if c.op.Keyed() {
		c.once, err = newOnce(c)
	}
	return err
}

// perform validates a request and carries it out.
func (s *Server) perform(c *call) (reply, error) {
	if err := c.check(); err != nil {
		if c.op.ID == contract.OpCommand {
			s.app.Access.RefusedCommand(c, c.who, c.path("id"), err)
		}
		return reply{}, err
	}
	answer, err := c.op.do(s, c)
	if c.turn != nil {
		c.turn.Give() // only sending is left
	}
	if err != nil {
		s.noteRefused(c, err)
	}
	return answer, err
}

func (s *Server) flow(c *call, w http.ResponseWriter) error {
	if err := c.check(); err != nil {
		return err
	}
	err := c.op.flow(s, c, w)
	if err != nil {
		s.noteRefused(c, err)
	}
	return err
}

func (c *call) check() (err error) {
	if c.query, err = request.Parse(c.r.URL.RawQuery, c.op.Params); err != nil {
		return err
	}
	return c.checkBody()
}

// answer writes a reply that is not stored.
func (s *Server) answer(c *call, w http.ResponseWriter, a reply) {
	h := w.Header()
	if a.etag != "" {
		h.Set("ETag", a.etag)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Vary", "Accept, Authorization, Cookie, "+headerUser+", "+headerRoles)
		if request.Matches(c.r.Header.Get("If-None-Match"), a.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if a.text != nil {
		h.Set("Content-Type", "application/yaml")
		_, _ = w.Write(a.text) // a client that disconnected is not an error
		return
	}
	body, err := value.Marshal(a.body)
	if err != nil {
		s.refuse(w, err)
		return
	}
	c.say(w, a.statusOf(c.op), body)
}

// say writes a response with the headers that follow from it.
func (c *call) say(w http.ResponseWriter, status int, body []byte) {
	if c.op.heads != nil && status < http.StatusBadRequest {
		c.op.heads(w.Header(), body)
	}
	if !pack.Send(w, c.r, status, body) {
		problem.Send(w, status, body)
	}
}

func (a reply) statusOf(op *operation) int {
	if a.status != 0 {
		return a.status
	}
	return op.Success()
}

// allHandlers are the handlers of each group of operations.
func allHandlers() []handlers {
	return []handlers{
		workflowHandlers(), runHandlers(), payloadHandlers(), approvalHandlers(), searchHandlers(), workbenchHandlers(),
		agentHandlers(), graphHandlers(), policyHandlers(), scheduleHandlers(), triggerHandlers(),
		notificationHandlers(), deliverableHandlers(), auditHandlers(), streamHandlers(), accessHandlers(), ownHandlers(),
		pushHandlers(), linkHandlers(), accountHandlers(), tokenHandlers(), roleHandlers(), subjectHandlers(),
		peopleHandlers(), systemHandlers(),
	}
}

// operations are all endpoints. A test checks that each has one handler.
func operations() []operation {
	byID := handlers{}
	for _, part := range allHandlers() {
		maps.Copy(byID, part)
	}
	var out []operation
	for _, op := range contract.Operations() {
		out = append(out, operation{op, byID[op.ID]})
	}
	return out
}
