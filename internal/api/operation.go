package api

import (
	"context"
	"net/http"
	"slices"
	"time"

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

// operation is one endpoint: how it is reached, what it takes and answers, and
// what the OpenAPI document says about it.
type operation struct {
	method, path string
	id, tag      string // operationId
	summary      string // one line
	description  string // more, or nothing
	params       []request.Param
	takes        takes
	body         any // an empty value of what the body holds; nil: see takes
	example      string
	gives        any      // an empty value of what is answered
	status       int      // of an answer without an error; 0: 200
	also         int      // a second status that is fine, or 0
	media        string   // of an answer that is no JSON
	images       []string // other media that an answer may be
	tagged       bool     // answers carry an ETag
	yaml         bool     // answers may be YAML, too
	changes      bool     // something: then it may carry an Idempotency-Key, and is refused while draining
	public       bool     // nobody has to say who they are
	named        bool     // an id in the body serves as a key, too
	console      bool     // whoever may read the server's data directory may do it, too
	paced        bool     // it waits for its turn itself, when it knows how long it takes
	forgets      bool     // there are passwords in it: nothing of it is kept, so it takes no Idempotency-Key

	// do answers. Operations that write themselves have flow instead; what
	// flow returns before it wrote anything is told to the client.
	do   func(*Server, *call) (reply, error)
	flow func(*Server, *call, http.ResponseWriter) error
	// heads sets headers that follow from the body, also of one that was
	// answered before.
	heads func(http.Header, []byte)
}

// takes says what the body of a request is.
type takes int

const (
	takesNothing takes = iota
	takesJSON
	takesMaybe    // JSON or nothing
	takesDocument // YAML or JSON, read by definition
)

// call is one request on its way through an operation.
type call struct {
	context.Context
	bare   context.Context // for finding out who asks, which is nobody's deed
	r      *http.Request
	op     *operation
	who    app.Who
	how    port.Identity // how we know
	query  request.Query
	body   []byte
	format definition.Format
	once   *once         // nil without an Idempotency-Key
	turn   *traffic.Turn // of what takes long; nil: it does not
	leaves []func()      // when it is over, the last first
}

// pause gives others a turn, if this call takes long.
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

// reply is what to answer.
type reply struct {
	status int // 0: the operation's
	body   any
	etag   string
	text   []byte // instead of body: a document as YAML
	kept   any    // instead of body, for whoever sends the same again: without what is said once
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

// changeMax bounds a request that changes something. It goes on when the
// client goes away, so that nothing is left half done.
const changeMax = time.Minute

// begin makes a call. Its context never changes after that: what was given it
// may look at it from another goroutine.
func (s *Server) begin(r *http.Request, op *operation) (*call, context.CancelFunc) {
	c, end := &call{bare: r.Context(), r: r, op: op}, func() {}
	if op.changes {
		c.bare, end = context.WithTimeout(context.WithoutCancel(r.Context()), changeMax)
	}
	c.Context = port.WithPause(s.recording(c), c.pause)
	return c, end
}

// serve takes a request through everything that holds for all operations.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	c, end := s.begin(r, op)
	defer end()
	if rec, ok := w.(*record.Recorder); ok {
		rec.Route, rec.Stream = op.path, streams(op.path)
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

// admit finds out who asks, takes in what they sent, and whether it may have
// been answered before.
func (s *Server) admit(c *call, w http.ResponseWriter) (err error) {
	if c.op.changes && s.drained.Load() {
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
	if c.op.changes && !c.op.forgets {
		c.once, err = newOnce(c)
	}
	return err
}

// perform checks the form of a request and does what it asks for.
func (s *Server) perform(c *call) (reply, error) {
	if err := c.check(); err != nil {
		if c.op.id == opCommand {
			s.app.RefusedCommand(c, c.who, c.path("id"), err)
		}
		return reply{}, err
	}
	answer, err := c.op.do(s, c)
	if c.turn != nil {
		c.turn.Give() // the rest is sending it
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
	if c.query, err = request.Parse(c.r.URL.RawQuery, c.op.params); err != nil {
		return err
	}
	return c.checkBody()
}

// answer writes a reply that nobody keeps.
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
		_, _ = w.Write(a.text) // a client that went away is no error of ours
		return
	}
	body, err := value.Marshal(a.body)
	if err != nil {
		s.refuse(w, err)
		return
	}
	c.say(w, a.statusOf(c.op), body)
}

// say writes an answer with the headers that follow from it.
func (c *call) say(w http.ResponseWriter, status int, body []byte) {
	if c.op.heads != nil && status < http.StatusBadRequest {
		c.op.heads(w.Header(), body)
	}
	if !pack.Send(w, c.r, status, body) {
		problem.Send(w, status, body)
	}
}

func (a reply) statusOf(op *operation) int {
	switch {
	case a.status != 0:
		return a.status
	case op.status != 0:
		return op.status
	}
	return http.StatusOK
}

// operations are all endpoints.
func operations() []operation {
	var out []operation
	for _, part := range [][]operation{
		workflowOperations(), runOperations(), payloadOperations(), approvalOperations(), searchOperations(),
		agentOperations(), policyOperations(),
		deliverableOperations(), auditOperations(), streamOperations(), accessOperations(), systemOperations(),
	} {
		out = append(out, part...)
	}
	return out
}
