package api

import (
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

func workbenchHandlers() handlers {
	return handlers{
		"listWorkingCopies": {do: (*Server).listWorkingCopies},
		"getWorkingCopy":    {do: (*Server).getWorkingCopy},
		"saveWorkingCopy":   {do: (*Server).saveWorkingCopy},
		"deleteWorkingCopy": {do: (*Server).deleteWorkingCopy},
		"listTemplates":     {do: (*Server).listTemplates},
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
		s.app.Access.Refused(c, c.who, "working_copy.saved", "workflow/"+c.path("name"), err)
	}
	return reply{body: v}, err
}

func (s *Server) deleteWorkingCopy(c *call) (reply, error) {
	revision, err := revisionMatch(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Workbench(c.who).Delete(c, c.path("name"), revision)
	if err != nil {
		s.app.Access.Refused(c, c.who, "working_copy.deleted", "workflow/"+c.path("name"), err)
	}
	return reply{body: v}, err
}

// revisionMatch reads the revision of a working copy from the query or from If-Match.
func revisionMatch(c *call) (int64, error) {
	revision, given := c.query.Number("revision")
	tag := c.r.Header.Get("If-Match")
	if tag == "" {
		return revision, nil
	}
	n, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	switch {
	case err != nil || tag != `"`+strconv.FormatInt(n, 10)+`"`:
		return 0, problem.Invalid("If-Match", "expected the ETag of the working copy")
	case given && n != revision:
		return 0, problem.Invalid("revision", "it differs from If-Match")
	}
	return n, nil
}

func (s *Server) listTemplates(c *call) (reply, error) {
	all, err := s.app.Workbench(c.who).Templates(c)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(view.Whole(all), c.query, func(v workbench.Template) string { return v.Name })
	return reply{body: v}, err
}
