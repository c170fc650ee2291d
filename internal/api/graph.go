package api

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
)

const graphLimit = 100 // nodes and edges, by default

// graphOperations show and change what was learned from runs.
func graphOperations() []operation {
	const tag = "Agents and tools"
	return []operation{
		{
			method: "GET", path: base + "/graph", id: "getGraph", tag: tag,
			summary: "Show what was learned about tools",
			description: "Each completed run counts once: which tools it used, together, one after the other, and with each " +
				"other's results. Older runs count less. Searches for tools use it.",
			gives: insight.Graph{}, do: (*Server).getGraph,
			params: []request.Param{
				{Name: "tool", Doc: "Only this tool and those related to it."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: insight.GraphMax, Fallback: graphLimit,
					Doc: "The maximum number of nodes, and of edges."},
			},
		},
		{
			method: "GET", path: base + "/graph/requests", id: "listLearnedRequests", tag: tag,
			summary:     "List requests of past runs and the tools that served them, newest first",
			description: "For administrators. Sensitive values are masked in requests.",
			gives:       view.List[insight.LearnedRequest]{}, params: request.Paging, do: (*Server).listLearnedRequests,
		},
		{
			method: "GET", path: base + "/graph/runs", id: "listRunsTaught", tag: tag,
			summary:     "List what each run taught, newest first",
			description: "For administrators. It is everything that the graph is made of.",
			gives:       view.List[insight.RunTaught]{}, params: request.Paging, do: (*Server).listRunsTaught,
		},
		{
			method: "POST", path: base + "/graph/forget", id: "forgetGraph", tag: tag,
			summary: "Forget what was learned",
			description: "For administrators. Forgets what was learned so far from a run, from a workflow, about a tool, or " +
				"everything. It stays forgotten when the graph is rebuilt; runs that end later teach again.",
			takes: takesJSON, body: insight.GraphForgetting{}, gives: insight.GraphForgotten{}, changes: true,
			example: `{"tool":"xml_parse","reason":"It was replaced."}`, do: (*Server).forgetGraph,
		},
		{
			method: "POST", path: base + "/graph/rebuild", id: "rebuildGraph", tag: tag,
			summary: "Derive the graph from the logs again",
			description: "For administrators. The result is the same, unless the logs are from a release that learned " +
				"less, or fields have been declared sensitive since. Runs and searches continue.",
			gives: insight.GraphRebuilt{}, changes: true, do: (*Server).rebuildGraph,
		},
	}
}

func (s *Server) getGraph(c *call) (reply, error) {
	limit, given := c.query.Number("limit")
	if !given {
		limit = graphLimit
	}
	v, err := s.app.Graph(c, c.who, c.query.Text("tool"), int(limit))
	return reply{body: v}, err
}

func (s *Server) listLearnedRequests(c *call) (reply, error) {
	all, err := s.app.LearnedRequests(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(r insight.LearnedRequest) string { return r.Request })
	return reply{body: v}, err
}

func (s *Server) listRunsTaught(c *call) (reply, error) {
	all, err := s.app.RunsTaught(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(r insight.RunTaught) string { return r.Run })
	return reply{body: v}, err
}

func (s *Server) forgetGraph(c *call) (reply, error) {
	f, err := read[insight.GraphForgetting](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.ForgetGraph(c, c.who, f)
	return reply{body: v}, err
}

func (s *Server) rebuildGraph(c *call) (reply, error) {
	v, err := s.app.RebuildGraph(c, c.who)
	return reply{body: v}, err
}
