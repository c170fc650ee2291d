package contract

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/assent-run/assent/internal/api/request"
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

func policyOperations() []Operation {
	one := Base + "/policy"
	return []Operation{
		{
			Method: "GET", Path: one, ID: "getPolicy", Tag: "Policy", Summary: "Show the policy in force",
			Description: "With its rules in order of evaluation. With Accept: application/yaml, the response is a file.",
			Gives:       registry.Policy{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: one, ID: "savePolicy", Tag: "Policy", Summary: "Save the policy and put it in force",
			Description: saves + " A policy that would have approved what people rejected in the last 30 days is refused, " +
				"unless accept_risk gives a reason.",
			Params: []request.Param{
				{Name: "draft", Kind: request.Flag, Fallback: false, Doc: "Save it as a draft only."},
				{Name: "accept_risk", Doc: "The reason to publish a policy that would have approved what people rejected."},
			},
			Takes: TakesDocument, Gives: registry.Document{}, Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
			Example: `{"policy":"default","rules":[{"name":"Refunds","priority":1,"trigger":{"operation_type":["refund"]},"action":{"role":"finance"}}]}`,
		},
		{
			Method: "GET", Path: one + "/versions", ID: "listPolicyVersions", Tag: "Policy",
			Summary: "List all versions of the policy, newest first",
			Gives:   view.List[registry.Revision]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one + "/versions/{n}", ID: "getPolicyVersion", Tag: "Policy",
			Summary: "Show one version of the policy",
			Gives:   registry.Document{}, Tagged: true, YAML: true,
		},
		{
			Method: "POST", Path: one + "/validate", ID: "validatePolicy", Tag: "Policy",
			Summary: "Check a policy without saving it",
			Takes:   TakesDocument, Gives: registry.Validation{},
			Example: `{"policy":"default","rules":[]}`,
		},
		{
			Method: "POST", Path: one + "/publish", ID: "publishPolicy", Tag: "Policy",
			Summary: "Put a version of the policy in force", Description: overwrites,
			Takes: TakesJSON, Body: PolicyPublishing{}, Gives: registry.Document{}, Changes: true, Example: `{"version":2}`,
		},
		{
			Method: "GET", Path: one + "/versions/{n}/diff", ID: "diffPolicyVersions", Tag: "Policy",
			Summary: "Compare a version of the policy with another",
			Params: []request.Param{{Name: "to", Kind: request.Number, Min: 1,
				Doc: "The other version (default: the one in force)."}},
			Gives: registry.Diff{},
		},
		{
			Method: "POST", Path: one + "/test", ID: "testPolicy", Tag: "Policy",
			Summary: "Evaluate a policy for one case, rule by rule",
			Takes:   TakesJSON, Body: PolicyTest{}, Gives: insight.Verdict{},
			Example: `{"subject":{"operation":"refund","risk":"high","data":{"amount":1200}}}`,
		},
		{
			Method: "POST", Path: one + "/backtest", ID: "backtestPolicy", Tag: "Policy",
			Summary: "Backtest a policy against past decisions",
			Description: "Nothing changes. Returns what would have been decided differently, and everything that " +
				"people rejected or changed and the policy would have approved.",
			Takes: TakesJSON, Body: BacktestRequest{}, Gives: insight.Backtest{},
			Example: `{"policy":{"policy":"default","rules":[]},"since":"30d"}`,
		},
		{
			Method: "POST", Path: one + "/emergency_stop", ID: "stopAutoApproval", Tag: "Policy",
			Summary: "Turn the emergency stop on or off",
			Description: "While it is on, no rule approves anything, in any process, even after a restart. It takes effect " +
				"with the response. People are asked instead, and a timeout that would let a run continue pauses it.",
			Takes: TakesJSON, Body: EmergencyStop{}, Gives: registry.Stop{}, Changes: true,
			Example: `{"on":true,"reason":"odd refunds since this morning"}`,
		},
		{
			Method: "GET", Path: one + "/suggestions", ID: "listSuggestions", Tag: "Policy",
			Summary: "Suggest rules from past decisions",
			Description: "None of them would have approved what people rejected or changed. Each expires " +
				"after 30 days or 200 uses.",
			Params: []request.Param{since}, Gives: view.List[insight.Suggestion]{},
		},
		{
			Method: "POST", Path: one + "/suggestions/{id}/adopt", ID: "adoptSuggestion", Tag: "Policy",
			Summary: "Add a suggested rule to a draft of the policy",
			Takes:   TakesMaybe, Body: Adoption{}, Gives: registry.Document{}, Changes: true, Example: `{"since":"30d"}`,
		},
		{
			Method: "GET", Path: one + "/samples", ID: "listSamples", Tag: "Policy",
			Summary: "List sampled automatic approvals to review, newest first",
			Params:  []request.Param{since}, Gives: insight.Samples{},
		},
		{
			Method: "POST", Path: one + "/samples/{id}", ID: "reviewSample", Tag: "Policy",
			Summary: "Review a sampled automatic approval",
			Takes:   TakesJSON, Body: SampleReview{}, Gives: insight.Review{}, Changes: true, Example: `{"agree":true}`,
		},
		{
			Method: "GET", Path: Base + "/lessons", ID: "listLessons", Tag: "Policy",
			Summary: "List lessons, newest first",
			Params: slices.Concat(lessonFilters, []request.Param{{Name: "removed", Kind: request.Flag, Fallback: false,
				Doc: "Those that agents no longer receive, instead of the others."}}, request.Paging),
			Gives: view.List[insight.Lesson]{},
		},
		{
			Method: "PUT", Path: Base + "/lessons/{id}", ID: "correctLesson", Tag: "Policy",
			Summary: "Correct or remove a lesson",
			Description: "Changes what agents receive, not the decision that the lesson comes from. An empty correction " +
				"restores it. Recorded in the audit log. Requires the permission to change definitions. With version, or " +
				"If-Match with the ETag of your last correction, it is refused if the lesson was corrected since: 409 " +
				"or 412 version_mismatch.",
			Takes: TakesJSON, Body: LessonCorrection{}, Gives: insight.Correction{}, Changes: true,
			Example: `{"text":"Amounts over 100 need a receipt.","version":1}`,
		},
		{
			Method: "GET", Path: Base + "/lessons.jsonl", ID: "exportLessons", Tag: "Policy",
			Summary: "Download lessons, one JSON object per line",
			Params:  lessonFilters, Media: "application/jsonl",
		},
	}
}

// PolicyPublishing selects the version of the policy to put in force.
type PolicyPublishing struct {
	Version int `json:"version"`
	// The reason to publish a policy that would have approved what people rejected.
	AcceptRisk string `json:"accept_risk,omitempty"`
}

// PolicyTest is a question to a policy.
type PolicyTest struct {
	// The policy as an object, or as a text in YAML; left out: the one in force.
	Policy json.RawMessage `json:"policy,omitempty"`
	// The case to evaluate.
	Subject insight.Subject `json:"subject"`
}

// BacktestRequest asks for a backtest of a policy.
type BacktestRequest struct {
	Policy json.RawMessage `json:"policy"`          // The policy as an object, or as a text in YAML.
	Since  string          `json:"since,omitempty"` // How far back: a duration such as 30d, or a time.
	Until  string          `json:"until,omitempty"` // Until when: a duration that counts back from now, or a time.
}

// EmergencyStop switches automatic approvals.
type EmergencyStop struct {
	On     bool   `json:"on"` // true stops all automatic approvals, false lets rules approve again.
	Reason string `json:"reason,omitempty"`
}

// Adoption names the history that a suggestion was based on.
type Adoption struct {
	Since string `json:"since,omitempty"` // How far back: a duration such as 30d, or a time.
}

// LessonCorrection changes what agents are told about a decision.
type LessonCorrection struct {
	Text    string `json:"text,omitempty"`    // The explanation that agents receive instead of the comment.
	Removed bool   `json:"removed,omitempty"` // Whether agents no longer receive the lesson.
	Reason  string `json:"reason,omitempty"`  // Why; required if it is removed.
	// The version of the lesson that you saw: if it was corrected since, this is a 409 version_mismatch. Left out: any.
	Version *int `json:"version,omitempty"`
}

// SampleReview is a verdict on an automatic approval.
type SampleReview struct {
	Agree   bool   `json:"agree"` // Whether the rule was right.
	Comment string `json:"comment,omitempty"`
}
