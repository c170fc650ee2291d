package definition

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Agent is a registered worker: what the core needs to know about it, and how its kind is reached. Only the part
// for its Kind is set; Go functions have none.
type Agent struct {
	plan.Agent
	Description  string
	Capabilities []string
	Lessons      *bool // false: it does not receive corrections of its earlier work
	Notify       json.RawMessage

	Scripted *Scripted
	HTTP     *HTTP
	Command  *Process
	LLM      *LLM
	MCP      *MCP

	Place Place
}

// Scripted agents answer from a list, in turn; the last answer repeats.
type Scripted struct {
	Answers []Answer `json:"answers,omitempty"`
}

// Answer is one answer of a scripted agent: an output, or a failure.
type Answer struct {
	Match        string            `json:"match,omitempty"` // an expression: only for inputs that match
	Delay        quantity.Duration `json:"delay,omitempty"`
	Progress     []string          `json:"progress,omitempty"` // sent in turn while it works
	Output       json.RawMessage   `json:"output,omitempty"`
	Confidence   *float64          `json:"confidence,omitempty"`
	Reasoning    string            `json:"reasoning,omitempty"`
	Fail         string            `json:"fail,omitempty"`
	Transient    bool              `json:"transient,omitempty"`
	Usage        *run.Usage        `json:"usage,omitempty"`
	Logs         string            `json:"logs,omitempty"`
	Deliverables []Deliverable     `json:"deliverables,omitempty"`
}

// Deliverable is a result for people, as agents submit it. Its bytes are the content, the decoded
// content_base64, or the resource at the url.
type Deliverable struct {
	Name          string `json:"name"`
	Type          string `json:"type,omitempty"`
	Content       string `json:"content,omitempty"`
	ContentBase64 string `json:"content_base64,omitempty"`
	URL           string `json:"url,omitempty"`
	MIME          string `json:"mime_type,omitempty"`
	Description   string `json:"description,omitempty"`
	Status        string `json:"status,omitempty"`
}

// HTTP is a service called with POST.
type HTTP struct {
	URL     string            `json:"url,omitempty"`
	Headers map[string]Secret `json:"headers,omitempty"`
}

// Process is a program started for each task.
type Process struct {
	Argv []string          `json:"command,omitempty"`
	Env  map[string]Secret `json:"env,omitempty"`
}

// LLM is a language model with tools.
type LLM struct {
	Provider   Provider          `json:"provider,omitempty"`
	BaseURL    string            `json:"base_url,omitempty"`
	Model      string            `json:"model,omitempty"`
	APIKey     Secret            `json:"api_key,omitzero"`
	Headers    map[string]Secret `json:"headers,omitempty"`
	System     string            `json:"system,omitempty"`
	Tools      []string          `json:"tools,omitempty"` // names, or mcp:SERVER/TOOL, or mcp:SERVER/*
	Milestones []string          `json:"milestones,omitempty"`
	// CallConfidence lets the model state its confidence with every call.
	CallConfidence bool `json:"call_confidence,omitempty"`

	Temperature *float64           `json:"temperature,omitempty"`
	MaxTokens   int                `json:"max_tokens,omitempty"`
	Timeout     *quantity.Duration `json:"timeout,omitempty"` // for one answer of the model
	// Files are in the workspace of a run before the agent starts, by path.
	Files map[string]string `json:"files,omitempty"`
	Turns []Turn            `json:"turns,omitempty"` // for the provider scripted
}

// Turn is one turn of a scripted model: text, tool calls, or the answer.
type Turn struct {
	When       string            `json:"when,omitempty"` // an expression: only when it is true
	Delay      quantity.Duration `json:"delay,omitempty"`
	Say        string            `json:"say,omitempty"`
	Calls      []TurnCall        `json:"calls,omitempty"` // in parallel
	Answer     json.RawMessage   `json:"answer,omitempty"`
	Confidence *float64          `json:"confidence,omitempty"`
	Reasoning  string            `json:"reasoning,omitempty"`
	Usage      *run.Usage        `json:"usage,omitempty"`
}

// TurnCall is a tool call in a turn.
type TurnCall struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Provider is the API that a model speaks.
type Provider string

const (
	OpenAI    Provider = "openai" // and compatible services, by base_url
	Anthropic Provider = "anthropic"
	Script    Provider = "scripted" // no model: the turns are in the document
)

// Providers lists them all.
var Providers = []Provider{OpenAI, Anthropic, Script}

// MCP is a tool of an MCP server that performs a whole step.
type MCP struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
}

// Tool is something an LLM agent may call.
type Tool struct {
	Name        string             `json:"tool"`
	Kind        ToolKind           `json:"kind"`
	Description string             `json:"description,omitempty"`
	Args        json.RawMessage    `json:"args,omitempty"`   // JSON Schema
	Output      json.RawMessage    `json:"output,omitempty"` // JSON Schema
	Risk        risk.Class         `json:"risk,omitempty"`
	Operation   string             `json:"operation,omitempty"`
	Describe    string             `json:"describe,omitempty"`  // a template over the arguments: Look up {{.id}}
	IfDenied    string             `json:"if_denied,omitempty"` // another: the effect of a rejection
	CostUSD     quantity.Money     `json:"cost_usd,omitempty"`
	Timeout     *quantity.Duration `json:"timeout,omitempty"`
	Sample      json.RawMessage    `json:"sample,omitempty"`
	Effects     string             `json:"effects,omitempty"` // none: a test run may call it
	// ReversibleBy is the tool or operation that undoes a call; none: it cannot be undone.
	ReversibleBy string `json:"reversible_by,omitempty"`

	HTTP    *HTTP    `json:"-"`
	Command *Process `json:"-"`
	// Builtin is the built-in tool that does the work, if this one has another name.
	Builtin string `json:"-"`

	Place Place `json:"-"`
}

// ToolKind is how a tool is reached.
type ToolKind string

const (
	ToolHTTP    ToolKind = "http"
	ToolCommand ToolKind = "command"
	ToolBuiltin ToolKind = "builtin"
)

// ToolKinds lists them all.
var ToolKinds = []ToolKind{ToolHTTP, ToolCommand, ToolBuiltin}

// In files the keys of a kind are next to the others. These are the shapes they are read into and written
// from.
type (
	agentHead struct {
		plan.Agent
		Description  string          `json:"description,omitempty"`
		Capabilities []string        `json:"capabilities,omitempty"`
		Lessons      *bool           `json:"lessons,omitempty"`
		Notify       json.RawMessage `json:"notify,omitempty"`
	}
	scriptedForm struct {
		agentHead
		Scripted
	}
	httpForm struct {
		agentHead
		HTTP
	}
	commandForm struct {
		agentHead
		Process
	}
	llmForm struct {
		agentHead
		LLM
	}
	mcpForm struct {
		agentHead
		MCP
	}
	toolBody     Tool // without methods
	httpToolForm struct {
		toolBody
		HTTP
	}
	commandToolForm struct {
		toolBody
		Process
	}
	builtinToolForm struct {
		toolBody
		Builtin string `json:"builtin,omitempty"`
	}
)

// form is the agent as written in a file.
func (a *Agent) form() any {
	head := agentHead{a.Agent, a.Description, a.Capabilities, a.Lessons, a.Notify}
	switch {
	case a.Kind == plan.AgentScripted && a.Scripted != nil:
		return scriptedForm{head, *a.Scripted}
	case a.Kind == plan.AgentHTTP && a.HTTP != nil:
		return httpForm{head, *a.HTTP}
	case a.Kind == plan.AgentCommand && a.Command != nil:
		return commandForm{head, *a.Command}
	case a.Kind == plan.AgentLLM && a.LLM != nil:
		return llmForm{head, *a.LLM}
	case a.Kind == plan.AgentMCP && a.MCP != nil:
		return mcpForm{head, *a.MCP}
	}
	return head
}

// form is the tool as written in a file.
func (t *Tool) form() any {
	switch {
	case t.Kind == ToolHTTP && t.HTTP != nil:
		return httpToolForm{toolBody(*t), *t.HTTP}
	case t.Kind == ToolCommand && t.Command != nil:
		return commandToolForm{toolBody(*t), *t.Command}
	case t.Kind == ToolBuiltin:
		return builtinToolForm{toolBody(*t), t.Builtin}
	}
	return toolBody(*t)
}

// MarshalJSON writes the document as in a file; see JSON.
func (a *Agent) MarshalJSON() ([]byte, error) { return a.JSON(), nil }

// MarshalJSON writes the document as in a file; see JSON.
func (t *Tool) MarshalJSON() ([]byte, error) { return t.JSON(), nil }

// UnmarshalJSON reads the document strictly, as ParseDocument does.
func (a *Agent) UnmarshalJSON(raw []byte) error { return unmarshal(raw, a) }

// UnmarshalJSON reads the document strictly, as ParseDocument does.
func (t *Tool) UnmarshalJSON(raw []byte) error { return unmarshal(raw, t) }

func unmarshal[T any](raw []byte, into *T) error {
	doc, problems := ParseDocument(JSON, raw)
	if bad := Errors(problems); len(bad) > 0 {
		return fault.Of("the document is not valid", faults(bad))
	}
	got, ok := doc.(any).(*T)
	if !ok {
		kind, _ := doc.Ident()
		return fault.Newf(fault.Invalid, "this is a document of another kind: %s", kind)
	}
	*into = *got
	return nil
}
