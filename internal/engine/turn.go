package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// specWithin limits how long tools may take to describe the calls of a turn.
const specWithin = 10 * time.Second

// Turn asks the model of an agent for one turn, and describes the calls in it. Tools that cannot be reached are left
// out and passed to missing: the model works with the rest, unless the agent needs them.
func Turn(ctx context.Context, llm port.LLMAgent, tools port.Toolbox, t port.TurnRequest, missing func(error),
	tell func(port.Progress)) (run.Turn, error) {
	t.Output = llm.Output
	if tools != nil && len(llm.Tools) > 0 {
		var err error
		if t.Tools, err = tools.List(ctx, llm.Tools); err != nil {
			missing(err)
			if Stopped(ctx) || llm.Needed && !errors.Is(err, port.ErrNoTool) {
				return run.Turn{}, err
			}
		}
	}
	var offered map[string]json.RawMessage
	if llm.CallConfidence {
		t.Tools, offered = offerSure(t.Tools)
	}
	turn, err := llm.Model.Think(ctx, t, tell)
	if err != nil {
		return turn, err
	}
	// If the turn is stopped now, the answer still counts, and must not say that a tool is unknown because we stop.
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), specWithin)
	defer cancel()
	for i := range turn.Calls {
		c := &turn.Calls[i]
		schema, asked := offered[c.Tool]
		sure := !asked || takeSure(c)
		c.Spec = run.ToolSpec{Unknown: true}
		// A model may name any tool; only those it was given exist for it.
		if slices.ContainsFunc(t.Tools, func(known port.ToolInfo) bool { return known.Name == c.Tool }) {
			c.Spec = tools.Spec(whole, *c)
		}
		if !sure {
			c.Spec.ArgsSchema = schema
		}
	}
	return turn, nil
}

// Stopped reports whether an effect was cancelled: the engine stops, leadership is lost, or it is no longer owed. An
// error after that is not the agent's failure. A deadline that passed is.
func Stopped(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) && !mutant.Is(mutant.CancelledIsFailure)
}
