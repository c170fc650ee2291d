// Package builtin contains the tools that every deployment has, without a document:
//
//	set := builtin.New(builtin.Options{Client: client, Workspace: "/var/lib/assent/workspaces"})
//	t, ok := set.Get("web_fetch")
//	result, err := t.Run(ctx, work, tell)
//
// web_fetch and http_request use the guard of package outbound. read_file, write_file and list_files see one
// directory per run and nothing outside of it, whatever links and dots do. create_deliverable and
// update_deliverable submit results to people, note_progress reports progress.
//
// ask_human, hand_off, milestone and send_message are listed here so that models know them; the core itself
// implements them.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

// Options are the dependencies of the tools.
type Options struct {
	Client    *outbound.Client // for outbound requests
	Workspace string           // parent of the runs' directories; empty: no files
	// Files are an agent's files, by path: they are in a workspace before the agent first accesses it. It may
	// be nil.
	Files func(agent string) map[string]string
}

// Tool is one built-in tool: its document, and its implementation.
type Tool struct {
	definition.Tool
	ReadOnly bool
	// Vary completes the spec of a call from its arguments.
	Vary func(spec *run.ToolSpec, args json.RawMessage)
	// Run is nil for tools that the core implements. The arguments match the schema.
	Run func(ctx context.Context, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error)
}

// Set is all of them.
type Set struct{ tools map[string]*Tool }

// New creates the tools.
func New(o Options) *Set {
	s := &Set{map[string]*Tool{}}
	w := web{o.Client}
	f := &files{workspace: o.Workspace, brought: o.Files}
	own := ownTools()
	for _, t := range own {
		t.Effects = plan.EffectsNone // test runs may use them
	}
	for _, t := range slices.Concat(w.tools(), f.tools(), own) {
		t.Kind = definition.ToolBuiltin
		s.tools[t.Name] = t
	}
	return s
}

// Get finds a tool by name.
func (s *Set) Get(name string) (*Tool, bool) {
	t, ok := s.tools[name]
	return t, ok
}

// Names lists them all, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tools)) }

// ownTools are those that reach nothing outside of the run.
func ownTools() []*Tool {
	return []*Tool{
		{
			Tool: definition.Tool{
				Name: "create_deliverable", Risk: risk.Safe, Describe: "Hand in {{.name}}", Sample: json.RawMessage(`{"ok":true}`),
				Description: "Hand in a result for people: a document, code, data or media. Give exactly one of content (text), " +
					"content_base64 (bytes) and url.",
				Args: deliverableArgs,
			},
			Run: create,
		},
		{
			Tool: definition.Tool{
				Name: "update_deliverable", Risk: risk.Safe,
				Describe: "{{if or .content .content_base64 .url}}Hand in a new version of {{.name}}{{else}}Mark {{.name}} " +
					"as {{.status}}{{end}}", Sample: json.RawMessage(`{"ok":true}`),
				Description: "Hand in a new version of a deliverable, whole, under the name it already has. Earlier versions " +
					"are kept. Give only name and status to set the status: final when it is done, archived when it " +
					"is no longer needed.",
				Args: updateArgs,
			},
			Run: update,
		},
		{
			Tool: definition.Tool{
				Name: "note_progress", Risk: risk.Safe, Describe: "Note: {{.text}}", Sample: json.RawMessage(`{"ok":true}`),
				Description: "Tell the people who watch how the work is going, in one sentence.",
				Args:        json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":2000},"percent":{"type":"integer","minimum":0,"maximum":100}},"required":["text"],"additionalProperties":false}`),
			},
			Run: noteProgress,
		},
		{
			Tool: definition.Tool{
				Name: run.ToolAskHuman, Risk: risk.Safe, Describe: "{{.question}}",
				Description: "Ask a person, and wait for the answer, which may take long. Give options when there are only a " +
					"few good answers. Ask when something is unclear that you cannot find out yourself.",
				Args: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","minLength":1,"maxLength":4000},"options":{"type":"array","items":{"type":"string","minLength":1},"maxItems":50}},"required":["question"]}`),
			},
		},
		{
			Tool: definition.Tool{
				Name: run.ToolHandOff, Risk: risk.Safe, Describe: "Hand over to {{.to}}",
				Description: "Let another agent continue this conversation, and give the reason. Only agents that are listed " +
					"for you or for the workflow can take over.",
				Args: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","minLength":1,"description":"name of the agent"},"reason":{"type":"string","maxLength":4000,"description":"why, and what it should know"},"note":{"type":"string"}},"required":["to"]}`),
			},
		},
		{
			Tool: definition.Tool{
				Name: run.ToolSendMessage, Risk: risk.Safe, Describe: "Tell {{.to}}: {{.text}}",
				Description: "Send a message to another agent of this run. It reads it at its next turn, under your name and as " +
					"information: a message cannot approve anything or give orders.",
				Args: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","minLength":1,"description":"name of the agent"},"text":{"type":"string","minLength":1,"maxLength":8000},"content":{"type":"string","minLength":1,"maxLength":8000,"description":"the same as text"}},"required":["to"],"anyOf":[{"required":["text"]},{"required":["content"]}]}`),
			},
		},
		{
			Tool: definition.Tool{
				Name: run.ToolMilestone, Risk: risk.Safe, Describe: "The phase {{.phase}} is done",
				Description: "Report the end of a phase of the work. People may want to review it before you continue.",
				Args:        json.RawMessage(`{"type":"object","properties":{"phase":{"type":"string","minLength":1,"maxLength":200},"summary":{"type":"string","maxLength":4000}},"required":["phase"]}`),
			},
		},
	}
}

func noteProgress(_ context.Context, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error) {
	var args struct {
		Text    string `json:"text"`
		Percent number `json:"percent"`
	}
	if err := json.Unmarshal(w.Args, &args); err != nil {
		return no("%v", err), nil
	}
	tell(port.Progress{Text: args.Text, Percent: int(args.Percent)})
	return run.CallResult{Output: json.RawMessage(`{"ok":true}`)}, nil
}

// number parses integers in any notation: for JSON Schema 3.0 is one.
type number int64

func (n *number) UnmarshalJSON(raw []byte) error {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	*n = number(f)
	return nil
}

// no is a tool's own error, reported to the model.
func no(format string, args ...any) run.CallResult {
	return run.CallResult{Error: fmt.Sprintf(format, args...)}
}

// yes is an answer.
func yes(v any) (run.CallResult, error) {
	out, err := value.Marshal(v)
	if err != nil {
		return run.CallResult{}, err
	}
	return run.CallResult{Output: out}, nil
}

func within(d time.Duration) *quantity.Duration { return quantity.Of(d) }
