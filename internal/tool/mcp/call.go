package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

// keyMeta is where a server finds the idempotency key of a call.
const keyMeta = "assent.run/idempotency-key"

// errForgotten reports that the server no longer knows our session, as after a restart. It did not handle the
// request.
var errForgotten = errors.New("the server forgot the session")

// forgotten reports whether that is the cause, and drops the session. The library's errors do not always show
// it.
func (l *session) forgotten(err error, seen *exchange) bool {
	seen.mu.Lock()
	missing := seen.status == http.StatusNotFound
	seen.mu.Unlock()
	if !errors.Is(err, sdk.ErrSessionMissing) && (l.child != nil || !missing || l.sdk.ID() == "") {
		return false
	}
	l.server.drop(l)
	return true
}

// inNewSession runs an operation, and repeats it in a new session if the first was forgotten.
func inNewSession[T any](s *Server, do func() (T, error)) (T, error) {
	r, err := do()
	if errors.Is(err, errForgotten) {
		r, err = do()
	}
	if errors.Is(err, errForgotten) {
		err = s.transient(outbound.Unreachable, "forgets its sessions", 0)
	}
	return r, err
}

// Call calls a tool. Errors are a *outbound.Failed or the error of ctx.
func (s *Server) Call(ctx context.Context, name string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	return inNewSession(s, func() (run.CallResult, error) { return s.call(ctx, name, w, tell, outputOf) })
}

// CallStep is Call for a step, whose output other steps read: text that is JSON is parsed.
func (s *Server) CallStep(ctx context.Context, name string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	return inNewSession(s, func() (run.CallResult, error) { return s.call(ctx, name, w, tell, stepOutput) })
}

func (s *Server) call(ctx context.Context, name string, w port.ToolWork, tell func(port.Progress),
	read reading) (run.CallResult, error) {
	live, err := s.acquire(ctx)
	if err != nil {
		return run.CallResult{}, err
	}
	defer s.release()
	tool, ok, err := s.lookUp(ctx, live, name)
	if err != nil {
		return run.CallResult{}, err
	}
	if !ok {
		return run.CallResult{Error: fmt.Sprintf("the server %s has no tool %q", s.doc.Name, name)}, nil
	}
	if tool.differs(s.doc.Name, w.Approved) {
		return run.CallResult{}, &port.Changed{}
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	had := carriedOf(w.State)
	p := live.begin(w, had, stop, tell)
	if err := live.enterLane(ctx, p); err != nil {
		return run.CallResult{}, err
	}
	defer live.finish(p)
	limited, cancel := context.WithTimeout(asking, s.timeout())
	defer cancel()
	seen := &exchange{}
	res, err := live.send(context.WithValue(limited, exchangeKey{}, seen), &sdk.CallToolParams{
		Meta: sdk.Meta{"progressToken": p.token, keyMeta: w.Key}, Name: name, Arguments: w.Args,
		InputResponses: had.responses(w.Answer), RequestState: had.State,
	})
	if q := p.wants(); q != nil && err != nil && ctx.Err() == nil {
		return live.ask(name, carried{Asked: []question{*q}, Said: had.answers(w.Answer)}), nil
	}
	if err != nil {
		return live.unanswered(ctx, limited, tool, err, seen)
	}
	s.went()
	if res.NeedsInput() || len(res.InputRequests) > 0 {
		return live.requires(name, res)
	}
	return live.result(ctx, res, read)
}

// send makes a call. An overloaded server is retried.
func (l *session) send(ctx context.Context, params *sdk.CallToolParams) (res *sdk.CallToolResult, err error) {
	for try := range busyTries {
		err = l.do(ctx, func(ctx context.Context) error {
			var err error
			res, err = l.sdk.CallTool(ctx, params)
			return err
		})
		if err != nil || !res.NeedsInput() || len(res.InputRequests) > 0 {
			return res, err
		}
		params.RequestState = res.RequestState
		timer := time.NewTimer(busyPause << try)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-l.unwanted:
			timer.Stop()
			return nil, sdk.ErrConnectionClosed
		}
	}
	return res, nil
}

// requires interprets a result that requires input first.
func (l *session) requires(tool string, res *sdk.CallToolResult) (run.CallResult, error) {
	if len(res.InputRequests) == 0 {
		return run.CallResult{}, l.server.transient("busy", "has too much to do", 0)
	}
	c, ok := required(res)
	if !ok {
		return l.cannotAsk("it asks for something that people cannot give it"), nil
	}
	return l.ask(tool, c), nil
}

// unanswered classifies a call without a result.
func (l *session) unanswered(ctx, limited context.Context, tool *Tool, err error,
	seen *exchange) (run.CallResult, error) {
	if l.forgotten(err, seen) {
		return run.CallResult{}, errForgotten
	}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && ctx.Err() == nil && limited.Err() == nil && !errors.Is(err, sdk.ErrConnectionClosed) &&
		seen.answered(wire) {
		if wire.Code == sdk.CodeURLElicitationRequired {
			return l.ask(tool.Name, elsewhere(wire.Data)), nil
		}
		return run.CallResult{Error: l.veil.Hide(phrase.ClipValid(fmt.Sprintf("the server %s refuses: %s", l.server.doc.Name,
			wire.Message), errorMax))}, nil
	}
	err = l.lost(ctx, limited, err, seen)
	var f *outbound.Failed
	if errors.As(err, &f) && f.Transient && !tool.again() && f.Code != "http" {
		return run.CallResult{Error: f.Message +
			"; the call may have been carried out all the same: find out before you make it again"}, nil
	}
	return run.CallResult{}, err
}

// answered distinguishes a server's own error from one that the library derived from HTTP. Only the former
// appears in the response.
func (e *exchange) answered(wire *jsonrpc.Error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.status == 0 {
		return e.err == nil
	}
	raw, err := value.Compact(e.said)
	if err != nil {
		return false
	}
	message, _ := value.Get(raw, "error", "message")
	text, ok := value.Text(message)
	return ok && text == wire.Message
}

// lost is the failure of a call without any answer.
func (l *session) lost(ctx, limited context.Context, err error, seen *exchange) error {
	s := l.server
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask the server %s: %w", s.doc.Name, ctx.Err())
	case limited.Err() != nil:
		return s.transient("timeout", fmt.Sprintf("did not answer within %s", s.timeout()), 0)
	}
	// The connection breaks a moment before the end of the other side is known. The next caller has to see
	// that.
	l.settle()
	if l.child != nil {
		if ended := l.child.Failure(); ended != nil {
			return s.named(ended)
		}
	}
	if f := seen.failure(ctx, l); f != nil {
		return s.named(f)
	}
	return s.transient("broken", "did not answer: "+l.veil.Said(err.Error(), false), 0)
}

// settle waits for a pending end: briefly for its first sign, and longer for a program whose connection is
// gone.
func (l *session) settle() {
	wait := func(d time.Duration, news <-chan struct{}) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-news:
		case <-timer.C:
		}
	}
	if l.child == nil {
		wait(newsWithin, l.gone)
		return
	}
	if wait(newsWithin, l.child.Done()); l.left() || !l.ended() {
		return
	}
	wait(stuckAfter, l.child.Done())
}

// result converts a server's answer.
func (l *session) result(ctx context.Context, res *sdk.CallToolResult, read reading) (run.CallResult, error) {
	if res.IsError {
		text := strings.TrimSpace(words(res.Content))
		if text == "" {
			text = "the tool failed and does not say why"
		}
		return run.CallResult{Error: l.veil.Hide(phrase.ClipValid(text, errorMax))}, nil
	}
	out, err := read(ctx, res, l.server.pool.o.Keep)
	if err != nil {
		return run.CallResult{}, l.server.named(err)
	}
	return run.CallResult{Output: l.veil.HideJSON(out)}, nil
}
