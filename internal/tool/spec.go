package tool

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Spec is what is known about a call before it runs.
func (r *Registry) Spec(ctx context.Context, c run.Call) (spec run.ToolSpec) {
	defer func() {
		if recover() != nil { // unknown is not safe
			spec = run.ToolSpec{Class: risk.ApprovalRequired, Description: inWords(c.Tool, nil)}
		}
	}()
	args, err := value.Compact(c.Args)
	if err != nil {
		args = nil
	}
	if server, tool, ok := Split(c.Tool); ok {
		return r.remote(ctx, server, tool, args)
	}
	f, ok := r.find(c.Tool)
	if !ok {
		return run.ToolSpec{Unknown: true}
	}
	return specOf(f, args)
}

// specOf is the spec of a call of a tool that was found.
func specOf(f found, args json.RawMessage) (spec run.ToolSpec) {
	d := f.doc
	spec = run.ToolSpec{
		Class: d.Risk, Operation: d.Operation, CostUSD: d.CostUSD, ArgsSchema: d.Args, Sample: d.Sample, Effects: d.Effects,
		ReversibleBy: d.ReversibleBy,
		Description:  describe(d.Describe, d.Name, args), IfDenied: fill(d.IfDenied, args), Implementation: f.implementation,
	}
	if len(spec.Sample) == 0 && len(d.Output) > 0 {
		spec.Sample = schema.Sample(d.Output)
	}
	if f.builtin != nil {
		spec.ReadOnly = f.builtin.ReadOnly
		if f.builtin.Vary != nil {
			f.builtin.Vary(&spec, args)
		}
		if f.said != nil && f.said.Risk != "" {
			spec.Class = f.said.Risk
		}
		if f.said != nil && f.said.Operation != "" {
			spec.Operation = f.said.Operation
		}
	}
	return spec
}

// remote is the same for a tool of an MCP server. If the server is unreachable, the tool still exists, but
// nothing is known about it.
func (r *Registry) remote(ctx context.Context, server, name string, args json.RawMessage) run.ToolSpec {
	s, by, ok := r.server(server)
	if !ok || name == "" || name == "*" {
		return run.ToolSpec{Unknown: true}
	}
	t, ok, err := s.Tool(ctx, name)
	switch {
	case err != nil:
		return run.ToolSpec{
			Class: risk.ApprovalRequired, Description: inWords(name+" ("+server+")", args),
			Implementation: []gate.Implementation{by},
		}
	case !ok:
		return run.ToolSpec{Unknown: true}
	}
	spec := run.ToolSpec{
		ArgsSchema: t.Args, ReadOnly: t.ReadOnly, Destructive: t.Destructive, Description: inWords(t.Words(server), args),
		Implementation: remoteImplementation(by, t),
	}
	if len(t.Output) > 0 {
		spec.Sample = schema.Sample(t.Output)
	}
	return spec
}
