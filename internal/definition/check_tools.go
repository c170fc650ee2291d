package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
)

// toolOfStep is what is known about a tool that a step calls. What an MCP server offers is known only from the
// list that it sent last, so a tool that is not in it is a warning.
func (c *checker) toolOfStep(name string) (plan.Tool, bool) {
	rest, remote := strings.CutPrefix(name, "mcp:")
	if !remote {
		return c.toolDocument(name)
	}
	server, tool, _ := strings.Cut(rest, "/")
	switch {
	case tool == "":
		return plan.Tool{}, false
	case !slices.Contains(c.servers, server):
		return plan.Tool{}, false
	}
	for _, s := range []*Set{c.set, c.known} {
		if s.Listed == nil {
			continue
		}
		t, found, known := s.Listed(server, tool)
		switch {
		case found:
			return t, true
		case known:
			return plan.Tool{Missing: fmt.Sprintf("the server %s does not list a tool %q now", clip(server), clip(tool))}, true
		}
	}
	return plan.Tool{}, true
}

// toolDocument is the same for a tool with a document of its own, or a built-in one.
func (c *checker) toolDocument(name string) (plan.Tool, bool) {
	for _, s := range []*Set{c.set, c.known} {
		if t := s.Tools[name]; t != nil {
			return plan.Tool{Args: t.Args, Output: t.Output}, true
		}
	}
	return plan.Tool{}, slices.Contains(c.tools, name)
}
