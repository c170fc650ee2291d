package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

func approvalHandlers() handlers {
	return handlers{
		"listApprovals":   {do: (*Server).listApprovals},
		"getApproval":     {do: (*Server).getApproval},
		"explainAccess":   {do: (*Server).explainAccess},
		"listRecipients":  {do: (*Server).listRecipients},
		"decide":          {do: (*Server).decide},
		"comment":         {do: (*Server).comment},
		"previewChanges":  {do: (*Server).previewChanges},
		"decideMany":      {do: (*Server).decideMany},
		"expireApprovals": {do: (*Server).expireApprovals},
	}
}

// listSuggested lists results for which no approval was requested.
func (s *Server) listSuggested(c *call) (reply, error) {
	for _, name := range []string{"status", "role", "mine", "risk", "kind", "tool", "sort"} {
		if _, given := c.query[name]; given {
			return reply{}, problem.Invalid(name,
				"review=suggested lists results without an approval; combine it only with workflow, agent, run and q")
		}
	}
	v, err := s.app.Lists(c.who).SecondLooks(c, port.SecondLookQuery{
		Run: c.query.Text("run"), Workflow: c.query.Text("workflow"), Agent: c.query.Text("agent"),
		Cursor: c.query.Text("cursor"), Limit: c.query.Limit(),
	}, c.query.Text("q"))
	return reply{body: v}, err
}

func (s *Server) listApprovals(c *call) (reply, error) {
	if c.query.Text("review") != "" {
		return s.listSuggested(c)
	}
	q := port.ApprovalQuery{
		Status: c.query["status"], Workflow: c.query.Text("workflow"), Agent: c.query.Text("agent"),
		Risk: c.query.Text("risk"), Kind: c.query.Text("kind"),
		Run: c.query.Text("run"), Tool: c.query.Text("tool"), Sort: port.ApprovalSort(c.query.Text("sort")),
		Cursor: c.query.Text("cursor"), Limit: c.query.Limit(),
	}
	q.Asked = asRoles(c.query["role"])
	if c.query.Flag("mine") && q.Asked != nil {
		return reply{}, problem.Invalid("mine", "use mine or role, not both")
	}
	if c.query.Text("group") != "" {
		if len(q.Status) > 0 {
			return reply{}, problem.Invalid("status", "only pending approvals are grouped; remove it")
		}
		v, err := s.app.Lists(c.who).Grouped(c, q, c.query.Text("q"), c.query.Flag("mine"))
		return reply{body: v}, err
	}
	v, err := s.app.Lists(c.who).SearchApprovals(c, q, c.query.Text("q"), c.query.Flag("mine"))
	return reply{body: v}, err
}

func (s *Server) explainAccess(c *call) (reply, error) {
	about, err := s.someone(c, c.query.Text("user"), c.query["roles"])
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Rights.ExplainAccess(c, c.who, about, c.path("id"))
	return reply{body: v}, err
}

func (s *Server) listRecipients(c *call) (reply, error) {
	limit, _ := c.query.Number("limit")
	v, err := s.app.Recipients(c, c.who, c.path("id"), c.query.Text("q"), int(limit))
	return reply{body: v}, err
}

// asRoles writes roles in the form of assignees.
func asRoles(roles []string) []string {
	var out []string
	for _, r := range roles {
		out = append(out, "role:"+r)
	}
	return out
}

func (s *Server) getApproval(c *call) (reply, error) {
	v, err := s.app.Approval(c, c.who, c.path("id"), c.query.Flag("full"))
	if err != nil {
		return reply{}, err
	}
	// The view also depends on the reader, on reminders and on roles.
	body, err := value.Marshal(v)
	return reply{body: json.RawMessage(body), etag: `W/"` + strconv.Itoa(v.Version) + "." + short(body) + `"`}, err
}

// short is a short digest of content.
func short(body []byte) string { return value.Digest(body)[len("sha256:"):][:12] }

func (s *Server) decide(c *call) (reply, error) {
	var elsewhere []string
	if c.r.Header.Get("If-Match") != "" {
		elsewhere = []string{"version"}
	}
	d, err := read[app.Decision](c, elsewhere...)
	if err != nil {
		return reply{}, err
	}
	if err := ifMatch(c.r.Header, &d.Version); err != nil {
		return reply{}, err
	}
	v, err := s.app.Decide(c, c.who, c.path("id"), d, c.commandID(), s.keep(c))
	return reply{body: v}, err
}

func (s *Server) comment(c *call) (reply, error) {
	b, err := read[contract.Remark](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Comment(c, c.who, c.path("id"), b.Text, c.commandID(), s.keep(c))
	return reply{body: v}, err
}

// ifMatch reads the version of an approval from its ETag.
func ifMatch(h http.Header, version *int) error {
	tag := h.Get("If-Match")
	if tag == "" {
		return nil
	}
	n, ok := request.TagNumber(tag)
	switch {
	case !ok || n < 1:
		return problem.Invalid("If-Match", "expected the ETag of the approval")
	case *version != 0 && *version != n:
		return problem.Invalid("version", "it differs from If-Match")
	}
	*version = n
	return nil
}

func (s *Server) previewChanges(c *call) (reply, error) {
	b, err := read[contract.Changes](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.PreviewChanges(c, c.who, c.path("id"), b.Changes)
	return reply{body: v}, err
}

func batchAnswer(v app.BatchView) contract.BatchAnswer {
	out := contract.BatchAnswer{Results: make([]contract.BatchResult, len(v.Results))}
	for i, r := range v.Results {
		out.Results[i] = contract.BatchResult{ID: r.ID, OK: r.OK, Status: r.Status}
		if r.Error != nil {
			out.Results[i].Error = new(problem.Of(r.Error))
		}
	}
	return out
}

func (s *Server) decideMany(c *call) (reply, error) {
	b, err := read[app.Batch](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.DecideMany(c, c.who, b, c.commandID())
	return reply{body: batchAnswer(v)}, err
}

func (s *Server) expireApprovals(c *call) (reply, error) {
	e, err := read[contract.Expiry](c)
	if err != nil {
		return reply{}, err
	}
	q := port.ApprovalQuery{Workflow: e.Workflow, Agent: e.Agent, Risk: string(e.Risk), Kind: string(e.Kind),
		Run: e.Run, Tool: e.Tool}
	if e.Role != "" {
		q.Asked = asRoles([]string{e.Role})
	}
	v, err := s.app.Expire(c, c.who, app.Expiry{OlderThan: e.OlderThan.Std(), Comment: e.Comment, Query: q})
	return reply{body: batchAnswer(v)}, err
}
