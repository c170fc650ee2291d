package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

var publish = request.Param{Name: "publish", Kind: request.Flag, Fallback: false,
	Doc: "Publish the new version at once."}

var forced = request.Param{Name: "force", Kind: request.Flag, Fallback: false,
	Doc: "Publish even if published workflows or agents become invalid; otherwise that is " +
		"a 409 that names them."}

var ofStatus = request.Param{Name: "status", Words: words(registry.DocumentStatuses...),
	Doc: "Only published versions, or only drafts."}

const saves = "YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed. All problems are " +
	"listed at once, with paths, lines and columns."

func workflowOperations() []operation {
	all, one := base+"/workflows", base+"/workflows/{name}"
	kind := definition.KindWorkflow
	return []operation{
		{
			method: "GET", path: all, id: "listWorkflows", tag: "Workflows", summary: "List workflows, by name",
			description: "Published workflows, and for each the newest draft saved after it.",
			gives:       view.List[registry.Document]{}, params: append([]request.Param{ofStatus}, request.Paging...),
			do: (*Server).listWorkflows,
		},
		{
			method: "PUT", path: one, id: "saveWorkflow", tag: "Workflows", summary: "Save a workflow",
			description: saves + " Without publish=true it is a draft.",
			takes:       takesDocument, gives: registry.Document{}, status: http.StatusCreated, also: http.StatusOK,
			params: []request.Param{publish, forced}, changes: true,
			example: `{"workflow":"hello","steps":[{"id":"greet","agent":"greeter"}]}`, do: saving(kind),
		},
		{
			method: "GET", path: one, id: "getWorkflow", tag: "Workflows", summary: "Show the published version of a workflow",
			description: "With Accept: application/yaml, the response is a file.", gives: registry.Document{}, tagged: true,
			yaml: true, do: showing(kind),
		},
		{
			method: "GET", path: one + "/versions", id: "listWorkflowVersions", tag: "Workflows",
			summary: "List all versions of a workflow, newest first",
			gives:   view.List[registry.Revision]{}, params: request.Paging, do: versions(kind),
		},
		{
			method: "GET", path: one + "/versions/{n}", id: "getWorkflowVersion", tag: "Workflows",
			summary: "Show one version of a workflow",
			gives:   registry.Document{}, tagged: true, yaml: true, do: version(kind),
		},
		{
			method: "GET", path: one + "/diff", id: "diffWorkflowVersions", tag: "Workflows",
			summary: "Compare two versions of a workflow, step by step and gate by gate",
			params: []request.Param{
				{Name: "from", Kind: request.Number, Min: 1, Doc: "The version to compare with (default: the published one)."},
				{Name: "to", Kind: request.Number, Min: 1, Doc: "The other version (default: the newest)."},
			},
			gives: registry.WorkflowDiff{}, do: (*Server).diffWorkflow,
		},
		{
			method: "POST", path: one + "/publish", id: "publishWorkflow", tag: "Workflows", summary: "Put a version in force",
			description: "Runs that have started keep the version they started with. Publishing an older version restores it.",
			takes:       takesJSON, body: Publishing{}, params: []request.Param{forced}, gives: registry.Document{},
			changes: true, example: `{"version":2}`, do: (*Server).publishWorkflow,
		},
		{
			method: "POST", path: all + "/validate", id: "validateWorkflow", tag: "Workflows",
			summary: "Check a workflow without saving it",
			takes:   takesDocument, gives: registry.Validation{},
			example: `{"workflow":"hello","steps":[{"id":"greet","agent":"greeter"}]}`, do: validating(kind),
		},
		{
			method: "POST", path: one + "/preview", id: "previewWorkflow", tag: "Workflows",
			summary: "See the data along each edge; nothing runs",
			description: "Runs the workflow in memory: every agent returns its sample, and every approval is given. With " +
				"yaml, it is the workflow in that text, which need not be saved.",
			takes: takesMaybe, body: Preview{}, gives: preview.Preview{},
			example: `{"input":{"order_id":"A-5501","reason":"The cable is broken."}}`, do: (*Server).previewWorkflow,
		},
	}
}

func agentOperations() []operation {
	all, one := base+"/agents", base+"/agents/{name}"
	kind := definition.KindAgent
	return []operation{
		{
			method: "GET", path: all, id: "listAgents", tag: "Agents and tools", summary: "List the agents in force, by name",
			gives: view.List[registry.Document]{}, params: request.Paging, do: listing((*app.App).Agents),
		},
		{
			method: "GET", path: one, id: "getAgent", tag: "Agents and tools", summary: "Show an agent",
			description: "Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, " +
				"the response is a file.",
			gives: registry.Document{}, tagged: true, yaml: true, do: showing(kind),
		},
		{
			method: "PUT", path: one, id: "saveAgent", tag: "Agents and tools",
			summary: "Save an agent and put it in force", description: saves,
			takes: takesDocument, gives: registry.Document{}, params: []request.Param{forced}, status: http.StatusCreated,
			also: http.StatusOK, changes: true,
			example: `{"agent":"greeter","kind":"scripted","answers":[{"output":{"text":"Hello"}}]}`, do: saving(kind),
		},
		{
			method: "GET", path: one + "/versions", id: "listAgentVersions", tag: "Agents and tools",
			summary: "List all versions of an agent, newest first",
			gives:   view.List[registry.Revision]{}, params: request.Paging, do: versions(kind),
		},
		{
			method: "GET", path: one + "/versions/{n}", id: "getAgentVersion", tag: "Agents and tools",
			summary: "Show one version of an agent",
			gives:   registry.Document{}, tagged: true, yaml: true, do: version(kind),
		},
		{
			method: "GET", path: base + "/tools", id: "listTools", tag: "Agents and tools",
			summary: "List or search everything that can be called",
			description: "Built-in, HTTP and command tools, the tools of MCP servers, and agents (agent:NAME), by name. With " +
				"q, those that fit a request in plain words, the best first, with the reasons. A server that does not answer " +
				"in time is described by its last list, and notes say so.",
			gives: suggest.ToolList{},
			params: append([]request.Param{{Name: "q", Doc: "What the tool is wanted for, in plain words: parse XML files. " +
				"At most 8 KiB count."}}, request.Paging...), do: (*Server).listTools,
		},
		{
			method: "POST", path: base + "/plans/suggest", id: "suggestPlan", tag: "Agents and tools",
			summary: "Suggest a plan for an intent in plain words",
			description: "Chooses tools and agents, puts them in order and maps their arguments, with a confidence and the " +
				"reason for every step. What nothing provides becomes the input of the workflow. Nothing is saved, published or " +
				"run. If nothing fits, found is false and the candidates are the nearest tools. To name an agent that arranges " +
				"the candidates requires the permission to change definitions.",
			takes: takesJSON, body: suggest.Intent{}, gives: suggest.Suggestion{},
			example: `{"intent":"Fetch the web page, then write a report about it"}`, do: (*Server).suggestPlan,
		},
	}
}

// endpoint is the function behind an operation.
type endpoint = func(*Server, *call) (reply, error)

func listing(list func(*app.App, context.Context, app.Who) (view.List[registry.Document], error)) endpoint {
	return func(s *Server, c *call) (reply, error) {
		all, err := list(s.app, c, c.who)
		if err != nil {
			return reply{}, err
		}
		return paged(all, c)
	}
}

func (s *Server) listWorkflows(c *call) (reply, error) {
	all, err := s.app.WorkflowList(c, c.who, registry.DocumentStatus(c.query.Text("status")))
	if err != nil {
		return reply{}, err
	}
	// A workflow may be listed twice: published, and as a draft.
	v, err := request.Page(all, c.query, func(d registry.Document) string {
		return d.Name + "\n" +
			strconv.Itoa(d.Version)
	})
	return reply{body: v}, err
}

func (s *Server) diffWorkflow(c *call) (reply, error) {
	from, _ := c.query.Number("from") // 0: the one in force
	to, given := c.query.Number("to")
	if !given {
		to = -1 // the newest
	}
	v, err := s.app.DiffWorkflow(c, c.who, c.path("name"), int(from), int(to))
	return reply{body: v}, err
}

func paged(all view.List[registry.Document], c *call) (reply, error) {
	v, err := request.Page(all, c.query, func(d registry.Document) string { return d.Name })
	return reply{body: v}, err
}

func (s *Server) listTools(c *call) (reply, error) {
	all, notes, err := s.app.Tools(c, c.who, c.query.Text("q"))
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(t suggest.Tool) string { return t.Name })
	return reply{body: suggest.ToolList{Items: v.Items, Next: v.Next, Total: v.Total, Notes: notes}}, err
}

func (s *Server) suggestPlan(c *call) (reply, error) {
	in, err := read[suggest.Intent](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.SuggestPlan(c, c.who, in)
	return reply{body: v}, err
}

// slot is the name under which a document's versions are stored: there is one policy.
func slot(c *call, kind definition.Kind) string {
	if kind == definition.KindPolicy {
		return string(kind)
	}
	return c.path("name")
}

// showing shows the version in force.
func showing(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		v, err := s.app.Document(c, c.who, kind, slot(c, kind), 0)
		if err != nil {
			return reply{}, err
		}
		return document(c, v, v.YAML)
	}
}

func version(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		n, err := strconv.Atoi(c.path("n"))
		if err != nil || n < 1 {
			return reply{}, fault.New(fault.NotFound, "versions are numbers from 1", "")
		}
		v, err := s.app.Document(c, c.who, kind, slot(c, kind), n)
		if err != nil {
			return reply{}, err
		}
		return document(c, v, v.YAML)
	}
}

func (s *Server) getPolicy(c *call) (reply, error) {
	v, err := s.app.Policy(c, c.who)
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.YAML)
}

// document shows a document as JSON, or as the file that people write.
func document(c *call, view any, file string) (reply, error) {
	if wantsYAML(c.r.Header) {
		return reply{text: []byte(file), etag: `W/"` + short([]byte(file)) + `"`}, nil
	}
	body, err := value.Marshal(view)
	return reply{body: body, etag: `W/"` + short(body) + `"`}, err
}

func versions(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		all, err := s.app.Versions(c, c.who, kind, slot(c, kind))
		if err != nil {
			return reply{}, err
		}
		v, err := request.Page(all, c.query, func(v registry.Revision) string { return strconv.Itoa(v.Version) })
		return reply{body: v}, err
	}
}

// saving stores a document. Workflows are drafts until they are published.
func saving(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		how := app.Saving{Publish: kind != definition.KindWorkflow || c.query.Flag("publish"),
			AcceptRisk: c.query.Text("accept_risk"), Force: c.query.Flag("force")}
		if kind == definition.KindPolicy && c.query.Flag("draft") {
			how.Publish = false
		}
		v, created, err := s.app.Save(c, c.who, kind, c.path("name"), c.format, c.body, how)
		if created {
			return reply{status: http.StatusCreated, body: v}, err
		}
		return reply{status: http.StatusOK, body: v}, err
	}
}

// Publishing selects the version to put in force.
type Publishing struct {
	Version int    `json:"version"`
	Note    string `json:"note,omitempty"` // Why; kept in the audit log. At most 1,000 characters.
}

func (s *Server) publishWorkflow(c *call) (reply, error) {
	b, err := read[Publishing](c)
	if err != nil {
		return reply{}, err
	}
	if b.Version < 1 {
		return reply{}, problem.Invalid("version", "a version is required, from 1")
	}
	if utf8.RuneCountInString(b.Note) > 1000 {
		return reply{}, problem.Invalid("note", "must be at most 1,000 characters")
	}
	v, err := s.app.Publish(c, c.who, definition.KindWorkflow, c.path("name"), b.Version,
		app.Saving{Force: c.query.Flag("force"), Note: b.Note})
	return reply{body: v}, err
}

func validating(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		v, err := s.app.Validate(c, c.who, kind, c.format, c.body)
		return reply{body: v}, err
	}
}

// Preview holds the inputs of a preview.
type Preview struct {
	Version int             `json:"version,omitempty"` // The published version if omitted.
	Input   json.RawMessage `json:"input,omitempty"`   // The input; an empty object if omitted.
	YAML    string          `json:"yaml,omitempty"`    // The workflow as a file, instead of a version.
}

func (s *Server) previewWorkflow(c *call) (reply, error) {
	b, err := read[Preview](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Workbench(c.who).Preview(c,
		workbench.Trial{Name: c.path("name"), Version: b.Version, YAML: b.YAML, Input: b.Input})
	return reply{body: v}, err
}
