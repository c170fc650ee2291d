package tool

import (
	"context"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// Callables describes all tools except those of MCP servers, by name. It calls nothing.
func (r *Registry) Callables() []port.Callable {
	tools, _, _ := r.o.Documents()
	var out []port.Callable
	for _, name := range r.Names() {
		if f, ok := r.findIn(tools, name); ok {
			out = append(out, callable(name, f))
		}
	}
	return out
}

func callable(name string, f found) port.Callable {
	d := f.doc
	out := port.Callable{
		Name: name, Description: d.Description, Args: d.Args, Output: d.Output, Operation: d.Operation, Effects: d.Effects,
		Harmless: d.Effects == plan.EffectsNone || risk.Harmless(d.Risk, d.Operation),
	}
	rated := risk.Tool{Name: name, Class: d.Risk, Operation: d.Operation, CostUSD: d.CostUSD}
	switch {
	case f.builtin != nil:
		out.Source, rated.ReadOnly = port.SourceBuiltin, f.builtin.ReadOnly
		out.AgentsOnly = f.builtin.Run == nil
	case d.Kind == definition.ToolCommand:
		out.Source = port.SourceCommand
	default:
		out.Source = port.SourceHTTP
	}
	out.Risk = risk.Classify(rated)
	return out
}

// Servers lists the MCP servers in force, each with a digest of its document.
func (r *Registry) Servers() map[string]string {
	_, servers, _ := r.o.Documents()
	out := make(map[string]string, len(servers))
	for name, doc := range servers {
		out[name] = mcp.DigestOf(doc)
	}
	return out
}

// AskServer asks an MCP server for its tools, and starts it if necessary.
func (r *Registry) AskServer(ctx context.Context, server string) ([]port.Callable, error) {
	s, _, ok := r.server(server)
	if !ok {
		return nil, unknown("unknown mcp_server %q", server)
	}
	listed, err := s.Relist(ctx)
	if err != nil {
		return nil, failed(err)
	}
	return remoteCallables(server, listed), nil
}

func remoteCallables(server string, listed []*mcp.Tool) []port.Callable {
	out := make([]port.Callable, 0, len(listed))
	for _, t := range listed {
		name := "mcp:" + server + "/" + t.Name
		out = append(out, port.Callable{
			Name: name, Source: port.SourceMCP, Server: server, Description: describedAs(t), Args: t.Args, Output: t.Output,
			Risk: risk.Classify(risk.Tool{Name: name, ReadOnly: t.ReadOnly, Destructive: t.Destructive}),
		})
	}
	return out
}
