package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/command"
	"github.com/assent-run/assent/internal/tool/httptool"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// Call runs a tool.
func (r *Registry) Call(ctx context.Context, w port.ToolWork,
	tell func(port.Progress)) (result run.CallResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = run.CallResult{}, &port.Failed{Failure: run.Failure{Code: "panic",
				Message: fmt.Sprintf("the tool %s panicked: %v", w.Tool, p)}}
		}
	}()
	if tell == nil {
		tell = func(port.Progress) {}
	}
	if why := prepare(&w); why != "" {
		return run.CallResult{Error: why}, nil
	}
	result, err = r.carryOut(ctx, w, tell)
	if err != nil {
		return run.CallResult{}, failed(err)
	}
	return r.settle(ctx, result, w.Whole)
}

// prepare normalises the arguments.
func prepare(w *port.ToolWork) string {
	if len(w.Args) > ArgsMax {
		return fmt.Sprintf("the arguments have %s; the limit is %s", phrase.Bytes(len(w.Args)), phrase.Bytes(ArgsMax))
	}
	if len(w.Args) == 0 {
		w.Args = json.RawMessage(`{}`)
	}
	args, err := value.Strict(w.Args)
	switch {
	case err != nil:
		return "the arguments are not valid: " + err.Error()
	case value.KindOf(args) != value.KindObject:
		return fmt.Sprintf("the arguments are %s, not an object", value.KindOf(args))
	}
	w.Args = args
	return ""
}

func (r *Registry) carryOut(ctx context.Context, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error) {
	if server, tool, ok := Split(w.Tool); ok {
		return r.callRemote(ctx, server, tool, w, tell)
	}
	f, ok := r.find(w.Tool)
	if !ok {
		return run.CallResult{Error: fmt.Sprintf("tool %q not found", w.Tool)}, nil
	}
	if differs(w.Approved, f.implementation) {
		spec := specOf(f, w.Args)
		return run.CallResult{}, &port.Changed{Spec: &spec}
	}
	for _, s := range f.schemas {
		if why := unfit(s, w.Args); why != "" {
			return run.CallResult{Error: why}, nil
		}
	}
	within := quantity.Or(f.doc.Timeout, callWithin)
	if within <= 0 {
		within = callWithin
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	result, err := r.callNamed(limited, f, w, tell)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return result, &outbound.Failed{Failure: run.Failure{
			Code: "timeout", Message: fmt.Sprintf("%s did not answer within %s", w.Tool, within), Transient: true,
		}}
	}
	if err == nil && result.Error == "" && result.Usage.CostUSD == 0 {
		result.Usage.CostUSD = f.doc.CostUSD // the announced cost
	}
	return result, err
}

func (r *Registry) callNamed(ctx context.Context, f found, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	switch {
	case f.builtin != nil && f.builtin.Run != nil:
		return f.builtin.Run(ctx, w, tell)
	case f.builtin != nil:
		// the core implements it, and never calls us
		return run.CallResult{Error: w.Tool + " can only be used by an agent at work"}, nil
	case f.doc.Kind == definition.ToolHTTP && f.doc.HTTP != nil:
		return httptool.Call(ctx, httptool.Options{Client: r.client, Lookup: r.o.Lookup}, *f.doc.HTTP, w)
	case f.doc.Kind == definition.ToolCommand && f.doc.Command != nil:
		return command.Call(ctx, command.Options{Enabled: r.o.AllowCommands, Dir: r.o.Dir, Lookup: r.o.Lookup},
			*f.doc.Command, w)
	}
	return run.CallResult{}, outbound.Permanent("unsupported",
		fmt.Sprintf("tools of kind %s cannot be used here", f.doc.Kind))
}

func (r *Registry) callRemote(ctx context.Context, server, tool string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	s, why, err := r.remoteFor(ctx, server, tool, w)
	if err == nil && why == nil {
		var result run.CallResult
		if result, err = s.Call(ctx, tool, w, tell); err == nil {
			return result, nil
		}
	}
	var changed *port.Changed
	if errors.As(err, &changed) {
		spec := r.remote(ctx, server, tool, w.Args)
		return run.CallResult{}, &port.Changed{Spec: &spec}
	}
	return run.CallResult{Error: wordsOf(why)}, err
}

// CallStep calls a tool of an MCP server for a step: its answer is returned as is, and invalid arguments are
// a failure.
func (r *Registry) CallStep(ctx context.Context, server string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	if tell == nil {
		tell = func(port.Progress) {}
	}
	if why := prepare(&w); why != "" {
		return run.CallResult{}, &port.Failed{Failure: run.Failure{Code: "invalid_input", Message: why}}
	}
	// A step is bound to the server's document; its tool is looked up when used.
	w.Approved = slices.DeleteFunc(slices.Clone(w.Approved),
		func(i gate.Implementation) bool { return i.Kind != string(definition.KindMCPServer) })
	s, why, err := r.remoteFor(ctx, server, w.Tool, w)
	switch {
	case err != nil:
		return run.CallResult{}, failed(err)
	case why != nil:
		return run.CallResult{}, &port.Failed{Failure: *why}
	}
	result, err := s.CallStep(ctx, w.Tool, w, tell)
	if err != nil {
		return run.CallResult{}, failed(err)
	}
	result.Error = cut(result.Error, ErrorMax)
	return result, nil
}

// remoteFor finds the server of a tool, or returns why the call cannot be made.
func (r *Registry) remoteFor(ctx context.Context, server, tool string,
	w port.ToolWork) (*mcp.Server, *run.Failure, error) {
	s, by, ok := r.server(server)
	if !ok {
		return nil, &run.Failure{Code: "unknown_server", Message: fmt.Sprintf("unknown mcp_server %q", server)}, nil
	}
	t, ok, err := s.Tool(ctx, tool)
	switch {
	case err != nil:
		return nil, nil, err
	case !ok:
		return nil, &run.Failure{Code: "unknown_tool", Message: fmt.Sprintf("the server %s has no tool %q", server, tool)},
			nil
	}
	now := remoteImplementation(by, t)
	if len(w.Approved) == 1 && w.Approved[0].Kind == by.Kind && w.Call == "" { // a step's
		now = now[:1]
	}
	if differs(w.Approved, now) {
		return nil, nil, &port.Changed{}
	}
	if why := unfit(t.Args, w.Args); why != "" {
		return nil, &run.Failure{Code: "invalid_input", Message: why}, nil
	}
	return s, nil, nil
}

func wordsOf(f *run.Failure) string {
	if f == nil {
		return ""
	}
	return f.Message
}

// unfit lists the problems of arguments, each with its path.
func unfit(raw, args json.RawMessage) string {
	s, err := schema.Compile(raw)
	if err != nil {
		return "the tool's schema is not valid: " + err.Error()
	}
	if problems := s.Validate(args); len(problems) > 0 {
		return fault.Of("the arguments do not match the tool's schema", problems).Error()
	}
	return ""
}

// failed converts a failure for the port.
func failed(err error) error {
	var f *outbound.Failed
	if errors.As(err, &f) {
		return &port.Failed{Failure: f.Failure}
	}
	return err
}
