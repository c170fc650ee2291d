package api

import (
	"context"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/inventory"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

func workflowHandlers() handlers {
	kind := definition.KindWorkflow
	return handlers{
		"listWorkflows":        {do: (*Server).listWorkflows},
		"saveWorkflow":         {do: saving(kind)},
		"getWorkflow":          {do: showing(kind)},
		"listWorkflowVersions": {do: versions(kind)},
		"getWorkflowVersion":   {do: version(kind)},
		"diffWorkflowVersions": {do: (*Server).diffWorkflow},
		"publishWorkflow":      {do: (*Server).publishWorkflow},
		"validateWorkflow":     {do: validating(kind)},
		"previewWorkflow":      {do: (*Server).previewWorkflow},
	}
}

func agentHandlers() handlers {
	kind := definition.KindAgent
	return handlers{
		"listAgents":        {do: listing((*documents.Documents).Agents)},
		"getAgent":          {do: showing(kind)},
		"saveAgent":         {do: saving(kind)},
		"tryAgent":          {do: (*Server).tryAgent},
		"listAgentUsage":    {do: (*Server).listAgentUsage},
		"getAgentUsage":     {do: (*Server).agentUsage},
		"listAgentVersions": {do: versions(kind)},
		"getAgentVersion":   {do: version(kind)},
		"listTools":         {do: (*Server).listTools},
		"listMCPServers":    {do: (*Server).listMCPServers},
		"checkMCPServer":    {do: (*Server).checkMCPServer},
		"suggestPlan":       {do: (*Server).suggestPlan},
	}
}

// endpoint is the function behind an operation.
type endpoint = func(*Server, *call) (reply, error)

func listing(list func(*documents.Documents, context.Context, app.Who) (view.List[registry.Document], error)) endpoint {
	return func(s *Server, c *call) (reply, error) {
		all, err := list(s.app.Documents, c, c.who)
		if err != nil {
			return reply{}, err
		}
		return paged(all, c)
	}
}

func (s *Server) listWorkflows(c *call) (reply, error) {
	all, err := s.app.Documents.WorkflowList(c, c.who, registry.DocumentStatus(c.query.Text("status")))
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
	v, err := s.app.Documents.DiffWorkflow(c, c.who, c.path("name"), int(from), int(to))
	return reply{body: v}, err
}

func paged(all view.List[registry.Document], c *call) (reply, error) {
	v, err := request.Page(all, c.query, func(d registry.Document) string { return d.Name })
	return reply{body: v}, err
}

func (s *Server) listTools(c *call) (reply, error) {
	all, notes, err := s.app.Inventory.Tools(c, c.who, c.query.Text("q"))
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(t suggest.Tool) string { return t.Name })
	return reply{body: suggest.ToolList{Items: v.Items, Next: v.Next, Total: v.Total, Notes: notes}}, err
}

func (s *Server) listMCPServers(c *call) (reply, error) {
	all, err := s.app.Inventory.Servers(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v suggest.Server) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) checkMCPServer(c *call) (reply, error) {
	v, err := s.app.Inventory.CheckServer(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) tryAgent(c *call) (reply, error) {
	in, err := read[inventory.Trial](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Inventory.TryAgent(c, c.who, c.path("name"), in)
	return reply{body: v}, err
}

func (s *Server) suggestPlan(c *call) (reply, error) {
	in, err := read[suggest.Intent](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Inventory.SuggestPlan(c, c.who, in)
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
		v, err := s.app.Documents.Show(c, c.who, kind, slot(c, kind), 0)
		if err != nil {
			return reply{}, err
		}
		return document(c, v, v.Version, v.YAML)
	}
}

func version(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		n, err := strconv.Atoi(c.path("n"))
		if err != nil || n < 1 {
			return reply{}, fault.New(fault.NotFound, "not the number of a version", "versions count from 1")
		}
		v, err := s.app.Documents.Show(c, c.who, kind, slot(c, kind), n)
		if err != nil {
			return reply{}, err
		}
		return document(c, v, v.Version, v.YAML)
	}
}

// getPolicy shows the policy in force.
func (s *Server) getPolicy(c *call) (reply, error) {
	v, err := s.app.Documents.Policy(c, c.who)
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.Version, v.YAML)
}

// versionMatch reads the version that must be in force from If-Match; nil without one.
func versionMatch(h http.Header) (*int, error) {
	if h.Get("If-Match") == "" {
		return nil, nil
	}
	n, ok := request.TagNumber(h.Get("If-Match"))
	if !ok || n < 0 {
		return nil, problem.Invalid("If-Match", "expected the ETag of the version in force")
	}
	return &n, nil
}

// unmatched turns the error for another version in force into the status of a precondition that failed.
func unmatched(err error) error {
	if fault.Is(err, fault.VersionMismatch) {
		return problem.WithStatus(http.StatusPreconditionFailed, err)
	}
	return err
}

// document shows a document as JSON, or as the file that people write. Its ETag starts with the version: the rest also
// depends on what a new version does not overwrite, such as the uses of rules and the deliveries to a trigger.
func document(c *call, view any, version int, file string) (reply, error) {
	tag := func(text []byte) string { return `W/"` + strconv.Itoa(version) + "." + short(text) + `"` }
	if wantsYAML(c.r.Header) {
		return reply{text: []byte(file), etag: tag([]byte(file))}, nil
	}
	body, err := value.Marshal(view)
	return reply{body: body, etag: tag(body)}, err
}

func versions(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		all, err := s.app.Documents.Versions(c, c.who, kind, slot(c, kind))
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
		how := documents.Saving{Publish: kind != definition.KindWorkflow || c.query.Flag("publish"),
			AcceptRisk: c.query.Text("accept_risk"), Force: c.query.Flag("force")}
		if kind == definition.KindPolicy && c.query.Flag("draft") {
			how.Publish = false
		}
		var err error
		if how.Over, err = versionMatch(c.r.Header); err != nil {
			return reply{}, err
		}
		v, created, err := s.app.Documents.Save(c, c.who, kind, c.path("name"), c.format, c.body, how)
		if created {
			return reply{status: http.StatusCreated, body: v}, unmatched(err)
		}
		return reply{status: http.StatusOK, body: v}, unmatched(err)
	}
}

func (s *Server) publishWorkflow(c *call) (reply, error) {
	b, err := read[contract.Publishing](c)
	if err != nil {
		return reply{}, err
	}
	if b.Version < 1 {
		return reply{}, problem.Invalid("version", "a version of 1 or more is required")
	}
	if utf8.RuneCountInString(b.Note) > 1000 {
		return reply{}, problem.Invalid("note", "must be at most 1,000 characters")
	}
	over, err := versionMatch(c.r.Header)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Documents.Publish(c, c.who, definition.KindWorkflow, c.path("name"), b.Version,
		documents.Saving{Force: c.query.Flag("force"), Note: b.Note, Over: over})
	return reply{body: v}, unmatched(err)
}

func validating(kind definition.Kind) endpoint {
	return func(s *Server, c *call) (reply, error) {
		v, err := s.app.Documents.Validate(c, c.who, kind, c.format, c.body)
		return reply{body: v}, err
	}
}

func (s *Server) previewWorkflow(c *call) (reply, error) {
	b, err := read[contract.Preview](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Workbench(c.who).Preview(c,
		workbench.Trial{Name: c.path("name"), Version: b.Version, YAML: b.YAML, Input: b.Input})
	return reply{body: v}, err
}
