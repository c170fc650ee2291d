package mcpserver

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a tool that clients can call.
type tool struct {
	sdk.Tool
	needs []access.Action // listed for callers who could ever do one of these
	slow  bool            // it reads many things
	do    func(*call, json.RawMessage) (any, error)
}

// call is a request on its way through a tool.
type call struct {
	*Caller
	app  *app.App
	give func() // ends the caller's turn
}

// perform runs a tool when it is the caller's turn.
func (c *call) perform(t tool, args json.RawMessage) (_ any, err error) {
	if c.give, err = c.Turn(t.slow); err != nil {
		return nil, err
	}
	defer c.give()
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	return t.do(c, args)
}

// taking reads the arguments of a tool. Unknown, duplicate and wrongly typed members are refused with their paths.
func taking[T any](do func(*call, T) (any, error)) func(*call, json.RawMessage) (any, error) {
	return func(c *call, raw json.RawMessage) (any, error) {
		var args T
		err := plan.Decode(raw, &args)
		var f *fault.Error
		if errors.As(err, &f) && f.Code == fault.Invalid {
			return nil, fault.Of("the arguments are not valid", f.Problems)
		}
		if err != nil {
			return nil, err
		}
		return do(c, args)
	}
}

func invalid(path, message string) error {
	return fault.Of("the arguments are not valid", []fault.Problem{{Path: path, Message: message}})
}

// deciding is every act on approvals.
var deciding = func() (out []access.Action) {
	for _, act := range gate.Acts {
		out = append(out, access.Action(act))
	}
	return out
}()

// Parts of schemas that several tools share.
const (
	runID      = `"run":{"type":"string","description":"The id of the run: run_…"}`
	approvalID = `"approval":{"type":"string","description":"The id of the approval: apr_…"}`
	full       = `"full":{"type":"boolean","description":` +
		`"Return values over 64 KiB in full instead of a reference with a preview."}`
)

func schema(required, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{` +
		properties + `}}`)
}

func reads(title string) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}
}

func changes(title string, destroys, idempotent bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, DestructiveHint: &destroys, IdempotentHint: idempotent,
		OpenWorldHint: new(true)}
}

// tools are all tools except those named after workflows.
var tools = []tool{
	{
		Tool: sdk.Tool{
			Name: "list_workflows", Annotations: reads("List workflows"),
			Description: "Lists the workflows you can see, with their purpose, the JSON Schema of their input, and " +
				"whether you may start them.",
			InputSchema: schema(``, ``),
		},
		needs: []access.Action{access.Look}, slow: true, do: taking((*call).listWorkflows),
	},
	{
		Tool: sdk.Tool{
			Name: "start_run", Annotations: changes("Start a run", false, false),
			Description: "Starts a run of a workflow and waits briefly for it. The status is completed (with " +
				"output), needs_human (with approvals: the question, the approvers, the deadline, and the link to decide), " +
				"failed (with error), cancelled, limit_reached, paused, or running: then call get_run.",
			InputSchema: schema(`"workflow"`, `"workflow":{"type":"string","description":"The name of the workflow, from list_workflows."},
				"input":{"description":"The input of the workflow; it must match the workflow's input_schema."},
				"test_mode":{"type":"boolean","description":"Calls with side effects are simulated."},
				"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"A key of your choice for this start. Sending it again, with the same workflow and input, returns the same run instead of starting another."},
				"wait_s":{"type":"integer","minimum":0,"maximum":50,"default":20,"description":"The maximum number of seconds to wait until the run has ended or needs a human."}`),
		},
		needs: []access.Action{access.Start}, do: taking((*call).startRun),
	},
	{
		Tool: sdk.Tool{
			Name: "get_run", Annotations: reads("Show a run"),
			Description: "Returns the state of a run, in the same form as start_run: its output if it is completed, the " +
				"decisions needed if it needs a human.",
			InputSchema: schema(`"run"`, runID+`,"wait_s":{"type":"integer","minimum":0,"maximum":50,"default":0,"description":"The maximum number of seconds to wait until it has ended, or needs a new decision."},`+full),
		},
		needs: []access.Action{access.See}, do: taking((*call).getRun),
	},
	{
		Tool: sdk.Tool{
			Name: "cancel_run", Annotations: changes("Cancel a run", true, true),
			Description: "Cancels a run: open approvals are withdrawn, results so far are kept. This cannot be undone.",
			InputSchema: schema(`"run"`, runID+`,"reason":{"type":"string","description":"The reason, kept in the audit log."}`),
		},
		needs: []access.Action{access.Cancel}, do: taking((*call).cancelRun),
	},
	{
		Tool: sdk.Tool{
			Name: "list_approvals", Annotations: reads("List pending approvals"),
			Description: "Lists pending approvals, the most urgent first, with the links to decide.",
			InputSchema: schema(``, `"mine":{"type":"boolean","description":"Only approvals that ask you."},
				"workflow":{"type":"string","description":"Only of runs of this workflow."},
				"run":{"type":"string","description":"Only of this run."},
				"limit":{"type":"integer","minimum":1,"maximum":200,"default":50,"description":"Maximum number of approvals."},
				"cursor":{"type":"string","description":"The next_cursor of the previous page."}`),
		},
		needs: []access.Action{access.See}, slow: true, do: taking((*call).listApprovals),
	},
	{
		Tool: sdk.Tool{
			Name: "get_approval", Annotations: reads("Show an approval"),
			Description: "Shows everything about an approval: the proposal and the reason, its risk, who is asked, who " +
				"decided what, its version, and in acts what you may do now.",
			InputSchema: schema(`"approval"`, approvalID+`,`+full),
		},
		needs: []access.Action{access.See}, do: taking((*call).getApproval),
	},
	{
		Tool: sdk.Tool{
			Name: "decide_approval", Annotations: changes("Decide", true, true),
			Description: "Decides an approval on behalf of the person whose token you use. Only do this if that person " +
				"told you to, for this approval. Agents may never decide. Read it first: acts lists what is possible, " +
				"and version must be sent with the decision. Sending the same decision twice takes effect once.",
			InputSchema: schema(`"approval","act","version"`, approvalID+`,
				"act":{"type":"string","enum":[`+acts()+`],"description":"One of the approval's acts."},
				"version":{"type":"integer","minimum":1,"description":"The version that the person saw. If it has changed since, nothing is decided."},
				"comment":{"type":"string","description":"The reason. Required to reject and to request a revision."},
				"changes":{"type":"object","description":"With modify: a JSON merge patch on the proposal."},
				"option":{"type":"string","description":"With choose: the value of one of the options."},
				"data":{"description":"With submit: data that matches the input_schema."},
				"role":{"type":"string","description":"The role to vote as, if approvals are counted by role and the person has several."},
				"to":{"type":"string","description":"With delegate and escalate: a name, or role:NAME."}`),
		},
		needs: deciding, do: taking((*call).decide),
	},
	{
		Tool: sdk.Tool{
			Name: "comment_approval", Annotations: changes("Comment on an approval", false, false),
			Description: "Adds a comment to a pending approval. It does not decide anything.",
			InputSchema: schema(`"approval","text"`,
				approvalID+`,"text":{"type":"string","minLength":1,"description":"The comment."}`),
		},
		needs: []access.Action{access.Comment}, do: taking((*call).comment),
	},
}

func acts() string {
	words := make([]string, len(gate.Acts))
	for i, act := range gate.Acts {
		words[i] = `"` + string(act) + `"`
	}
	return strings.Join(words, ",")
}

// find returns every tool by its name, listed or not: the use case explains refusals.
func find(name string) (tool, bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	return ofWorkflow(name)
}

// tools are the tools that the caller could ever use.
func (c *call) tools() ([]*sdk.Tool, error) {
	give, err := c.Turn(true)
	if err != nil {
		return nil, err
	}
	defer give()
	out := []*sdk.Tool{}
	for _, t := range tools {
		if c.app.Access.Ever(c.Who, t.needs...) {
			out = append(out, &t.Tool)
		}
	}
	return c.addWorkflows(out)
}
