package contract

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
)

// GraphLimit is how many nodes, and how many edges, are shown by default.
const GraphLimit = 100

// graphOperations show and change what was learned from runs.
func graphOperations() []Operation {
	const tag = "Agents and tools"
	return []Operation{
		{
			Method: "GET", Path: Base + "/graph", ID: "getGraph", Tag: tag,
			Summary: "Show what was learned about tools",
			Description: "Each completed run counts once: which tools it used, together, one after the other, and with each " +
				"other's results. Older runs count less. Searches for tools use it.",
			Gives: insight.Graph{},
			Params: []request.Param{
				{Name: "tool", Doc: "Only this tool and those related to it."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: insight.GraphMax, Fallback: GraphLimit,
					Doc: "The maximum number of nodes, and of edges."},
			},
		},
		{
			Method: "GET", Path: Base + "/graph/requests", ID: "listLearnedRequests", Tag: tag,
			Summary:     "List requests of past runs and the tools that served them, newest first",
			Description: "For administrators. Sensitive values are masked in requests.",
			Gives:       view.List[insight.LearnedRequest]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: Base + "/graph/runs", ID: "listRunsTaught", Tag: tag,
			Summary:     "List what was learned from each run, newest first",
			Description: "For administrators. The graph is derived from these entries.",
			Gives:       view.List[insight.RunTaught]{}, Params: request.Paging,
		},
		{
			Method: "POST", Path: Base + "/graph/forget", ID: "forgetGraph", Tag: tag,
			Summary: "Forget what was learned",
			Description: "For administrators. Forgets what was learned so far from a run, from a workflow, about a tool, or " +
				"everything. It stays forgotten when the graph is rebuilt; later runs are learned from again.",
			Takes: TakesJSON, Body: insight.GraphForgetting{}, Gives: insight.GraphForgotten{}, Changes: true,
			Example: `{"tool":"xml_parse","reason":"It was replaced."}`,
		},
		{
			Method: "POST", Path: Base + "/graph/rebuild", ID: "rebuildGraph", Tag: tag,
			Summary: "Rebuild the graph from the logs",
			Description: "For administrators. The result is the same, unless the logs are from a release that learned " +
				"less, or fields have been declared sensitive since. Runs and searches continue.",
			Gives: insight.GraphRebuilt{}, Changes: true,
		},
	}
}
