// Package caller performs the steps that call a tool. It is the model of an agent whose only act is that call:
//
//	turn, err := caller.Model{}.Think(ctx, request, tell) // one call, with the step's input as its arguments
//
// So the call is judged, gated, retried and recorded as the call of any other agent is. The core decides which
// tool is called, and with which arguments; what is proposed here is compared with that.
package caller

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Model proposes the call of a step that calls a tool.
type Model struct{}

var _ port.Model = Model{}

// Think proposes the call. The id is that of the turn: a call that is proposed again later is another one.
func (Model) Think(_ context.Context, t port.TurnRequest, _ func(port.Progress)) (run.Turn, error) {
	tool, ok := plan.CalledBy(t.Agent)
	if !ok {
		return run.Turn{}, &port.Failed{Failure: run.Failure{Code: "unsupported",
			Message: fmt.Sprintf("agent %q does not call a tool", t.Agent)}}
	}
	return run.Turn{Calls: []run.Call{{ID: fmt.Sprintf("call_%d", t.Turn), Tool: tool, Args: t.Input}}}, nil
}
