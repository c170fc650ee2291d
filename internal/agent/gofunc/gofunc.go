// Package gofunc has agents that are Go functions of the program itself:
//
//	triage := gofunc.Typed(func(ctx context.Context, c Claim) (Verdict, error) { … })
//	mailer := gofunc.New(func(ctx context.Context, w port.Work) (run.Result, error) { … })
//
// A function runs on the goroutine of whoever asks. Nothing can stop it from
// outside, so it has to return when ctx ends. A panic is a permanent failure
// with its stack; it never takes the program down. An error that carries no
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

// New makes an agent of a function that sees the whole Work: the try, the key,
// what people said, and lessons. No output is null.
func New(f Func) *Agent { return &Agent{f} }

// Typed makes an agent of a function from In to Out. The input is read and the
// output written by encoding/json, with its rules: a number that lands in an
// any is a float64 and may be rounded, keys match whatever their case, and
// fields that In does not have are dropped. Where every digit counts, use
// json.Number or json.RawMessage in In and Out; json.RawMessage keeps its bytes.
// An input that does not fit In is a permanent failure.
func Typed[In, Out any](f func(ctx context.Context, in In) (Out, error)) *Agent {
	return New(func(ctx context.Context, w port.Work) (run.Result, error) {
		var in In
		if len(w.Input) > 0 {
			if err := json.Unmarshal(w.Input, &in); err != nil {
				return run.Result{}, permanent("invalid_input", fmt.Sprintf("the input does not fit %T: %v", in, err))
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
		return run.Result{}, fmt.Errorf("%w: %w", ended, err) // whatever it says, it was stopped
	case err != nil:
		return run.Result{}, err
	}
	return answer.Check(r)
}

// telling is where a function's context has whom to tell.
type telling struct{}

// Tell says how far a function is, to whoever watches. Outside of one it says
// it to nobody.
func Tell(ctx context.Context, p port.Progress) {
	if tell, ok := ctx.Value(telling{}).(func(port.Progress)); ok && tell != nil {
		tell(p)
	}
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
