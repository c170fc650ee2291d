package run

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// stepScope is what gates and rules about step i can name.
func (s *State) stepScope(i, k int, subject json.RawMessage) *scope {
	n := &s.plan.Nodes[i]
	sc := &scope{s: s, step: i, index: k, subject: subject,
		words: map[string]json.RawMessage{"agent": value.Quote(n.Step.Agent)}}
	if n.Step.Risk != "" {
		sc.words["risk"] = value.Quote(string(n.Step.Risk))
	}
	if n.Step.Operation != "" {
		sc.words["operation"] = value.Quote(n.Step.Operation)
	}
	if k >= 0 {
		if items := s.itemsOf(i); k < len(items) {
			sc.item = items[k]
		}
	}
	return sc
}

// resultScope is what gates and rules about the result of step i can name: the
// step's own name means that result, which is not the step's output yet.
func (s *State) resultScope(i, k int, result json.RawMessage) *scope {
	sc := s.stepScope(i, k, result)
	if id := s.plan.Nodes[i].Step.ID; sc.words[id] == nil {
		sc.words[id] = result
	}
	return sc
}

func (c *scope) setConfidence(v *float64) {
	if v != nil {
		c.words["confidence"], _ = value.Marshal(*v)
	}
}

// callScope is what gates and rules about a tool call can name.
func (s *State) callScope(i int, args json.RawMessage, tool, agent, operation string, level risk.Level) *scope {
	return &scope{s: s, step: i, index: -1, subject: args, words: map[string]json.RawMessage{
		"tool": value.Quote(tool), "agent": value.Quote(agent), "risk": value.Quote(string(level)),
		"operation": value.Quote(operation),
	}}
}

// Look finds what a policy that is asked about an approval may name besides the
// approval's own fields: input, context and the outputs of steps, as they are
// in this state. It is nil where no policy is asked.
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
		var sc *scope
		switch spot.At {
		case AtCall:
			sc = s.callScope(i, a.Proposed, a.Action.Tool, a.Agent, a.Action.Operation, a.Risk.Level)
		case AtAfter:
			sc = s.resultScope(i, indexOf(spot.Index), a.Proposed)
		default:
			sc = s.stepScope(i, indexOf(spot.Index), a.Proposed)
		}
		sc.setConfidence(a.Confidence)
		return sc.judged()
	}
	return nil
}

// judged is look for policies. A step that has put out nothing yet is known and
// empty: no field that an agent adds can stand in for it.
func (c *scope) judged() expr.Lookup {
	return func(name string) (json.RawMessage, bool) {
		n, step := c.s.plan.Step(name)
		if step && n == c.step && c.words[name] == nil {
			return nil, true
		}
		v, ok := c.root(name)
		return v, ok || step
	}
}

// Operation is what a step declares to do, as policies see it.
func (s *State) Operation(step string) string {
	if i, ok := s.plan.Step(step); ok {
		return s.plan.Nodes[i].Step.Operation
	}
	return ""
}
