package machine

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// StepScope is the scope of gates and rules about step i.
func (s *State) StepScope(i, k int, subject json.RawMessage) *Scope {
	n := &s.plan.Nodes[i]
	sc := &Scope{s: s, step: i, index: k, Subject: subject,
		words: map[string]json.RawMessage{"agent": value.Quote(n.Step.Performer())}}
	if n.Step.Risk != "" {
		sc.words["risk"] = value.Quote(string(n.Step.Risk))
	}
	if n.Step.Operation != "" {
		sc.words["operation"] = value.Quote(n.Step.Operation)
	}
	if k >= 0 {
		if items := s.ItemsOf(i); k < len(items) {
			sc.item = items[k]
		}
	}
	return sc
}

// ResultScope is the scope of gates and rules about the result of step i: the step's own name refers to that
// result, which is not the step's output yet.
func (s *State) ResultScope(i, k int, result json.RawMessage) *Scope {
	sc := s.StepScope(i, k, result)
	if id := s.plan.Nodes[i].Step.ID; sc.words[id] == nil {
		sc.words[id] = result
	}
	return sc
}

// SetConfidence makes an agent's confidence available to conditions.
func (c *Scope) SetConfidence(v *float64) {
	if v != nil {
		c.words["confidence"], _ = value.Marshal(*v)
	}
}

// CallScope is the scope of gates and rules about a tool call.
func (s *State) CallScope(i int, args json.RawMessage, tool, agent, operation string, level risk.Level) *Scope {
	return &Scope{s: s, step: i, index: -1, Subject: args, words: map[string]json.RawMessage{
		"tool": value.Quote(tool), "agent": value.Quote(agent), "risk": value.Quote(string(level)),
		"operation": value.Quote(operation),
	}}
}

// Look resolves what a policy evaluated on an approval may refer to in addition to the approval's own fields:
// input, context and the outputs of steps, in this state. It is nil where no policy is evaluated.
func (s *State) Look(a *gate.Approval) expr.Lookup {
	for n, known := range s.Approvals {
		if known.ID != a.ID || a.Subject == nil {
			continue
		}
		spot := s.Spots[n]
		i, ok := s.plan.Step(spot.Step)
		if !ok {
			return nil
		}
		var sc *Scope
		switch spot.At {
		case run.AtCall:
			sc = s.CallScope(i, a.Proposed, a.Action.Tool, a.Agent, a.Action.Operation, a.Risk.Level)
		case run.AtAfter:
			sc = s.ResultScope(i, spot.Element(), a.Proposed)
		default:
			sc = s.StepScope(i, spot.Element(), a.Proposed)
		}
		sc.SetConfidence(a.Confidence)
		return sc.Judged()
	}
	return nil
}

// Judged is look for policies. A step without an output yet is known and empty: no field that an agent adds
// can stand in for it.
func (c *Scope) Judged() expr.Lookup {
	return func(name string) (json.RawMessage, bool) {
		n, step := c.s.plan.Step(name)
		if step && n == c.step && c.words[name] == nil {
			return nil, true
		}
		v, ok := c.root(name)
		return v, ok || step
	}
}

// Operation is the operation that a step declares, as policies see it.
func (s *State) Operation(step string) string {
	if i, ok := s.plan.Step(step); ok {
		return s.plan.Nodes[i].Step.Operation
	}
	return ""
}
