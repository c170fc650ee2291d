package app

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
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

// toolsFound is how many tools a search returns at most.
const toolsFound = 200

// Tools lists everything that can be called, by name; with a request in plain words, what fits it, the best first.
func (a *App) Tools(ctx context.Context, who Who, q string) (view.List[Tool], []string, error) {
	if err := a.may(who, access.Look); err != nil {
		return view.List[Tool]{}, nil, err
	}
	documents := map[string]registry.Document{}
	for _, doc := range a.registry.InForce(definition.KindTool) {
		documents[doc.Name] = doc
	}
	var out []Tool
	if q == "" {
		all, notes := a.catalogue.All(ctx)
		for _, c := range all {
			out = append(out, toolOf(c, documents))
		}
		return view.Whole(out), notes, nil
	}
	found, notes := a.catalogue.Search(ctx, q, toolsFound)
	for _, m := range found {
		t := toolOf(m.Callable, documents)
		t.Score, t.Why = &m.Score, m.Why
		out = append(out, t)
	}
	return view.Whole(out), notes, nil
}

func toolOf(c port.Callable, documents map[string]registry.Document) Tool {
	t := Tool{
		Name: c.Name, Source: c.Source, Server: c.Server, Description: c.Description, ArgsSchema: c.Args,
		OutputSchema: c.Output, Risk: c.Risk, Operation: c.Operation, Effects: c.Effects, AgentsOnly: c.AgentsOnly,
	}
	if doc, ok := documents[c.Name]; ok {
		t.Version, t.Definition, t.YAML = doc.Version, doc.Definition, doc.YAML
	}
	return t
}
