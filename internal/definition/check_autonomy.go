package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
)

// What agents may do on their own: an agent's settings for its tools, and the agents it may hand over to.

// toolRisk checks an agent's settings for tools. The tools of an MCP server are known only when it runs.
func (c *checker) toolRisk(a *Agent, tools []string) {
	offersMCP := slices.ContainsFunc(tools, func(name string) bool { return strings.HasPrefix(name, "mcp:") })
	for _, name := range slices.Sorted(maps.Keys(a.ToolRisk)) {
		at := "tool_risk." + name
		server, all := strings.CutSuffix(name, "/*")
		switch {
		case strings.Contains(name, "*") && !(all && strings.HasPrefix(server, "mcp:") && !strings.Contains(server, "*")):
			c.add(a.Place.bad(at, "%q is not a tool: write the name of one, or mcp:SERVER/* for all tools of a server",
				clip(name)))
		case !offersMCP && !slices.Contains(tools, name) && !slices.Contains(ownTools, name):
			c.add(a.Place.warn(at, "the agent has no tool %q%s", clip(name), c.didYouMean(name, tools)))
		}
		if t := c.toolNamed(name); t != nil {
			c.keepsCritical(a, t, a.Place.bad)
		}
	}
}

// keepsCritical refuses settings that lower the risk of a critical tool.
func (c *checker) keepsCritical(a *Agent, t *Tool, bad func(path, format string, args ...any) Problem) {
	over, given := a.ToolRisk[t.Name]
	if given && t.Risk == risk.Class(risk.Critical) && over.Level().Rank() < risk.Critical.Rank() {
		c.add(bad("tool_risk."+t.Name, "the tool %q is critical and always asks: agent %q cannot call it %s",
			clip(t.Name), clip(a.Name), over))
	}
}

// criticalFor refuses a tool that becomes critical while a published agent, not saved together with it, rates it
// lower.
func (c *checker) criticalFor(t *Tool) {
	if t.Risk != risk.Class(risk.Critical) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.known.Agents)) {
		if _, replaced := c.set.Agents[name]; !replaced {
			c.keepsCritical(c.known.Agents[name], t,
				func(_, format string, args ...any) Problem { return t.Place.bad("risk", format, args...) })
		}
	}
}

// toolNamed finds a tool's document, in this set first.
func (c *checker) toolNamed(name string) *Tool {
	if t, ok := c.set.Tools[name]; ok {
		return t
	}
	return c.known.Tools[name]
}

// handOff checks the agents that an agent may hand over to.
func (c *checker) handOff(a *Agent) {
	for k, name := range a.HandOff {
		at := fmt.Sprintf("hand_off[%d]", k)
		other, ok := c.agents[name]
		switch {
		case !ok:
			c.add(a.Place.bad(at, "unknown agent %q%s", clip(name), c.didYouMean(name, slices.Sorted(maps.Keys(c.agents)))))
		case name == a.Name:
			c.add(a.Place.bad(at, "an agent cannot hand over to itself"))
		case other.Kind != plan.AgentLLM:
			c.add(a.Place.bad(at, "agent %q is of kind %s: only llm agents take over a conversation", clip(name), other.Kind))
		case slices.Contains(a.HandOff[:k], name):
			c.add(a.Place.warn(at, "%q is listed twice", clip(name)))
		}
	}
}
