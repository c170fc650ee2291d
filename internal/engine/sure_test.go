package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// A model's confidence in a call is requested as an argument, which tools do not get.
func TestHowSureAModelIs(t *testing.T) {
	tools, offered := offerSure([]port.ToolInfo{
		{Name: "plain", Args: json.RawMessage(`{"type":"object","properties":{"a":{}},"required":["a"]}`)},
		{Name: "bare"}, {Name: "own", Args: json.RawMessage(`{"properties":{"_confidence":{"type":"string"}}}`)},
	})
	if len(offered) != 2 || string(offered["plain"]) != string(tools[0].Args) || offered["own"] != nil ||
		!strings.Contains(string(tools[0].Args), `"a":{},"_confidence":{"type":"number"`) ||
		!strings.Contains(string(tools[0].Args), `"required":["a"]`) ||
		!strings.HasPrefix(string(tools[1].Args), `{"type":"object","properties":{"_confidence"`) ||
		strings.Contains(string(tools[2].Args), "number") {
		t.Errorf("%s\n%v", tools, offered)
	}
	for _, c := range []struct {
		args, left string
		sure       bool
		confidence float64 // -1: none
	}{
		{`{"a":1,"_confidence":0.5}`, `{"a":1}`, true, 0.5}, {`{"_confidence":0}`, `{}`, true, 0},
		{`{"_confidence":1}`, `{}`, true, 1},
		{`{"a":1}`, `{"a":1}`, true, -1}, {`{"_confidence":1.1}`, `{"_confidence":1.1}`, false, -1},
		{`{"_confidence":-0.1}`, `{"_confidence":-0.1}`, false, -1},
		{`{"_confidence":"1"}`, `{"_confidence":"1"}`, false, -1},
		{`[1]`, `[1]`, true, -1}, {`{"a"`, `{"a"`, true, -1}, {``, ``, true, -1},
	} {
		call := run.Call{Args: json.RawMessage(c.args)}
		sure := takeSure(&call)
		if sure != c.sure || string(call.Args) != c.left || (call.Confidence == nil) != (c.confidence < 0) ||
			call.Confidence != nil && *call.Confidence != c.confidence {
			t.Errorf("%s: %t, %s", c.args, sure, call.Args)
		}
	}
}
