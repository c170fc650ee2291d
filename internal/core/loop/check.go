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

// Normalise makes sure that arguments are JSON; anything else becomes a string that matches no schema, so
// that the model gets an error.
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

// Refuses returns why a call cannot be made at all, in words the model can use.
func (l *State) Refuses(c *Call) string {
	for _, other := range l.Calls {
		if other.Call.ID == c.Call.ID && other.No < c.No {
			return fmt.Sprintf("another call of this turn has the id %q", c.Call.ID)
		}
	}
	if c.Call.Spec.Unknown {
		return fmt.Sprintf("tool %q not found", c.Call.Tool)
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

// Operation is the operation of a call as policies see it. For built-in tools it is the tool's name.
func (c *Call) Operation() string {
	if slices.Contains(run.OwnTools, c.Call.Tool) {
		return cmp.Or(c.Call.Spec.Operation, c.Call.Tool)
	}
	return c.Call.Spec.Operation
}

// Tool describes the tool of a call for risk assessment.
func (c *Call) Tool() risk.Tool {
	s := &c.Call.Spec
	t := risk.Tool{Name: c.Call.Tool, Class: s.Class, Operation: s.Operation, ReadOnly: s.ReadOnly,
		Destructive: s.Destructive, CostUSD: s.CostUSD}
	if t.Name == run.ToolAskHuman && t.Class == "" {
		t.Class = risk.Safe // a question is harmless
	}
	return t
}

// Harmless reports whether a test run may make a call: the tool is declared to have no effects, or to read at
// low risk.
func (c *Call) Harmless() bool {
	s := &c.Call.Spec
	return s.Effects == plan.EffectsNone || risk.Harmless(s.Class, s.Operation)
}

// Describe describes a call to people.
func (c *Call) Describe(q *gate.Request, agent string, level risk.Level, reasons []string) {
	spec := &c.Call.Spec
	q.Call, q.Agent = c.Call.ID, agent
	q.Action.Tool, q.Action.Operation = c.Call.Tool, spec.Operation
	q.Risk = gate.Risk{Level: level, Reasons: slices.Concat(reasons, q.Risk.Reasons)}
	if q.Gate == "" && q.InputSchema == nil && q.Options == nil { // not a question by the agent itself
		first, _, _ := strings.Cut(spec.Description, "\n")
		q.Title = phrase.ClipWords(first, phrase.TextMax)
		switch _, step := plan.CalledBy(agent); {
		case q.Title != "":
		case step: // the plan asks for it, not an agent
			q.Title = phrase.Sentence("use %s", c.Call.Tool)
		default:
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
	case q.Rule != nil: // a rule's totals
		q.Description = spec.Description + "\n\n" + q.Description
	}
	if spec.CostUSD > 0 {
		q.CostUSD = spec.CostUSD.String()
	}
	if q.IfDenied = spec.IfDenied; q.IfDenied == "" {
		q.IfDenied = "The agent gets your comment and can try something else."
	}
}

// Attempted reports whether a call may have been made with its arguments: the receiver would treat another
// attempt as the same work. A host that finds the tool changed has made no call, but another host may have,
// and died before it could report that.
func (c *Call) Attempted() bool { return c.Try > 0 }

const InputWant = "input:" // and the round

// Want identifies the tool's last question.
func (c *Call) Want() string { return fmt.Sprintf("%s%d", InputWant, c.Round) }

// MustAsk reports whether the tool's question has not been put to people yet.
func (c *Call) MustAsk() bool {
	if c.Input == nil {
		return false
	}
	_, asked := c.Asked()
	return !asked
}

// Asked finds the approval for the tool's last question.
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

// approved reports whether people were asked to approve the call. A question by the tool itself does not
// count.
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

// Sound returns a tool's question in the form used in logs, or why it cannot be put to people, in words that
// the model can use.
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
	in.From = phrase.ClipValid(in.From, 500)
	in.Message = phrase.ClipValid(in.Message, run.TextMax)
	return in, ""
}
