package local

import (
	"context"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// sneaky is a model that calls any tool it can think of.
type sneaky struct{}

func (sneaky) Think(context.Context, port.TurnRequest, func(port.Progress)) (run.Turn, error) {
	return run.Turn{Calls: []run.Call{{ID: "c1", Tool: "given"}, {ID: "c2", Tool: "secret"}}}, nil
}

// shelf is a toolset with two tools.
type shelf struct{}

func (shelf) List(_ context.Context, names []string) (out []port.ToolInfo, _ error) {
	for _, n := range names {
		out = append(out, port.ToolInfo{Name: n})
	}
	return out, nil
}

func (shelf) Spec(_ context.Context, c run.Call) run.ToolSpec {
	return run.ToolSpec{Description: "Use " + c.Tool}
}

func (shelf) Call(context.Context, port.ToolWork, func(port.Progress)) (run.CallResult, error) {
	return run.CallResult{}, nil
}

// A model can write any name. Tools that its agent was not given do not exist for it, whatever else the
// server has.
func TestAModelHasTheToolsOfItsAgent(t *testing.T) {
	e := &Engine{Config: Config{
		LLMAgent: func(string) (port.LLMAgent, error) {
			return port.LLMAgent{Model: sneaky{}, Tools: []string{"given"}}, nil
		},
		Tools: shelf{},
	}}
	turn, _, err := e.think(t.Context(), port.TurnRequest{Agent: "x"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := turn.Calls[0].Spec; s.Unknown || s.Description != "Use given" {
		t.Errorf("its own tool: %+v", s)
	}
	if s := turn.Calls[1].Spec; !s.Unknown || s.Description != "" {
		t.Errorf("somebody else's tool: %+v", s)
	}
}

// stops is a model during whose answer the engine stops.
type stops struct {
	sneaky
	stop context.CancelFunc
}

func (m stops) Think(ctx context.Context, r port.TurnRequest, tell func(port.Progress)) (run.Turn, error) {
	m.stop()
	return m.sneaky.Think(ctx, r, tell)
}

// remote is a toolset on a server, which is asked about its tools.
type remote struct{ shelf }

func (r remote) Spec(ctx context.Context, c run.Call) run.ToolSpec {
	if ctx.Err() != nil {
		return run.ToolSpec{Description: "the server does not answer"}
	}
	return r.shelf.Spec(ctx, c)
}

// An answer that a model gave counts, although the engine stops before it knows all about the tools in it: what it
// records about them does not come from that.
func TestATurnIsCompletedWhenTheEngineStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	e := &Engine{Config: Config{
		LLMAgent: func(string) (port.LLMAgent, error) {
			return port.LLMAgent{Model: stops{stop: stop}, Tools: []string{"given"}}, nil
		},
		Tools: remote{},
	}}
	turn, _, err := e.think(ctx, port.TurnRequest{Agent: "x"}, "", nil)
	if err != nil || ctx.Err() == nil {
		t.Fatal(err)
	}
	if s := turn.Calls[0].Spec; s.Description != "Use given" {
		t.Errorf("%+v", s)
	}
}
