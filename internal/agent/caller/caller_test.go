package caller_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/assent-run/assent/internal/agent/caller"
	"github.com/assent-run/assent/internal/port"
)

// TestOneCall: the step's input becomes the arguments of its only call.
func TestOneCall(t *testing.T) {
	turn, err := caller.Model{}.Think(t.Context(), port.TurnRequest{Agent: "tool:mcp:files/read_file", Turn: 2,
		Input: json.RawMessage(`{"path":"a"}`)}, nil)
	if err != nil || len(turn.Calls) != 1 || turn.Output != nil || turn.Text != "" {
		t.Fatalf("%+v: %v", turn, err)
	}
	if c := turn.Calls[0]; c.Tool != "mcp:files/read_file" || string(c.Args) != `{"path":"a"}` || c.ID != "call_2" {
		t.Errorf("%+v", c)
	}
}

// TestNotATool: no other agent is answered for.
func TestNotATool(t *testing.T) {
	_, err := caller.Model{}.Think(t.Context(), port.TurnRequest{Agent: "mailer"}, nil)
	var f *port.Failed
	if !errors.As(err, &f) || f.Transient {
		t.Errorf("%v", err)
	}
}
