package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/value"
)

// Guest is a caller who was admitted and is served elsewhere.
type Guest struct {
	context.Context
	Who app.Who
	// Stopping is done when the server is about to stop: then all waiting ends.
	Stopping context.Context
	// Base is the address of the server for browsers; empty if there is none.
	Base string
	// Turn waits for the turn of a slow request, or of any if the guest exceeds their share. Give may be called more
	// than once.
	Turn func(slow bool) (give func(), err error)
	// Problem is an error in the form that clients see.
	Problem func(error) json.RawMessage
}

// mcpOperation takes MCP messages through the steps common to the API. It is not part of the OpenAPI document: MCP
// describes itself.
var mcpOperation = operation{
	contract.Operation{Method: http.MethodPost, Path: "/mcp", ID: "mcp", Tag: "MCP", Takes: contract.TakesJSON,
		Paced: true},
	handler{flow: (*Server).serveMCP},
}

// serveMCP answers one message. A batch is refused as a body that is not an object: each message counts as a request.
func (s *Server) serveMCP(c *call, w http.ResponseWriter) error {
	if s.drained.Load() {
		return errDraining
	}
	r := c.r.WithContext(c)
	r.Body = io.NopCloser(bytes.NewReader(c.body))
	s.o.MCP(&unkept{w}, r, Guest{
		Context: c, Who: c.who, Stopping: s.draining, Base: s.baseURL(c.r),
		Turn:    func(slow bool) (func(), error) { return s.turn(c, slow) },
		Problem: func(err error) json.RawMessage { return s.tell(c, w, err) },
	})
	return nil
}

// turn is queue for requests that turn out to be slow only along the way.
func (s *Server) turn(c *call, slow bool) (give func(), err error) {
	key := s.keyOf(c)
	flood := s.limits.Greedy(key)
	if !slow && !flood {
		return func() {}, nil
	}
	c.turn = traffic.NewTurn(c, s.lane, key, flood)
	return c.turn.Give, c.turn.Take()
}

// tell records an error for the code that responds. Our own errors are logged, as they are where the response is their
// status.
func (s *Server) tell(c *call, w http.ResponseWriter, err error) json.RawMessage {
	p := problem.Of(err)
	if rec, ok := w.(*record.Recorder); ok && p.Status >= http.StatusInternalServerError {
		s.o.Log.Error("a tool failed", "route", c.op.Path, "who", c.who.Name, "request_id", rec.ID, "error", err)
	}
	body, merr := value.Marshal(p)
	if merr != nil {
		return json.RawMessage(`{"status":500,"code":"internal"}`)
	}
	return body
}

// baseURL is the address of this server for browsers.
func (s *Server) baseURL(r *http.Request) string {
	if s.o.PublicURL != nil {
		return s.o.PublicURL.Scheme + "://" + s.o.PublicURL.Host
	}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && at.Network() == "pipe" {
		return "" // it serves the command that it is part of
	}
	return "http://" + r.Host
}

// unkept is a response that must not be cached, whatever writes it.
type unkept struct{ http.ResponseWriter }

func (u *unkept) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func (u *unkept) WriteHeader(status int) {
	u.Header().Set("Cache-Control", "no-store")
	u.Header().Del("Connection")
	u.ResponseWriter.WriteHeader(status)
}

func (u *unkept) Write(b []byte) (int, error) {
	u.Header().Set("Cache-Control", "no-store")
	return u.ResponseWriter.Write(b)
}
