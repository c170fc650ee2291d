package contract

import (
	"encoding/json"
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/inventory"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/trial"
	"github.com/assent-run/assent/internal/view"
)

var publish = request.Param{Name: "publish", Kind: request.Flag, Fallback: false,
	Doc: "Publish the new version at once."}

var forced = request.Param{Name: "force", Kind: request.Flag, Fallback: false,
	Doc: "Publish even if published workflows or agents become invalid; otherwise that is " +
		"a 409 that names them."}

var ofStatus = request.Param{Name: "status", Words: Words(registry.DocumentStatuses...),
	Doc: "Only published versions, or only drafts."}

const saves = "YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other " +
	"comments or another order replaces the text of that version. All problems are listed at once, with paths, lines " +
	"and columns. " + overwrites

const overwrites = "With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if " +
	"another version has come into force since."

func workflowOperations() []Operation {
	all, one := Base+"/workflows", Base+"/workflows/{name}"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listWorkflows", Tag: "Workflows", Summary: "List workflows, by name",
			Description: "Published workflows, and for each the newest draft saved after it.",
			Gives:       view.List[registry.Document]{}, Params: append([]request.Param{ofStatus}, request.Paging...),
		},
		{
			Method: "PUT", Path: one, ID: "saveWorkflow", Tag: "Workflows", Summary: "Save a workflow",
			Description: saves + " Without publish=true it is a draft.",
			Takes:       TakesDocument, Gives: registry.Document{}, Status: http.StatusCreated, Also: http.StatusOK,
			Params: []request.Param{publish, forced}, Changes: true,
			Example: `{"workflow":"hello","steps":[{"id":"greet","agent":"greeter"}]}`,
		},
		{
			Method: "GET", Path: one, ID: "getWorkflow", Tag: "Workflows", Summary: "Show the published version of a workflow",
			Description: "With Accept: application/yaml, the response is a file.", Gives: registry.Document{}, Tagged: true,
			YAML: true,
		},
		{
			Method: "GET", Path: one + "/versions", ID: "listWorkflowVersions", Tag: "Workflows",
			Summary: "List all versions of a workflow, newest first",
			Gives:   view.List[registry.Revision]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one + "/versions/{n}", ID: "getWorkflowVersion", Tag: "Workflows",
			Summary: "Show one version of a workflow",
			Gives:   registry.Document{}, Tagged: true, YAML: true,
		},
		{
			Method: "GET", Path: one + "/diff", ID: "diffWorkflowVersions", Tag: "Workflows",
			Summary: "Compare two versions of a workflow, step by step and gate by gate",
			Params: []request.Param{
				{Name: "from", Kind: request.Number, Min: 1, Doc: "The version to compare with (default: the published one)."},
				{Name: "to", Kind: request.Number, Min: 1, Doc: "The other version (default: the newest)."},
			},
			Gives: registry.WorkflowDiff{},
		},
		{
			Method: "POST", Path: one + "/publish", ID: "publishWorkflow", Tag: "Workflows", Summary: "Put a version in force",
			Description: "Runs that have started keep the version they started with. Publishing an older version restores it. " +
				overwrites,
			Takes: TakesJSON, Body: Publishing{}, Params: []request.Param{forced}, Gives: registry.Document{},
			Changes: true, Example: `{"version":2}`,
		},
		{
			Method: "POST", Path: all + "/validate", ID: "validateWorkflow", Tag: "Workflows",
			Summary: "Check a workflow without saving it",
			Takes:   TakesDocument, Gives: registry.Validation{},
			Example: `{"workflow":"hello","steps":[{"id":"greet","agent":"greeter"}]}`,
		},
		{
			Method: "POST", Path: one + "/preview", ID: "previewWorkflow", Tag: "Workflows",
			Summary: "Preview the data that steps would get; nothing runs",
			Description: "Runs the workflow in memory: every agent returns its sample, and every approval is given. With " +
				"yaml, it is the workflow in that text, which need not be saved.",
			Takes: TakesMaybe, Body: Preview{}, Gives: preview.Preview{},
			Example: `{"input":{"order_id":"A-5501","reason":"The cable is broken."}}`,
		},
	}
}

func agentOperations() []Operation {
	all, one := Base+"/agents", Base+"/agents/{name}"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listAgents", Tag: "Agents and tools", Summary: "List the agents in force, by name",
			Gives: view.List[registry.Document]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one, ID: "getAgent", Tag: "Agents and tools", Summary: "Show an agent",
			Description: "Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, " +
				"the response is a file.",
			Gives: registry.Document{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: one, ID: "saveAgent", Tag: "Agents and tools",
			Summary: "Save an agent and put it in force", Description: saves,
			Takes: TakesDocument, Gives: registry.Document{}, Params: []request.Param{forced}, Status: http.StatusCreated,
			Also: http.StatusOK, Changes: true,
			Example: `{"agent":"greeter","kind":"scripted","answers":[{"output":{"text":"Hello"}}]}`,
		},
		{
			Method: "POST", Path: one + "/try", ID: "tryAgent", Tag: "Agents and tools",
			Summary: "Try an agent without consequences",
			Description: "Calls the agent's model with an input, at its cost, and shows its answer and the tool calls it " +
				"would make, each with the verdict of the policy. No tool is called: the model gets samples for answers. " +
				"Nothing is decided, and nothing is stored except an entry in the audit log. An agent without a model is called " +
				"only if a test run would call it; otherwise the answer is its sample. A trial ends after 12 turns, 50 seconds " +
				"or one dollar. Requires the permission to start runs, of the workflow if one is given. With yaml, it is the " +
				"agent in that text, which need not be saved; that requires the permission to change definitions.",
			Takes: TakesMaybe, Body: inventory.Trial{}, Gives: trial.Report{},
			Example: `{"input":{"order_id":"A-5501"}}`,
		},
		{
			Method: "GET", Path: Base + "/agent_usage", ID: "listAgentUsage", Tag: "Agents and tools",
			Summary: "Show the usage and cost of each agent",
			Description: "Counts work in runs that you may see, by the time it was done; test runs are not counted. The " +
				"most expensive agents come first, at most 1,000. At most 366 days.",
			Gives: insight.AgentUsages{}, Params: periodParams,
		},
		{
			Method: "GET", Path: one + "/usage", ID: "getAgentUsage", Tag: "Agents and tools",
			Summary:     "Show an agent's usage and cost by day",
			Description: "Counts work in runs that you may see, without test runs. Days are in UTC, at most 366.",
			Gives:       insight.AgentUsageDays{}, Params: periodParams,
		},
		{
			Method: "GET", Path: one + "/versions", ID: "listAgentVersions", Tag: "Agents and tools",
			Summary: "List all versions of an agent, newest first",
			Gives:   view.List[registry.Revision]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one + "/versions/{n}", ID: "getAgentVersion", Tag: "Agents and tools",
			Summary: "Show one version of an agent",
			Gives:   registry.Document{}, Tagged: true, YAML: true,
		},
		{
			Method: "GET", Path: Base + "/tools", ID: "listTools", Tag: "Agents and tools",
			Summary: "List or search everything that can be called",
			Description: "Built-in, HTTP and command tools, the tools of MCP servers, and agents (agent:NAME), by name. With " +
				"q, those that fit a request in plain words, the best first, with the reasons. A server that does not answer " +
				"in time is described by its last list, and notes say so.",
			Gives: suggest.ToolList{},
			Params: append([]request.Param{{Name: "q", Doc: "The purpose of the tool in plain words, such as \"parse XML " +
				"files\". Only the first 8 KiB are used."}}, request.Paging...),
		},
		{
			Method: "GET", Path: Base + "/mcp_servers", ID: "listMCPServers", Tag: "Agents and tools",
			Summary: "List the MCP servers in force with the state of their connections",
			Description: "The state is that of the last request to each server; this list sends none. The tools of a " +
				"server are in the list of tools.",
			Gives: view.List[suggest.Server]{}, Params: request.Paging,
		},
		{
			Method: "POST", Path: Base + "/mcp_servers/{name}/check", ID: "checkMCPServer", Tag: "Agents and tools",
			Summary: "Ask an MCP server for its tools now",
			Description: "Connects to the server, or starts it, as a run would. 200 also if it fails: the state says so. 409 " +
				"if it does not respond within 20 seconds; the request continues.",
			Gives: suggest.Server{},
		},
		{
			Method: "POST", Path: Base + "/plans/suggest", ID: "suggestPlan", Tag: "Agents and tools",
			Summary: "Suggest a plan for an intent in plain words",
			Description: "Chooses tools and agents, puts them in order and maps their arguments, with a confidence and the " +
				"reason for every step. Missing values become the input of the workflow. Nothing is saved, published or " +
				"run. If nothing fits, found is false and the candidates are the nearest tools. To name an agent that arranges " +
				"the candidates requires the permission to change definitions.",
			Takes: TakesJSON, Body: suggest.Intent{}, Gives: suggest.Suggestion{},
			Example: `{"intent":"Fetch the web page, then write a report about it"}`,
		},
	}
}

// Publishing selects the version to put in force.
type Publishing struct {
	Version int    `json:"version"`
	Note    string `json:"note,omitempty"` // Why; kept in the audit log. At most 1,000 characters.
}

// Preview holds the inputs of a preview.
type Preview struct {
	Version int             `json:"version,omitempty"` // The published version if omitted.
	Input   json.RawMessage `json:"input,omitempty"`   // The input; an empty object if omitted.
	YAML    string          `json:"yaml,omitempty"`    // The workflow as a file, instead of a version.
}
