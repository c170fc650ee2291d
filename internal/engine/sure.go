package engine

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// sureArg is the argument with which a model states its confidence in a call.
const sureArg = "_confidence"

const sureSchema = `{"type":"number","minimum":0,"maximum":1,` +
	`"description":"How sure you are that this call is right, from 0 to 1. It is not passed to the tool."}`

// offerSure adds the argument to all tools except those that already have one of that name, which keep it. It
// returns the offered schemas, by tool.
func offerSure(tools []port.ToolInfo) ([]port.ToolInfo, map[string]json.RawMessage) {
	out, offered := slices.Clone(tools), map[string]json.RawMessage{}
	for i, t := range out {
		schema := t.Args
		if value.KindOf(schema) != value.KindObject {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		own, _ := value.Get(schema, "properties")
		if _, taken := value.Get(own, sureArg); taken {
			continue
		}
		properties := value.Merge(own, value.Object(value.Member{Key: sureArg, Value: json.RawMessage(sureSchema)}))
		out[i].Args = value.Merge(schema, value.Object(value.Member{Key: "properties", Value: properties}))
		offered[t.Name] = out[i].Args
	}
	return out, offered
}

// takeSure removes the argument from a call. A value that is not a number from 0 to 1 stays, and counts as no
// confidence: the core then validates the arguments against the offered schema, and reports the error to the
// model.
func takeSure(c *run.Call) (sure bool) {
	args, err := value.Strict(c.Args)
	if err != nil || value.KindOf(args) != value.KindObject {
		return true // the core reports the problem to the model
	}
	said, ok := value.Get(args, sureArg)
	if !ok {
		return true
	}
	var f float64
	if value.KindOf(said) != value.Number || json.Unmarshal(said, &f) != nil || f < 0 || f > 1 {
		return false
	}
	var rest []value.Member
	for name, v := range value.Members(args) {
		if name != sureArg {
			rest = append(rest, value.Member{Key: name, Value: v})
		}
	}
	c.Args, c.Confidence = value.Object(rest...), &f
	return true
}
