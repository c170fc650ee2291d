package plan

import "github.com/assent-run/assent/internal/core/risk"

// Harmless reports whether a step may run although it could turn out later that it should not have: its agent's
// document, or the step itself, declares that it has no effects, and nothing else declared contradicts that.
// Models cost money and decide what they call, and what an MCP server does only the server knows.
func (n *Node) Harmless() bool {
	if n.Agent == nil || len(n.Each) > 0 {
		return false
	}
	switch n.Agent.Kind {
	case AgentLLM, AgentMCP, AgentTool:
		return false
	}
	declared := n.Agent.Effects == EffectsNone || n.Step.Effects == EffectsNone
	reads := n.Step.Operation == "" || risk.Harmless(risk.Safe, n.Step.Operation)
	return declared && reads && n.Step.Risk.Rank() <= risk.Low.Rank()
}

// checkSpeculate warns if nothing can run ahead.
func (c *compiler) checkSpeculate() {
	if !c.workflow().Speculate {
		return
	}
	for i := range c.plan.Nodes {
		if c.plan.Nodes[i].Harmless() {
			return
		}
	}
	c.warn(where{}, "speculate", "no step can run ahead: none of them, and none of their agents, declares effects: none")
}
