package decide

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// A tool may need input from people before it can continue. The call ends, people are asked at its place, and
// it runs again with their answer: the same piece of work, another attempt. So a question may stay open for
// days, across any number of restarts.

// needInput records a tool's question.
func (d *draft) needInput(i, k int, c *loop.Call, r run.CallResult) error {
	in, why := c.Sound(*r.Input)
	if why != "" {
		d.answerCall(i, k, c, run.CallResult{Error: why, Usage: r.Usage, Logs: r.Logs}, false)
		return nil
	}
	d.emit(run.Actor{Kind: run.Agent, Name: c.Agent}, &run.CallInputNeeded{
		Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, Round: c.Round + 1, Input: in, Usage: r.Usage,
	})
	d.touch(i)
	return nil
}

// askInput puts a tool's question to people. Only they can answer it: neither a rule nor a timeout can supply
// the input.
func (d *draft) askInput(i, k int, c *loop.Call) {
	spot := d.callSpot(i, k, c)
	from := c.Input.From
	if from == "" {
		from = c.Call.Tool
	}
	q := d.newRequest(spot, gate.ReasonCall)
	q.Kind, q.InputSchema, q.Proposed = gate.KindInput, c.Input.Schema, json.RawMessage("{}")
	if len(q.InputSchema) == 0 {
		q.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	q.Title = from + " needs your input"
	q.Description = c.Input.Message
	q.Call, q.Agent = c.Call.ID, c.Agent
	q.Show = value.Object(value.Member{Key: "arguments", Value: c.Call.Args})
	q.Action.Tool, q.Action.Operation, q.Action.ArgsSchema = c.Call.Tool, c.Call.Spec.Operation, nil
	q.Risk = gate.Risk{Level: d.levelOf(i, c), Reasons: []string{"the tool needs input to continue"}}
	q.IfDenied = "The call is cancelled, and the agent gets your comment."
	q.Terms = d.termsFor(plan.Gate{Kind: gate.KindInput}, spot)
	d.open(spot, about([]want{{id: c.Want(), request: q, firm: true}}, d.CallKey(i, k, c), false))
}
