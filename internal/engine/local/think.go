package local

import (
	"context"
	"errors"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
)

// thinking prepares one turn of a model. Its input is captured now, while the state is loaded.
func (e *Engine) thinking(r *one, key run.Key, do run.Think) func(context.Context) run.Operation {
	t := port.TurnRequest{
		Run: r.id, Step: do.Step, Agent: do.Agent, Turn: do.Turn, Try: do.Try, Key: key.Work(),
		Input:    r.s.InputFor(do.Step, do.Index),
		Guidance: do.Guidance, Entries: do.Entries,
	}
	if do.Index >= 0 {
		t.Index = &do.Index
	}
	operation := r.s.Operation(do.Step)
	return func(ctx context.Context) run.Operation {
		ctx, cancel := e.until(ctx, do.Deadline)
		defer cancel()
		turn, changed, err := e.think(ctx, t, operation, do.Approved)
		switch {
		case changed != nil:
			return run.Rebind{Key: key, Implementation: changed}
		case err != nil && ours(ctx, err):
			return nil // it stays owed
		case err != nil:
			return run.Fail{Key: key, Failure: port.FailureOf(err)}
		}
		return run.CompleteTurn{Key: key, Turn: turn}
	}
}

// think requests a turn. If the step was approved with a document other than the one in force, the model is
// not called, and that document is returned.
func (e *Engine) think(ctx context.Context, t port.TurnRequest, operation string,
	approved []gate.Implementation) (_ run.Turn, changed []gate.Implementation, _ error) {
	if e.LLMAgent == nil {
		return run.Turn{}, nil, &port.Failed{Failure: run.Failure{Code: "unsupported",
			Message: "language models are not available here"}}
	}
	llm, err := e.LLMAgent(t.Agent)
	if err != nil {
		return run.Turn{}, nil, err
	}
	if len(approved) > 0 && !gate.Same(approved, llm.Implementation) {
		return run.Turn{}, llm.Implementation, nil
	}
	if e.Teach != nil {
		t.Lessons = e.Teach(ctx, t.Agent, operation, t.Input)
	}
	var tools port.Toolbox
	if e.Tools != nil {
		tools = e.Tools
	}
	missing := func(err error) {
		e.Log.Warn("some tools are unavailable", "agent", t.Agent, "run", t.Run, "error", mask.Credentials(err.Error()))
	}
	turn, err := engine.Turn(ctx, llm, tools, t, missing, e.telling(port.Work{Run: t.Run, Step: t.Step, Index: t.Index,
		Try: t.Try, Key: t.Key}))
	return turn, nil, err
}

func (e *Engine) callTool(ctx context.Context, key run.Key, do run.CallTool, w port.ToolWork) run.Operation {
	ctx, cancel := e.until(ctx, do.Deadline)
	defer cancel()
	if e.Tools == nil {
		return run.Fail{Key: key, Failure: run.Failure{Code: "unsupported", Message: "tools are not available here"}}
	}
	result, err := e.Tools.Call(ctx, w, e.telling(port.Work{Run: w.Run, Step: w.Step, Try: w.Try, Key: w.Key}))
	complete := func() run.Operation { return run.CompleteCall{Key: key, Result: result} }
	if err == nil {
		err = e.keepContents(ctx, result.Deliverables, complete)
	}
	var changed *port.Changed
	switch {
	case errors.As(err, &changed):
		return run.Rebind{Key: key, Spec: changed.Spec}
	case err != nil && ours(ctx, err):
		return nil // it stays owed
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	return complete()
}

// telling forwards progress reports.
func (e *Engine) telling(w port.Work) func(port.Progress) {
	return func(p port.Progress) {
		if e.Reported != nil && !w.Ahead {
			p.Text = mask.Credentials(p.Text)
			e.Reported(w, p)
		}
	}
}

// ours reports whether an error is ours and not the agent's: its work was stopped, or done and could not be
// stored. The work stays owed.
func ours(ctx context.Context, err error) bool {
	return engine.Stopped(ctx) || errors.Is(err, port.ErrUnavailable)
}

// finishing is the context of what completes a turn that a model has answered. If the turn is stopped now, the
// answer still counts, and must not say that a tool is unknown or a search failed because we stop.
func finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), findWithin)
}

// until limits an effect; the zero time does not. The deadline is measured by the engine's clock.
func (e *Engine) until(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, deadline.Sub(e.Now()))
}
