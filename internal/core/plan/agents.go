package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// agentFacts is an agent with its schemas compiled, shared by all its steps.
type agentFacts struct {
	agent   *Agent
	in, out *schema.Schema
	shape   shape // of the input
}

// CheckAgent lists the problems of an agent on its own, with paths relative to its document.
func CheckAgent(a *Agent) []fault.Problem {
	c := newCompiler(&Definition{})
	c.checkAgent(where{}, a)
	return c.problems()
}

// agent looks up an agent that a step or loop names, and checks it on first use.
func (c *compiler) agent(w where, field, name string) *agentFacts {
	if facts, ok := c.plan.agents[name]; ok {
		return facts
	}
	a, ok := c.plan.Definition.Agents[name]
	if !ok {
		c.bad(w, field, "unknown agent %s%s", quote(name),
			c.didYouMean(name, sortedNames(c, "agents", c.plan.Definition.Agents)))
		return nil
	}
	if a.Name == "" {
		a.Name = name
	}
	facts := c.checkAgent(where{part: inAgents, name: name}, &a)
	c.plan.agents[name] = facts
	return facts
}

// checkHandOff checks the agents that may take over a conversation.
func (c *compiler) checkHandOff(w where, names []string) {
	for k, name := range names {
		field := at("hand_off", k)
		facts := c.agent(w, field, name)
		switch {
		case facts == nil:
		case facts.agent.Kind != AgentLLM:
			c.bad(w, field, "agent %s is of kind %s: only llm agents take over a conversation", quote(name), facts.agent.Kind)
		case slices.Contains(names[:k], name):
			c.warn(w, field, "%s is listed twice", quote(name))
		}
	}
}

// sortedNames lists the known names of a kind, computed once for all messages.
func sortedNames[T any](c *compiler, kind string, all map[string]T) []string {
	if _, ok := c.names[kind]; !ok {
		c.names[kind] = slices.Sorted(maps.Keys(all))
	}
	return c.names[kind]
}

func (c *compiler) checkAgent(w where, a *Agent) *agentFacts {
	if a.Kind == "" {
		c.bad(w, "kind", "the kind is missing: use %s", phrase.Or(agentKindWords))
	}
	c.oneOf(w, "kind", string(a.Kind), agentKindWords)
	c.fraction(w, "confidence_threshold", a.ConfidenceThreshold)
	c.oneOf(w, "autonomy", string(a.Autonomy), autonomyWords)
	for _, tool := range slices.Sorted(maps.Keys(a.ToolRisk)) {
		c.mustBe(w, "tool_risk."+clip(tool), string(a.ToolRisk[tool]), classWords)
	}
	c.checkAsk(w, "ask", a.Ask)
	c.oneOf(w, "effects", a.Effects, effectsWords)
	if l := a.Limits; l != nil {
		c.notNegative(w, "limits.duration", &l.Duration)
		if l.CostUSD < 0 {
			c.bad(w, "limits.cost_usd", "%s is negative", l.CostUSD)
		}
		if l.Iterations < 0 {
			c.bad(w, "limits.iterations", "%d is negative", l.Iterations)
		}
		c.oneOf(w, "limits.on_limit", l.OnLimit, onLimitWords)
	}
	facts := &agentFacts{agent: a, in: c.schema(w, "input", a.Input), out: c.schema(w, "output", a.Output)}
	if facts.in != nil {
		facts.shape = shapeOf(a.Input)
	}
	c.checkSample(w, a.Sample, facts.out)
	return facts
}

func (c *compiler) checkSample(w where, sample json.RawMessage, s *schema.Schema) {
	c.json(w, "sample", sample)
	if s == nil || !value.Valid(sample) {
		return
	}
	for _, p := range s.Validate(sample) {
		c.warn(w, "sample", "the sample does not match the output schema: %s", p)
	}
}

// confidenceUnsure is the threshold where neither the agent, the workflow nor the deployment sets one.
const confidenceUnsure = 0.7

// ConfidenceThreshold is the confidence below which people are asked about a result of step i.
func (p *Plan) ConfidenceThreshold(i int) float64 {
	if a := p.Nodes[i].Agent; a != nil && a.ConfidenceThreshold != nil {
		return *a.ConfidenceThreshold
	}
	if t := p.Definition.Workflow.ConfidenceThreshold; t != nil {
		return *t
	}
	if t := p.Definition.ConfidenceThreshold; t != nil {
		return *t
	}
	return confidenceUnsure
}
