// Package gofunc contains agents that are Go functions of the program itself:
//
//	triage := gofunc.Typed(func(ctx context.Context, c Claim) (Verdict, error) { … })
//	mailer := gofunc.New(func(ctx context.Context, w port.Work) (run.Result, error) { … })
//
// A function runs on the caller's goroutine. It cannot be stopped from outside, so it has to return when ctx
// ends. A panic is a permanent failure with its stack; it never crashes the program. An error without a
// port.Failed is transient, as everywhere.
package gofunc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Func does one piece of work.
type Func func(ctx context.Context, w port.Work) (run.Result, error)

// Agent is a function as an agent.
type Agent struct{ f Func }

var _ port.Agent = (*Agent)(nil)

// New returns an agent for a function that sees the whole Work: the attempt, the key, people's feedback, and
// lessons. A missing output is null.
func New(f Func) *Agent { return &Agent{f} }

// Typed returns an agent for a function from In to Out. The input is decoded and the output encoded by
// encoding/json, with its rules: a number in an any is a float64 and may be rounded, keys match
// case-insensitively, and fields that In does not have are dropped. If every digit counts, use json.Number or
// json.RawMessage in In and Out; json.RawMessage keeps its bytes. An input that does not match In is a
// permanent failure.
func Typed[In, Out any](f func(ctx context.Context, in In) (Out, error)) *Agent {
	return New(func(ctx context.Context, w port.Work) (run.Result, error) {
		var in In
		if len(w.Input) > 0 {
			if err := json.Unmarshal(w.Input, &in); err != nil {
				return run.Result{}, permanent("invalid_input", fmt.Sprintf("the input does not match %T: %v", in, err))
			}
		}
		out, err := f(ctx, in)
		if err != nil {
			return run.Result{}, err
		}
		raw, err := value.Marshal(out)
		if err != nil {
			return run.Result{}, permanent(answer.Invalid, fmt.Sprintf("the output is not JSON: %v", err))
		}
		return run.Result{Output: raw}, nil
	})
}

// Invoke calls the function.
func (a *Agent) Invoke(ctx context.Context, w port.Work, tell func(port.Progress)) (r run.Result, err error) {
	if err := ctx.Err(); err != nil {
		return run.Result{}, err
	}
	ctx = context.WithValue(ctx, telling{}, tell)
	defer func() {
		if p := recover(); p != nil {
			r, err = run.Result{}, &port.Failed{Failure: run.Failure{
				Code: "panic", Message: fmt.Sprintf("the agent panicked: %v", p), Stack: string(debug.Stack()),
			}}
		}
	}()
	r, err = a.f(ctx, w)
	switch ended := ctx.Err(); {
	case err != nil && ended != nil && !errors.Is(err, ended):
		return run.Result{}, fmt.Errorf("%w: %w", ended, err) // whatever it returns, it was stopped
	case err != nil:
		return run.Result{}, err
	}
	return answer.Check(r)
}

// telling is the context key of the progress listener.
type telling struct{}

// Tell reports a function's progress to those who watch the run. Outside of one it does nothing.
func Tell(ctx context.Context, p port.Progress) {
	if tell, ok := ctx.Value(telling{}).(func(port.Progress)); ok && tell != nil {
		tell(p)
	}
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
