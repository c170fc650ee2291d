package plan

import (
	"strings"

	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/schema"
)

// Steps that call a tool. Such a step is performed by an agent whose only act is that call, so that the call
// meets every gate, rule and limit that the call of any other agent does.

// toolAgent begins the names of those agents. No document can have such a name.
const toolAgent = "tool:"

// ToolNameMax limits the name of a tool: mcp:SERVER/TOOL.
const ToolNameMax = 300

// Performer is the name of the agent that performs a step; empty: a sub-workflow or people do.
func (s *Step) Performer() string {
	if s.Tool != "" {
		return toolAgent + s.Tool
	}
	return s.Agent
}

// CalledBy is the tool that an agent with this name calls, if it is the performer of such a step.
func CalledBy(agent string) (tool string, ok bool) { return strings.CutPrefix(agent, toolAgent) }

// CallsTool reports whether the step is a call of a tool.
func (n *Node) CallsTool() bool { return n.Agent != nil && n.Agent.Kind == AgentTool }

// Declares reports whether policies look at the step before it runs. A step that calls a tool is judged as that call.
func (n *Node) Declares() bool {
	return !n.CallsTool() && (n.Step.Operation != "" || n.Step.Risk != "")
}

// RiskOf is the risk of a step: what it declares, or that of the tool it calls if that is higher. A tool of which
// nothing is recorded is rated by its name, but a name alone never makes it low.
func (d *Definition) RiskOf(s *Step) risk.Level {
	if s.Tool == "" {
		return s.Risk
	}
	class, known := d.ToolRisk[s.Tool]
	if !known {
		class = risk.Classify(risk.Tool{Name: s.Tool})
	}
	level := class.Level()
	if level.Rank() <= s.Risk.Rank() || !known && level == risk.Low {
		return s.Risk
	}
	return level
}

// ownTools are tools that only mean something to an agent in a conversation.
var ownTools = map[string]string{
	"ask_human":    "write human: to ask people",
	"hand_off":     "name the other agent in the next step",
	"milestone":    "write a gate to stop there",
	"send_message": "only an agent at work can send messages",
}

// checkTool determines the performer of a step that calls a tool.
func (c *compiler) checkTool(i int) {
	s, w := c.step(i), c.atStep(i)
	switch {
	case len(s.Tool) > ToolNameMax:
		c.bad(w, "tool", "the name has %d bytes; the limit is %d", len(s.Tool), ToolNameMax)
		return
	case strings.HasSuffix(s.Tool, "*"):
		c.bad(w, "tool", "%s matches several tools: name one of them", quote(s.Tool))
		return
	case strings.HasPrefix(s.Tool, "agent:"):
		c.bad(w, "tool", "%s is an agent: write agent: %s", quote(s.Tool), strings.TrimPrefix(s.Tool, "agent:"))
		return
	case ownTools[s.Tool] != "":
		c.bad(w, "tool", "%s can only be used by an agent at work: %s", quote(s.Tool), ownTools[s.Tool])
		return
	}
	for _, own := range []struct{ field, value string }{{"operation", s.Operation}, {"effects", s.Effects},
		{"reversible_by", s.ReversibleBy}} {
		if own.value != "" {
			c.bad(w, own.field, "a tool declares its own %s: leave it out here", own.field)
		}
	}
	name := s.Performer()
	facts, known := c.plan.agents[name]
	if !known {
		facts = &agentFacts{agent: &Agent{Name: name, Kind: AgentTool}}
		c.plan.agents[name] = facts
	}
	n := &c.plan.Nodes[i]
	n.Agent = facts.agent
	if c.plan.Definition.Tools == nil {
		return
	}
	tool, ok := c.plan.Definition.Tools(s.Tool)
	switch {
	case !ok:
		c.bad(w, "tool", "unknown tool %s: see assent tools", quote(s.Tool))
	case tool.Missing != "":
		c.warn(w, "tool", "%s", tool.Missing)
	default:
		// What a server declares is not ours to complain about: a schema that cannot be compiled checks nothing.
		if in, err := schema.Compile(tool.Args); err == nil && tool.Args != nil {
			n.InputSchema, facts.in, facts.shape = in, in, shapeOf(tool.Args)
			facts.agent.Input = tool.Args
		}
		if out, err := schema.Compile(tool.Output); err == nil && tool.Output != nil {
			n.OutputSchema, facts.out = out, out
			facts.agent.Output = tool.Output
		}
	}
}
