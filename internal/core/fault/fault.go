// Package fault gives every error three readers: a code for machines, a
// sentence for people and a hint on how to fix it.
//
//	return fault.New(fault.Conflict, "ann approved this 2 s ago", "reload the inbox")
//
// Codes are part of the API contract and never change their meaning.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Code is the stable, machine-readable name of what went wrong.
type Code string

const (
	Invalid         Code = "invalid"          // well-formed but not acceptable; Problems says where
	NotFound        Code = "not_found"        // no such run, step, approval, …
	Conflict        Code = "conflict"         // the state does not allow it (now)
	AlreadyDecided  Code = "already_decided"  // an approval was settled before; Detail says by whom
	VersionMismatch Code = "version_mismatch" // decided on an older version than the current one
	Forbidden       Code = "forbidden"        // this actor may not do that
	TooLarge        Code = "too_large"        // over a limit
	Unsupported     Code = "unsupported"      // a known word that means nothing here
	Stale           Code = "stale"            // a result that is no longer needed (fenced off)
	Closed          Code = "closed"           // the run has ended
	Duplicate       Code = "duplicate"        // this command id was answered before; Detail["seq"] says where
	Outdated        Code = "outdated"         // based on definitions that are no longer in force; decide again
	Unauthenticated Code = "unauthenticated"  // the request has no valid credentials
	RateLimited     Code = "rate_limited"     // too often; Detail["retry_after_s"] says when to come back
)

// Problem is one thing wrong at one place. Path is a JSON pointer or a dotted
// path into the document; Line and Column are set where source text is known.
type Problem struct {
	Path    string `json:"path" holds:"text"`
	Message string `json:"message" holds:"text"`
	Line    int    `json:"line,omitempty"`    // The line, from 1, if the source text is known.
	Column  int    `json:"column,omitempty"`  // The column, from 1, if the source text is known.
	Warning bool   `json:"warning,omitempty"` // True for a warning, which is not an error.
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Error is what the core returns for everything it refuses.
type Error struct {
	Code     Code
	Message  string
	Hint     string
	Problems []Problem
	Detail   map[string]any
}

// New makes an error; hint may be empty.
func New(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Newf is New with a formatted message and no hint.
func Newf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With adds a detail for machines and returns the error for chaining.
func (e *Error) With(key string, v any) *Error {
	if e.Detail == nil {
		e.Detail = map[string]any{}
	}
	e.Detail[key] = v
	return e
}

// Of makes one Invalid error out of every problem found.
func Of(message string, problems []Problem) *Error {
	return &Error{Code: Invalid, Message: message, Problems: problems}
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for i, p := range e.Problems {
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// CodeOf returns the code of err, or "" if it carries none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// HintOf returns the hint of err, or "".
func HintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// DetailOf returns what err tells machines, or nil.
func DetailOf(err error) map[string]any {
	var e *Error
	if errors.As(err, &e) {
		return e.Detail
	}
	return nil
}

// Is reports whether err carries this code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// Errors leaves out the warnings.
func Errors(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}
