package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Problem is an error as clients see it (RFC 9457). What else an error tells
// machines (decided_by, seq …) stands beside these members.
type Problem struct {
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Code   fault.Code      `json:"code"`
	Detail string          `json:"detail"`
	Hint   string          `json:"hint"`
	Errors []fault.Problem `json:"errors"`

	more map[string]any // beside the others
}

// Codes that only HTTP knows.
const (
	codeUnavailable fault.Code = "unavailable"
	codeInternal    fault.Code = "internal"
)

// meaning is what a code means over HTTP.
type meaning struct {
	code   fault.Code // as clients see it
	status int
	title  string
}

// meanings of all codes. Some errors of the core are one to clients.
var meanings = map[fault.Code]meaning{
	fault.Invalid:         {fault.Invalid, http.StatusUnprocessableEntity, "The request is not valid"},
	fault.NotFound:        {fault.NotFound, http.StatusNotFound, "Not found"},
	fault.Conflict:        {fault.Conflict, http.StatusConflict, "Not possible in the current state"},
	fault.Closed:          {fault.Conflict, http.StatusConflict, "Not possible in the current state"},
	fault.Stale:           {fault.Conflict, http.StatusConflict, "Not possible in the current state"},
	fault.Duplicate:       {fault.Conflict, http.StatusConflict, "Not possible in the current state"},
	fault.AlreadyDecided:  {fault.AlreadyDecided, http.StatusConflict, "Already decided"},
	fault.VersionMismatch: {fault.VersionMismatch, http.StatusConflict, "Changed since you loaded it"},
	fault.Forbidden:       {fault.Forbidden, http.StatusForbidden, "Permission denied"},
	fault.TooLarge:        {fault.TooLarge, http.StatusRequestEntityTooLarge, "Too large"},
	fault.Unsupported:     {fault.Unsupported, http.StatusUnprocessableEntity, "Not supported"},
	fault.Unauthenticated: {fault.Unauthenticated, http.StatusUnauthorized, "Authentication required"},
	fault.RateLimited:     {fault.RateLimited, http.StatusTooManyRequests, "Too many requests"},
	codeUnavailable:       {codeUnavailable, http.StatusServiceUnavailable, "Temporarily unavailable"},
	codeInternal:          {codeInternal, http.StatusInternalServerError, "Internal error"},
}

// httpError is an error whose status says more than its code.
type httpError struct {
	error
	status int
}

func (e httpError) Unwrap() error { return e.error }

func withStatus(status int, err error) error { return httpError{err, status} }

// problemOf is what a client is told about an error. Errors without a code are
// ours: they are logged, and not shown.
func problemOf(err error) Problem {
	var f *fault.Error
	var away *port.Away
	switch {
	case errors.As(err, &away):
		f = fault.New(codeUnavailable, "the server is temporarily unavailable: "+away.Why, "try again in a few seconds")
	case errors.Is(err, port.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		f = fault.New(codeUnavailable, "the server is temporarily unavailable", "try again in a few seconds")
	case !errors.As(err, &f) || meanings[f.Code].status == 0:
		f = fault.New(codeInternal, "internal server error", "look for the X-Request-Id of this response in the server log")
	}
	m := meanings[f.Code]
	p := Problem{
		Type: problemBase + string(m.code), Title: m.title, Status: m.status, Code: m.code,
		Detail: f.Message, Hint: f.Hint, Errors: fault.Errors(f.Problems), more: f.Detail,
	}
	if p.Errors == nil {
		p.Errors = []fault.Problem{}
	}
	var h httpError
	if errors.As(err, &h) {
		p.Status = h.status
	}
	return p
}

// MarshalJSON writes what else is known beside the other members.
func (p Problem) MarshalJSON() ([]byte, error) {
	type plain Problem
	own, err := value.Marshal(plain(p))
	if err != nil || len(p.more) == 0 {
		return own, err
	}
	more, err := value.Marshal(p.more)
	if err != nil {
		return nil, err
	}
	return value.Merge(more, own), nil
}

// retryAfter is how long clients should wait before they try again.
const retryAfter = "2"

// refuse answers with an error.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	p := problemOf(err)
	if rec, ok := w.(*recorder); ok {
		rec.err = err
	}
	if errors.Is(err, context.Canceled) {
		p.Status = statusGone // nobody reads this any more
	}
	if wait, ok := p.more["retry_after_s"].(int); ok {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	body, merr := value.Marshal(p)
	if merr != nil {
		body = []byte(`{"status":500,"code":"internal"}`)
	}
	send(w, p.Status, body)
}

// statusGone is what logs show when the client went away before the answer.
const statusGone = 499

// send writes a JSON answer; from 400 on it is a problem.
func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if status >= http.StatusBadRequest {
		h.Set("Content-Type", "application/problem+json")
	}
	switch status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryAfter)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	if h.Get("ETag") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is no error of ours
	_, _ = w.Write([]byte{'\n'})
}

func noSuchPath() error {
	return fault.New(fault.NotFound, "nothing found at this path", "see /api/v1/docs")
}

func notAllowed(method string, allowed []string) error {
	return withStatus(http.StatusMethodNotAllowed, fault.New(fault.Unsupported, fmt.Sprintf("this address does not know %s", printable(method)), "it knows "+strings.Join(allowed, ", ")))
}

// invalid says that one thing is wrong with a request.
func invalid(path, format string, args ...any) error {
	return fault.Of("the request is not valid", []fault.Problem{{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// printable makes text from outside safe to repeat: short and without control
// characters.
func printable(s string) string {
	const most = 60
	out := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(out) > most {
		out = append(slices.Clone(out[:most]), '…')
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, string(out))
}
