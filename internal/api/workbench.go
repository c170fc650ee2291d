package api

import (
	"strconv"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

func workbenchOperations() []operation {
	one := base + "/workflows/{name}/working_copy"
	return []operation{
		{
			method: "GET", path: base + "/working_copies", id: "listWorkingCopies", tag: "Workflows",
			summary: "List the workflows that people are editing, by name",
			gives:   view.List[workbench.WorkingCopy]{},
			params:  append([]request.Param{{Name: "name", Doc: "Only the one of this workflow."}}, request.Paging...),
			do:      (*Server).listWorkingCopies,
		},
		{
			method: "GET", path: one, id: "getWorkingCopy", tag: "Workflows", summary: "Show the working copy of a workflow",
			gives: workbench.WorkingCopy{}, tagged: true, do: (*Server).getWorkingCopy,
		},
		{
			method: "PUT", path: one, id: "saveWorkingCopy", tag: "Workflows", summary: "Change the working copy of a workflow",
			description: "The text need not be valid. If the working copy was changed since revision, the response is 409 " +
				"version_mismatch, and nothing is changed.",
			takes: takesJSON, body: workbench.Change{}, gives: workbench.Saved{}, changes: true,
			example: `{"yaml":"workflow: hello\nsteps:\n  - { id: greet, agent: greeter }\n","base":0,"layout":{},` +
				`"samples":[],"revision":0}`,
			do: (*Server).saveWorkingCopy,
		},
		{
			method: "DELETE", path: one, id: "deleteWorkingCopy", tag: "Workflows",
			summary:     "Discard the working copy of a workflow",
			description: "Its versions stay. The response shows it as it was.",
			params: []request.Param{{Name: "revision", Kind: request.Number, Min: 1,
				Doc: "The revision to discard; 409 version_mismatch if it was changed since."}},
			gives: workbench.WorkingCopy{}, changes: true, do: (*Server).deleteWorkingCopy,
		},
		{
			method: "GET", path: base + "/templates", id: "listTemplates", tag: "Workflows",
			summary:     "List the templates for new workflows, by name",
			description: "Each with its agents and an input to try it with.",
			gives:       view.List[workbench.Template]{}, params: request.Paging, do: (*Server).listTemplates,
		},
	}
}

func (s *Server) listWorkingCopies(c *call) (reply, error) {
	all, err := s.app.Workbench(c.who).List(c, c.query.Text("name"))
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v workbench.WorkingCopy) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) getWorkingCopy(c *call) (reply, error) {
	v, err := s.app.Workbench(c.who).Get(c, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return reply{body: v, etag: `"` + strconv.FormatInt(v.Revision, 10) + `"`}, nil
}

func (s *Server) saveWorkingCopy(c *call) (reply, error) {
	b, err := read[workbench.Change](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Workbench(c.who).Put(c, c.path("name"), b)
	if err != nil {
		s.app.Refused(c, c.who, "working_copy.saved", "workflow/"+c.path("name"), err)
	}
	return reply{body: v}, err
}

func (s *Server) deleteWorkingCopy(c *call) (reply, error) {
	revision, _ := c.query.Number("revision")
	v, err := s.app.Workbench(c.who).Delete(c, c.path("name"), revision)
	if err != nil {
		s.app.Refused(c, c.who, "working_copy.deleted", "workflow/"+c.path("name"), err)
	}
	return reply{body: v}, err
}

func (s *Server) listTemplates(c *call) (reply, error) {
	all, err := s.app.Workbench(c.who).Templates(c)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(view.Whole(all), c.query, func(v workbench.Template) string { return v.Name })
	return reply{body: v}, err
}
