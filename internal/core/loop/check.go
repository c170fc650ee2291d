package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Normalise makes sure that arguments are JSON; what is not becomes a string
// that fits no schema, so that the model is told.
func Normalise(c run.Call) run.Call {
	args, err := value.Compact(c.Args)
	switch {
	case len(c.Args) == 0:
		args = json.RawMessage("{}")
	case err != nil:
		args = value.Quote(string(c.Args))
		c.Spec.ArgsSchema = json.RawMessage(`{"type":"object"}`)
	}
	c.Args = args
	return c
}

// Refuses says why a call cannot be made at all, in words the model can use.
func (l *State) Refuses(c *Call) string {
	for _, other := range l.Calls {
		if other.Call.ID == c.Call.ID && other.No < c.No {
			return fmt.Sprintf("another call of this turn has the id %q", c.Call.ID)
		}
	}
	if c.Call.Spec.Unknown {
		return fmt.Sprintf("there is no tool %q", c.Call.Tool)
	}
	if _, err := value.Strict(c.Call.Args); err != nil {
		return "the arguments are not valid: " + phrase.ClipBytes(err.Error(), 500)
	}
	s, err := schema.Compile(c.Call.Spec.ArgsSchema)
	if err != nil {
		return "the tool's schema is not valid: " + err.Error()
	}
	if ps := s.Validate(c.Call.Args); len(ps) > 0 {
		return fault.Of("the arguments do not match the tool's schema", ps).Error()
	}
	return ""
}

// Operation is what a call does, as policies see it. The tools of the state
// machine do what their names say.
func (c *Call) Operation() string {
	if slices.Contains(run.OwnTools, c.Call.Tool) {
		return cmp.Or(c.Call.Spec.Operation, c.Call.Tool)
	}
	return c.Call.Spec.Operation
}

// Tool is what is known about the tool of a call, as risk sees it.
func (c *Call) Tool() risk.Tool {
	s := &c.Call.Spec
	t := risk.Tool{Name: c.Call.Tool, Class: s.Class, Operation: s.Operation, ReadOnly: s.ReadOnly,
		Destructive: s.Destructive, CostUSD: s.CostUSD}
	if t.Name == run.ToolAskHuman && t.Class == "" {
		t.Class = risk.Safe // a question is harmless
	}
	return t
}

// Harmless reports whether a test run may make a call: the tool is declared to
// have no effects, or to read at a low risk.
func (c *Call) Harmless() bool {
	s := &c.Call.Spec
	return s.Effects == plan.EffectsNone || risk.Harmless(s.Class, s.Operation)
}

// Describe tells people what a call would do.
func (c *Call) Describe(q *gate.Request, agent string, level risk.Level, reasons []string) {
	spec := &c.Call.Spec
	q.Call, q.Agent = c.Call.ID, agent
	q.Action.Tool, q.Action.Operation = c.Call.Tool, spec.Operation
	q.Risk = gate.Risk{Level: level, Reasons: slices.Concat(reasons, q.Risk.Reasons)}
	if q.Gate == "" && q.InputSchema == nil && q.Options == nil { // not a question of the agent's own
		if q.Title, _, _ = strings.Cut(phrase.ClipBytes(spec.Description, 200), "\n"); q.Title == "" {
			q.Title = phrase.Sentence("%s wants to use %s", agent, c.Call.Tool)
		}
		if q.Rule != nil {
			q.Title = q.Rule.Name + ": " + q.Title
		}
	}
	switch {
	case spec.Description == "" || q.Description != "" && q.Gate != "":
	case q.Description == "":
		q.Description = spec.Description
	case q.Rule != nil: // what a rule adds up
		q.Description = spec.Description + "\n\n" + q.Description
	}
	if spec.CostUSD > 0 {
		q.CostUSD = spec.CostUSD.String()
	}
	if q.IfDenied = spec.IfDenied; q.IfDenied == "" {
		q.IfDenied = "The agent gets your comment and can try something else."
	}
}

// Attempted reports whether a call may have been made with its arguments: its
// receiver takes another try for the same work. A host that finds the tool
// changed has made no call, but another one may have, and died before it could
// report that.
func (c *Call) Attempted() bool { return c.Try > 0 }

const InputWant = "input:" // and the round

// Want names the question that the tool asked last.
func (c *Call) Want() string { return fmt.Sprintf("%s%d", InputWant, c.Round) }

// MustAsk reports whether people have not been asked yet what the tool asked.
func (c *Call) MustAsk() bool {
	if c.Input == nil {
		return false
	}
	_, asked := c.Asked()
	return !asked
}

// Asked finds the approval that the tool's last question became.
func (c *Call) Asked() (approval int, ok bool) {
	if c.Place != nil {
		for _, ask := range c.Place.Asks {
			if ask.Want == c.Want() {
				return ask.Approval, true
			}
		}
	}
	return 0, false
}

// approved reports whether people were asked whether to make the call. A
// question of the tool itself is no such thing.
func (c *Call) approved() bool {
	if c.Place == nil {
		return false
	}
	for _, ask := range c.Place.Asks {
		if !strings.HasPrefix(ask.Want, InputWant) {
			return true
		}
	}
	return false
}

// Sound is a tool's question in the form that logs have it, or why it cannot be
// put to people, in words that the model can use.
func (c *Call) Sound(in run.CallInput) (out run.CallInput, why string) {
	if c.Round >= run.InputsMax {
		return out, fmt.Sprintf("the tool asked for input %d times, which is the limit", run.InputsMax)
	}
	if len(in.Schema)+len(in.State) > run.InputMax {
		return out, fmt.Sprintf("the tool's request for input is over the limit of %d bytes", run.InputMax)
	}
	for _, raw := range []*json.RawMessage{&in.Schema, &in.State} {
		if len(*raw) == 0 {
			*raw = nil
			continue
		}
		compact, err := value.Strict(*raw)
		if err != nil {
			return out, "the tool's request for input is not valid: " + phrase.ClipBytes(err.Error(), 500)
		}
		*raw = compact
	}
	if _, err := schema.Compile(in.Schema); err != nil {
		return out, "the schema of the tool's request for input is not valid: " + err.Error()
	}
	in.From = phrase.ClipBytes(strings.ToValidUTF8(in.From, "\ufffd"), 500)
	in.Message = phrase.ClipBytes(strings.ToValidUTF8(in.Message, "\ufffd"), run.TextMax)
	return in, ""
}
