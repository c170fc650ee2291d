package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

var since = request.Param{Name: "since", Fallback: "30d", Doc: "How far back: a duration such as 30d, or a time."}

var lessonFilters = []request.Param{
	{Name: "agent", Doc: "Only lessons about this agent."},
	{Name: "workflow", Doc: "Only lessons from this workflow."},
	{Name: "tool", Doc: "Only lessons about calls of this tool."},
}

func policyOperations() []operation {
	one, kind := base+"/policy", definition.KindPolicy
	return []operation{
		{
			method: "GET", path: one, id: "getPolicy", tag: "Policy", summary: "Show the policy in force",
			description: "With its rules in order of evaluation. With Accept: application/yaml, the response is a file.",
			gives:       registry.Policy{}, tagged: true, yaml: true, do: (*Server).getPolicy,
		},
		{
			method: "PUT", path: one, id: "savePolicy", tag: "Policy", summary: "Save the policy and put it in force",
			description: saves + " A policy that would have approved what people rejected in the last 30 days is refused, " +
				"unless accept_risk gives a reason.",
			params: []request.Param{
				{Name: "draft", Kind: request.Flag, Fallback: false, Doc: "Save it as a draft only."},
				{Name: "accept_risk", Doc: "The reason to publish a policy that would have approved what people rejected."},
			},
			takes: takesDocument, gives: registry.Document{}, status: http.StatusCreated, also: http.StatusOK, changes: true,
			example: `{"policy":"default","rules":[{"name":"Refunds","priority":1,"trigger":{"operation_type":["refund"]},"action":{"role":"finance"}}]}`, do: saving(kind),
		},
		{
			method: "GET", path: one + "/versions", id: "listPolicyVersions", tag: "Policy",
			summary: "List all versions of the policy, newest first",
			gives:   view.List[registry.Revision]{}, params: request.Paging, do: versions(kind),
		},
		{
			method: "GET", path: one + "/versions/{n}", id: "getPolicyVersion", tag: "Policy",
			summary: "Show one version of the policy",
			gives:   registry.Document{}, tagged: true, yaml: true, do: version(kind),
		},
		{
			method: "POST", path: one + "/validate", id: "validatePolicy", tag: "Policy",
			summary: "Check a policy without saving it",
			takes:   takesDocument, gives: registry.Validation{},
			example: `{"policy":"default","rules":[]}`, do: validating(kind),
		},
		{
			method: "POST", path: one + "/publish", id: "publishPolicy", tag: "Policy",
			summary: "Put a version of the policy in force",
			takes:   takesJSON, body: PolicyPublishing{}, gives: registry.Document{}, changes: true, example: `{"version":2}`,
			do: (*Server).publishPolicy,
		},
		{
			method: "GET", path: one + "/versions/{n}/diff", id: "diffPolicyVersions", tag: "Policy",
			summary: "Compare a version of the policy with another",
			params: []request.Param{{Name: "to", Kind: request.Number, Min: 1,
				Doc: "The other version (default: the one in force)."}},
			gives: registry.Diff{}, do: (*Server).diffPolicy,
		},
		{
			method: "POST", path: one + "/test", id: "testPolicy", tag: "Policy",
			summary: "Evaluate a policy for one case, rule by rule",
			takes:   takesJSON, body: PolicyTest{}, gives: insight.Verdict{},
			example: `{"subject":{"operation":"refund","risk":"high","data":{"amount":1200}}}`, do: (*Server).testPolicy,
		},
		{
			method: "POST", path: one + "/backtest", id: "backtestPolicy", tag: "Policy",
			summary: "Backtest a policy against past decisions",
			description: "Nothing changes. Returns what would have been decided differently, and everything that " +
				"people rejected or changed and the policy would have approved.",
			takes: takesJSON, body: BacktestRequest{}, gives: insight.Backtest{},
			example: `{"policy":{"policy":"default","rules":[]},"since":"30d"}`, do: (*Server).backtestPolicy,
		},
		{
			method: "POST", path: one + "/emergency_stop", id: "stopAutoApproval", tag: "Policy",
			summary: "Turn the emergency stop on or off",
			description: "While it is on, no rule approves anything, in any process, even after a restart. It takes effect " +
				"with the response. People are asked instead.",
			takes: takesJSON, body: EmergencyStop{}, gives: registry.Stop{}, changes: true,
			example: `{"on":true,"reason":"odd refunds since this morning"}`, do: (*Server).emergencyStop,
		},
		{
			method: "GET", path: one + "/suggestions", id: "listSuggestions", tag: "Policy",
			summary: "Suggest rules from past decisions",
			description: "None of them would have approved what people rejected or changed. Each expires " +
				"after 30 days or 200 uses.",
			params: []request.Param{since}, gives: view.List[insight.Suggestion]{}, do: (*Server).listSuggestions,
		},
		{
			method: "POST", path: one + "/suggestions/{id}/adopt", id: "adoptSuggestion", tag: "Policy",
			summary: "Add a suggested rule to a draft of the policy",
			takes:   takesMaybe, body: Adoption{}, gives: registry.Document{}, changes: true, example: `{"since":"30d"}`,
			do: (*Server).adoptSuggestion,
		},
		{
			method: "GET", path: one + "/samples", id: "listSamples", tag: "Policy",
			summary: "List sampled automatic approvals to review, newest first",
			params:  []request.Param{since}, gives: insight.Samples{}, do: (*Server).listSamples,
		},
		{
			method: "POST", path: one + "/samples/{id}", id: "reviewSample", tag: "Policy",
			summary: "Review a sampled automatic approval",
			takes:   takesJSON, body: SampleReview{}, gives: insight.Review{}, changes: true, example: `{"agree":true}`,
			do: (*Server).reviewSample,
		},
		{
			method: "GET", path: base + "/lessons", id: "listLessons", tag: "Policy",
			summary: "List lessons, newest first",
			params:  append(slices.Clone(lessonFilters), request.Paging...), gives: view.List[insight.Lesson]{},
			do: (*Server).listLessons,
		},
		{
			method: "GET", path: base + "/lessons.jsonl", id: "exportLessons", tag: "Policy",
			summary: "Download lessons, one JSON object per line",
			params:  lessonFilters, media: "application/jsonl", flow: (*Server).exportLessons,
		},
	}
}

// PolicyPublishing selects the version of the policy to put in force.
type PolicyPublishing struct {
	Version int `json:"version"`
	// The reason to publish a policy that would have approved what people rejected.
	AcceptRisk string `json:"accept_risk,omitempty"`
}

func (s *Server) publishPolicy(c *call) (reply, error) {
	b, err := read[PolicyPublishing](c)
	if err != nil {
		return reply{}, err
	}
	if b.Version < 1 {
		return reply{}, problem.Invalid("version", "a version is required, from 1")
	}
	kind := definition.KindPolicy
	v, err := s.app.Publish(c, c.who, kind, slot(c, kind), b.Version, app.Saving{AcceptRisk: b.AcceptRisk})
	return reply{body: v}, err
}

func (s *Server) diffPolicy(c *call) (reply, error) {
	n, err := strconv.Atoi(c.path("n"))
	if err != nil || n < 1 {
		return reply{}, fault.New(fault.NotFound, "versions are numbers from 1", "")
	}
	to, _ := c.query.Number("to")
	kind := definition.KindPolicy
	v, err := s.app.Diff(c, c.who, kind, slot(c, kind), n, int(to))
	return reply{body: v}, err
}

// PolicyTest is a question to a policy.
type PolicyTest struct {
	// The policy as an object, or as a text in YAML; left out: the one in force.
	Policy json.RawMessage `json:"policy,omitempty"`
	// The case to evaluate.
	Subject insight.Subject `json:"subject"`
}

func (s *Server) testPolicy(c *call) (reply, error) {
	b, err := read[PolicyTest](c)
	if err != nil {
		return reply{}, err
	}
	format, body := written(b.Policy)
	v, err := s.app.TestPolicy(c, c.who, format, body, b.Subject)
	return reply{body: v}, err
}

// written distinguishes a document as an object from one as a text in YAML.
func written(doc json.RawMessage) (definition.Format, []byte) {
	if text, ok := value.Text(doc); ok {
		return definition.YAML, []byte(text)
	}
	return definition.JSON, doc
}

// BacktestRequest asks for a backtest of a policy.
type BacktestRequest struct {
	Policy json.RawMessage `json:"policy"`          // The policy as an object, or as a text in YAML.
	Since  string          `json:"since,omitempty"` // How far back: a duration such as 30d, or a time.
	Until  string          `json:"until,omitempty"` // Until when: a duration that counts back from now, or a time.
}

func (s *Server) backtestPolicy(c *call) (reply, error) {
	b, err := read[BacktestRequest](c)
	if err != nil {
		return reply{}, err
	}
	from, err := s.moment("since", b.Since, "30d")
	if err != nil {
		return reply{}, err
	}
	until, err := s.moment("until", b.Until, "0s")
	if err != nil {
		return reply{}, err
	}
	format, body := written(b.Policy)
	v, err := s.app.BacktestDocument(c, c.who, format, body, from, until)
	return reply{body: v}, err
}

// moment reads a time, or a duration that counts back from now.
func (s *Server) moment(name, text, otherwise string) (time.Time, error) {
	if text == "" {
		text = otherwise
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	d, err := quantity.ParseDuration(text)
	if err != nil || d < 0 {
		return time.Time{}, problem.Invalid(name, "expected a duration such as 30d, or a time such as 2026-01-31T09:00:00Z")
	}
	return s.app.Now().UTC().Add(-time.Duration(d)), nil
}

// EmergencyStop switches automatic approvals.
type EmergencyStop struct {
	On     bool   `json:"on"` // true stops all automatic approvals, false lets rules approve again.
	Reason string `json:"reason,omitempty"`
}

func (s *Server) emergencyStop(c *call) (reply, error) {
	b, err := read[EmergencyStop](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.EmergencyStop(c, c.who, b.On, b.Reason)
	return reply{body: v}, err
}

func (s *Server) listSuggestions(c *call) (reply, error) {
	from, err := s.moment("since", c.query.Text("since"), "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Suggest(c, c.who, from)
	return reply{body: v}, err
}

// Adoption names the history that a suggestion was based on.
type Adoption struct {
	Since string `json:"since,omitempty"` // How far back: a duration such as 30d, or a time.
}

func (s *Server) adoptSuggestion(c *call) (reply, error) {
	b, err := read[Adoption](c)
	if err != nil {
		return reply{}, err
	}
	from, err := s.moment("since", b.Since, "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Adopt(c, c.who, c.path("id"), from)
	return reply{body: v}, err
}

func (s *Server) listSamples(c *call) (reply, error) {
	from, err := s.moment("since", c.query.Text("since"), "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Samples(c, c.who, from)
	return reply{body: v}, err
}

// SampleReview is a verdict on an automatic approval.
type SampleReview struct {
	Agree   bool   `json:"agree"` // Whether the rule was right.
	Comment string `json:"comment,omitempty"`
}

func (s *Server) reviewSample(c *call) (reply, error) {
	b, err := read[SampleReview](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Review(c, c.who, c.path("id"), b.Agree, b.Comment)
	return reply{body: v}, err
}

func lessonQuery(c *call) insight.LessonQuery {
	return insight.LessonQuery{Agent: c.query.Text("agent"), Workflow: c.query.Text("workflow"),
		Tool: c.query.Text("tool"), Cursor: c.query.Text("cursor"), Limit: c.query.Limit()}
}

func (s *Server) listLessons(c *call) (reply, error) {
	v, err := s.app.Lessons(c, c.who, lessonQuery(c))
	return reply{body: v}, err
}

func (s *Server) exportLessons(c *call, w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="lessons.jsonl"`)
	return s.app.ExportLessons(c, c.who, lessonQuery(c), w)
}
