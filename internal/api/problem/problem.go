package problem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Problem is an error as clients see it (RFC 9457). Details for machines (decided_by, seq …)
// are further members.
type Problem struct {
	Type   string          `json:"type"`   // A stable relative address that names the code.
	Title  string          `json:"title"`  // The title of the code.
	Status int             `json:"status"` // The HTTP status.
	Code   fault.Code      `json:"code"`
	Detail string          `json:"detail"` // A description of the error.
	Hint   string          `json:"hint"`   // A suggestion, or empty.
	Errors []fault.Problem `json:"errors"` // All problems, with paths.

	more map[string]any // further members
}

// Codes that only exist over HTTP.
const (
	Unavailable fault.Code = "unavailable"
	Internal    fault.Code = "internal"
)

// meaning is the form of a code over HTTP.
type meaning struct {
	Code   fault.Code // as clients see it
	status int
	Title  string
}

// Meanings of all codes. Several codes of the core are the same to clients.
var Meanings = map[fault.Code]meaning{
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
	Unavailable:           {Unavailable, http.StatusServiceUnavailable, "Temporarily unavailable"},
	Internal:              {Internal, http.StatusInternalServerError, "Internal error"},
}

// httpError is an error with a more specific status than that of its code.
type httpError struct {
	error
	status int
}

func (e httpError) Unwrap() error { return e.error }

func WithStatus(status int, err error) error { return httpError{err, status} }

// Of is an error as a client sees it. Errors without a code are internal: they are
// logged, and not shown.
func Of(err error) Problem {
	var f *fault.Error
	var away *port.Away
	switch {
	case errors.As(err, &away):
		f = fault.New(Unavailable, "the server is temporarily unavailable: "+away.Why,
			"try again in a few seconds")
	case errors.Is(err, port.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		f = fault.New(Unavailable, "the server is temporarily unavailable", "try again in a few seconds")
	case !errors.As(err, &f) || Meanings[f.Code].status == 0:
		f = fault.New(Internal, "internal server error",
			"look for the X-Request-Id of this response in the server log")
	}
	m := Meanings[f.Code]
	p := Problem{
		Type: Base + string(m.Code), Title: m.Title, Status: m.status, Code: m.Code,
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

// MarshalJSON adds the further members.
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

// RetryAfter is how many seconds to wait before another attempt, if that is known.
func (p Problem) RetryAfter() (seconds int, ok bool) {
	seconds, ok = p.more["retry_after_s"].(int)
	return seconds, ok
}

func NoSuchPath() error {
	return fault.New(fault.NotFound, "nothing found at this path", "see /api/v1/docs")
}

func NotAllowed(method string, allowed []string) error {
	return WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Unsupported,
		fmt.Sprintf("%s is not supported at this address", Printable(method)),
		"supported methods: "+strings.Join(allowed, ", ")))
}

// Invalid is the error for one wrong member of a request.
func Invalid(path, format string, args ...any) error {
	return fault.Of("the request is not valid", []fault.Problem{{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// Printable makes text of a request safe to repeat: short and without control characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, phrase.Clip(strings.ToValidUTF8(s, "\uFFFD"), 60))
}

// Codes lists the codes of all problems.
func Codes() []string {
	var out []string
	for _, m := range Meanings {
		out = append(out, string(m.Code))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
