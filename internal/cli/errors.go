package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/fault"
)

// Exit codes are part of the contract.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitConflict = 4
	exitRefused  = 5
	exitUnsigned = 6 // of assent audit verify: intact as far as can be verified, but the signed heads are missing
)

// failure is an error with an exit code.
type failure struct {
	code int
	err  error
	hint string
	told bool // the command has already printed everything
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usage reports an invalid command line.
func usage(format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// fail reports a failure, and what to do about it.
func fail(hint, format string, args ...any) error {
	return &failure{code: exitFailed, err: fmt.Errorf(format, args...), hint: hint}
}

// unread reports a named file that cannot be read.
func unread(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &failure{code: exitNotFound, err: err}
	}
	return err
}

// quiet exits with a code and prints nothing more.
func quiet(code int) error {
	return &failure{code: code, err: errors.New("failed"), told: true}
}

func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	var p *client.Problem
	if errors.As(err, &p) {
		return codeOfStatus(p.Status)
	}
	switch fault.CodeOf(err) {
	case fault.NotFound:
		return exitNotFound
	case fault.Conflict, fault.AlreadyDecided, fault.VersionMismatch, fault.Closed:
		return exitConflict
	case fault.Forbidden:
		return exitRefused
	}
	return exitFailed
}

func codeOfStatus(status int) int {
	switch status {
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusConflict:
		return exitConflict
	case http.StatusUnauthorized, http.StatusForbidden:
		return exitRefused
	}
	return exitFailed
}

// trouble is an error in parts: what happened, why, and what to do.
type trouble struct {
	Message string           `json:"message"`
	Code    string           `json:"code,omitempty"`
	Errors  []client.Mistake `json:"errors,omitempty"`
	Hint    string           `json:"hint,omitempty"`
	Exit    int              `json:"exit"`
}

func troubleOf(err error) trouble {
	out := trouble{Message: err.Error(), Exit: exitCode(err)}
	var f *failure
	if errors.As(err, &f) {
		out.Hint = f.hint
	}
	var p *client.Problem
	var core *fault.Error
	switch {
	case errors.As(err, &p):
		out.Message, out.Code, out.Errors, out.Hint = p.What(), p.Code, p.Errors, p.Hint
		if p.DecidedBy != "" && !strings.Contains(out.Message, p.DecidedBy) {
			out.Message += fmt.Sprintf(" (%s, by %s)", strings.ReplaceAll(p.Act, "_", " "), p.DecidedBy)
		}
	case errors.As(err, &core):
		out.Message, out.Code, out.Hint = core.Message, string(core.Code), core.Hint
		for _, m := range core.Problems {
			out.Errors = append(out.Errors, client.Mistake{Path: m.Path, Message: m.Message, Line: m.Line, Column: m.Column})
		}
	}
	if p != nil && p.Status == http.StatusUnauthorized {
		out.Hint = "set a token in ASSENT_TOKEN; create one on the server with: assent auth token add NAME"
	}
	var file *fs.PathError
	if p == nil && core == nil && errors.As(err, &file) { // without the name of the system call
		out.Message = strings.Replace(out.Message, file.Error(), file.Path+": "+file.Err.Error(), 1)
	}
	var away *client.Unreachable
	if errors.As(err, &away) && out.Hint == "" {
		out.Hint = "is the server running? Start one with: assent serve"
	}
	return out
}

// explain prints why a command failed on stderr.
func (t *tool) explain(err error) {
	var f *failure
	if errors.As(err, &f) && f.told || errors.Is(err, context.Canceled) {
		return
	}
	why := troubleOf(err)
	if t.json {
		b, _ := json.Marshal(map[string]trouble{"error": why}) // plain texts and numbers
		fmt.Fprintf(t.Stderr, "%s\n", b)
		return
	}
	fmt.Fprintf(t.Stderr, "assent: %s\n", show.Clean(why.Message))
	for _, m := range why.Errors {
		fmt.Fprintf(t.Stderr, "  %s\n", show.Clean(m.String()))
	}
	if why.Hint != "" {
		fmt.Fprintf(t.Stderr, "  hint: %s\n", show.Clean(why.Hint))
	}
}
