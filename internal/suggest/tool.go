// Package suggest shows what can be called, and makes plans of it: a sentence in plain words becomes a workflow
// with a reason for every step.
//
//	s := suggest.New(registry, planner.Suggest, log)
//	plan, err := s.Plan(ctx, suggest.Intent{Intent: "fetch the page, then write a report"})
//
// A plan is never saved, published or run by this package, and every plan that it shows is valid. It does not
// know the caller: app decides who may ask.
package suggest

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/port"
)

// Tool is something that a step can use: a tool, or an agent.
type Tool struct {
	// As steps and agents name it: crm_lookup, mcp:files/read_file. An agent is agent:NAME.
	Name string `json:"name" holds:"id"`
	// Where it comes from.
	Source port.CallableSource `json:"source" holds:"id"`
	// The MCP server that has it.
	Server      string `json:"server,omitempty" holds:"id"`
	Description string `json:"description" holds:"config"`
	// JSON Schema of its arguments.
	ArgsSchema json.RawMessage `json:"args_schema,omitempty" holds:"config"`
	// JSON Schema of what it returns.
	OutputSchema json.RawMessage `json:"output_schema,omitempty" holds:"config"`
	// How dangerous a call is, as far as declarations and the name tell; missing for an agent.
	Risk risk.Class `json:"risk,omitempty" holds:"id"`
	// What it does to the world, as policy rules see it.
	Operation string `json:"operation,omitempty" holds:"id"`
	// none: it changes nothing anywhere.
	Effects string `json:"effects,omitempty" holds:"id"`
	// Whether only an agent at work can use it; a step cannot.
	AgentsOnly bool `json:"agents_only,omitempty"`
	// How well it fits the request, from 0 to 1; only in a search.
	Score *float64 `json:"score,omitempty"`
	// Why it was found; only in a search.
	Why []string `json:"why,omitempty" holds:"config"`

	// The version of its document; 0 if it has none.
	Version int `json:"version"`
	// Its document as JSON; missing if it has none.
	Definition json.RawMessage `json:"definition,omitempty" holds:"config"`
	// Its document as a YAML file; missing if it has none.
	YAML string `json:"yaml,omitempty" holds:"config"`
}

// ToolList is a list of tools.
type ToolList struct {
	Items []Tool `json:"items"`       // The items of this page.
	Next  string `json:"next_cursor"` // Where the next page begins; empty at the end.
	Total int64  `json:"total"`
	// What the list does not cover, such as a server that has not answered.
	Notes []string `json:"notes,omitempty" holds:"config"`
}

// ToolOf describes a callable.
func ToolOf(c port.Callable) Tool {
	return Tool{
		Name: c.Name, Source: c.Source, Server: c.Server, Description: c.Description, ArgsSchema: c.Args,
		OutputSchema: c.Output, Risk: c.Risk, Operation: c.Operation, Effects: c.Effects, AgentsOnly: c.AgentsOnly,
	}
}
