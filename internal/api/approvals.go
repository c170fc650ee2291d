package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func approvalOperations() []operation {
	all, one := base+"/approvals", base+"/approvals/{id}"
	return []operation{
		{
			method: "GET", path: all, id: "listApprovals", tag: "Approvals", summary: "List approvals: the inbox",
			gives: view.List[view.Approval]{},
			params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: approvalStatuses, Doc: "Only approvals with this status; repeatable."},
				{Name: "role", Kind: request.List, Doc: "Only approvals that this role can decide, and those that anyone can."},
				{Name: "mine", Kind: request.Flag, Fallback: false,
					Doc: "Only approvals for you: pending ones that you may decide, and settled ones that " +
						"asked you by name, by one of your roles or one that you may act as, or asked someone you stand in for. total " +
						"counts up to 1,000 and is a lower bound beyond that."},
				{Name: "workflow", Doc: "Only approvals of this workflow's runs."},
				{Name: "agent", Doc: "Only approvals of this agent's work."},
				{Name: "risk", Words: riskLevels, Doc: "Only with this risk."},
				{Name: "kind", Words: words(gate.Kinds...), Doc: "Only of this kind."},
				{Name: "run", Doc: "Only of this run."},
				{Name: "tool", Doc: "Only about calls of this tool."},
				{
					Name: "review", Words: []string{reviewSuggested},
					Doc: "Instead of approvals, results that continued with a confidence from the threshold (default 0.7) to " +
						"under 0.9, newest first. " +
						"Test runs are excluded. There is nothing to decide: acts is empty, reason is review_suggested, and the result " +
						"is at that step of the run. " +
						"Can be combined with workflow, agent, run and q.",
				},
				{Name: "q", Doc: "Only approvals with all these words, or words that begin with them, in title, subject, " +
					"workflow, step, agent, tool, people or id."},
				{
					Name: "group", Words: []string{groupAlike},
					Doc: "Pending approvals only, with one row for similar approvals of a run; alike has their number and ids. " +
						"Approvals with an unusual amount or value have their own row. Up to 1,000 approvals are grouped per page, " +
						"whatever the limit; total counts approvals.",
				},
				{Name: "sort", Words: words(port.ByPriority, port.ByAge, port.ByDeadline, port.ByNewest, port.BySettled),
					Fallback: string(port.ByPriority), Doc: "The order: most urgent, oldest, soonest deadline, newest or last " +
						"settled first. Most urgent (`priority`) sorts by deadline, or by the time of the request if there is " +
						"none; higher risks rank earlier, and much earlier if a timeout approves, rejects or cancels."},
			}, request.Paging...),
			do: (*Server).listApprovals,
		},
		{
			method: "GET", path: one, id: "getApproval", tag: "Approvals", summary: "Show an approval", gives: view.Approval{},
			params: []request.Param{full}, tagged: true,
			description: "acts lists the acts available to you. Send the ETag as If-Match with a decision.",
			do:          (*Server).getApproval,
		},
		{
			method: "GET", path: one + "/access", id: "explainAccess", tag: "Approvals",
			summary: "Explain who may decide, and why", gives: app.AccessView{}, console: true,
			description: "For each act: whether it is allowed, and by which role or rule, or what is missing. For other " +
				"people this requires an administrator.",
			params: []request.Param{
				{Name: "user", Doc: "The person; you if omitted."},
				{Name: "roles", Kind: request.List, Doc: "The roles to check; those of the account if omitted."},
			},
			do: (*Server).explainAccess,
		},
		{
			method: "GET", path: one + "/recipients", id: "listRecipients", tag: "Approvals",
			summary: "List possible recipients of an approval", gives: view.List[app.RecipientView]{},
			description: "Known people (with an account or a personal token, or who have signed in before) and " +
				"roles, for callers who may delegate or escalate this approval. " +
				"to is the value for a decision. Excluded are you, disabled accounts, people who have delegated it and a " +
				"requester who may not decide. Administrators see all roles of a person, others only those that this approval " +
				"asks.",
			params: []request.Param{
				{Name: "q", Doc: "Only those whose name, label or role contains all these words."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: app.RecipientsMost, Fallback: app.RecipientsDefault,
					Doc: "The maximum number of items."},
			},
			do: (*Server).listRecipients,
		},
		{
			method: "POST", path: one + "/decisions", id: "decide", tag: "Approvals", summary: "Decide",
			description: "Returns the approval after your decision. version (or If-Match with the ETag) is the one you saw: " +
				"if it has changed you get 409 version_mismatch, and if it is settled 409 already_decided with " +
				"decided_by, decided_at and act.",
			takes: takesJSON, body: app.Decision{}, gives: view.Approval{}, changes: true,
			example: `{"act":"modify","changes":{"amount":45.00},"comment":"Half of it.","version":1}`, do: (*Server).decide,
		},
		{
			method: "POST", path: one + "/comments", id: "comment", tag: "Approvals", summary: "Comment on a pending approval",
			description: "Comments are for reviewers; agents can't see them.",
			takes:       takesJSON, body: Remark{}, gives: view.Approval{}, changes: true,
			example: `{"text":"Is this the address from the ticket?"}`, do: (*Server).comment,
		},
		{
			method: "POST", path: one + "/preview", id: "previewChanges", tag: "Approvals", summary: "Preview changes",
			description: "Applies a JSON merge patch to the proposal and checks the result. Nothing is stored.",
			takes:       takesJSON, body: Changes{}, gives: app.ChangeView{}, example: `{"changes":{"amount":45.00}}`,
			do: (*Server).previewChanges,
		},
		{
			method: "POST", path: all + "/batch", id: "decideMany", tag: "Approvals",
			summary: "Decide several approvals at once",
			description: "Each is decided separately; results has the outcome of each. Without versions, " +
				"the current ones apply.",
			takes: takesJSON, body: app.Batch{}, gives: BatchAnswer{}, changes: true,
			example: `{"ids":["apr_1","apr_2"],"act":"approve"}`, do: (*Server).decideMany,
		},
		{
			method: "POST", path: all + "/expire", id: "expireApprovals", tag: "Approvals", summary: "Reject stale approvals",
			description: "For administrators. At most 1,000 at a time, oldest first.",
			takes:       takesJSON, body: Expiry{}, gives: BatchAnswer{}, changes: true,
			example: `{"older_than":"72h","comment":"Stale.","workflow":"refund-email"}`, do: (*Server).expireApprovals,
		},
	}
}

var (
	approvalStatuses = words(gate.Pending, gate.Approved, gate.Modified, gate.Rejected, gate.Chosen, gate.Submitted,
		gate.RevisionRequested, gate.TimedOut, gate.Cancelled, gate.AutoApproved)
	riskLevels = words(risk.Low, risk.Medium, risk.High, risk.Critical)
)

// groupAlike requests one row for similar approvals.
const groupAlike = "alike"

// reviewSuggested requests results that deserve a second look.
const reviewSuggested = "suggested"

// listSuggested lists results for which no approval was requested.
func (s *Server) listSuggested(c *call) (reply, error) {
	for _, name := range []string{"status", "role", "mine", "risk", "kind", "tool", "sort"} {
		if _, given := c.query[name]; given {
			return reply{}, problem.Invalid(name,
				"review=suggested lists results without an approval; combine it only with workflow, agent, run and q")
		}
	}
	v, err := s.app.SecondLooks(c, c.who, port.SecondLookQuery{
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
		v, err := s.app.GroupApprovals(c, c.who, q, c.query.Text("q"), c.query.Flag("mine"))
		return reply{body: v}, err
	}
	v, err := s.app.SearchApprovals(c, c.who, q, c.query.Text("q"), c.query.Flag("mine"))
	return reply{body: v}, err
}

func (s *Server) explainAccess(c *call) (reply, error) {
	about, err := s.someone(c, c.query.Text("user"), c.query["roles"])
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.ExplainAccess(c, c.who, about, c.path("id"))
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

// Remark is a comment on an approval.
type Remark struct {
	Text string `json:"text"` // The comment.
}

func (s *Server) comment(c *call) (reply, error) {
	b, err := read[Remark](c)
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
	number, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`), ".")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1:
		return problem.Invalid("If-Match", "expected the ETag of the approval")
	case *version != 0 && *version != n:
		return problem.Invalid("version", "it differs from If-Match")
	}
	*version = n
	return nil
}

// Changes is a proposed change.
type Changes struct {
	Changes json.RawMessage `json:"changes"`
}

func (s *Server) previewChanges(c *call) (reply, error) {
	b, err := read[Changes](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.PreviewChanges(c, c.who, c.path("id"), b.Changes)
	return reply{body: v}, err
}

// BatchAnswer reports the result for each of several approvals.
type BatchAnswer struct {
	Results []BatchResult `json:"results"` // One for each id, in the order of the request.
}

// BatchResult is the result for one approval.
type BatchResult struct {
	ID     string           `json:"id"`
	OK     bool             `json:"ok"`               // Whether it was decided.
	Status gate.Status      `json:"status,omitempty"` // The status of the approval now.
	Error  *problem.Problem `json:"error,omitempty"`  // The reason for a refusal.
}

func batchAnswer(v app.BatchView) BatchAnswer {
	out := BatchAnswer{Results: make([]BatchResult, len(v.Results))}
	for i, r := range v.Results {
		out.Results[i] = BatchResult{ID: r.ID, OK: r.OK, Status: r.Status}
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

// Expiry selects approvals that will not be answered.
type Expiry struct {
	OlderThan quantity.Duration `json:"older_than"`        // How long they have been open, such as 72h. Required.
	Comment   string            `json:"comment,omitempty"` // Why; it is recorded with each.
	Role      string            `json:"role,omitempty"`
	Workflow  string            `json:"workflow,omitempty"`
	Agent     string            `json:"agent,omitempty"`
	Risk      risk.Level        `json:"risk,omitempty"` // Only with this risk.
	Kind      gate.Kind         `json:"kind,omitempty"`
	Run       string            `json:"run,omitempty"`
	Tool      string            `json:"tool,omitempty"`
}

func (s *Server) expireApprovals(c *call) (reply, error) {
	e, err := read[Expiry](c)
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
