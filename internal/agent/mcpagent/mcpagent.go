// Package mcpagent makes one tool of an MCP server perform a whole step:
//
//	agent: find_files
//	kind: mcp
//	server: files
//	tool: search_files
//
// The step's input is the tool's arguments, and has to match the tool's schema. The tool's answer is the
// step's output: its structured content, its text parsed as JSON, or {"text": "…"}. A tool that reports an
// error fails the step; an unreachable server is retried.
package mcpagent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Servers calls tools of MCP servers.
type Servers interface {
	// CallStep calls a tool whose answer is a whole result: it is neither truncated nor meant for a model.
	CallStep(ctx context.Context, server string, w port.ToolWork, tell func(port.Progress)) (run.CallResult, error)
}

// Agent is a tool that performs steps.
type Agent struct {
	name    string
	doc     definition.MCP
	servers Servers
}

// New creates the agent of a document. Nothing is connected until there is work.
func New(name string, doc definition.MCP, servers Servers) *Agent {
	return &Agent{name, doc, servers}
}

// Invoke calls the tool.
func (a *Agent) Invoke(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error) {
	if err := ctx.Err(); err != nil {
		return run.Result{}, fmt.Errorf("call %s: %w", a.doc.Tool, err)
	}
	if kind := value.KindOf(w.Input); kind != value.KindObject {
		return run.Result{}, failed("invalid_input",
			fmt.Sprintf("the tool %s takes an object of arguments, and the step's input is %s; set its input with `with`",
				a.doc.Tool, kind))
	}
	r, err := a.servers.CallStep(ctx, a.doc.Server, port.ToolWork{
		Run: w.Run, Step: w.Step, Agent: a.name, Key: w.Key, Tool: a.doc.Tool, Args: w.Input,
		Try: w.Try, Approved: w.Approved,
	}, tell)
	switch {
	case err != nil:
		return run.Result{}, err
	case r.Input != nil:
		return run.Result{}, failed("input_required", fmt.Sprintf(
			"the tool %s of the server %s asks a person: %q. A step that is one tool cannot wait for that: ask in a human "+
				"step before it and pass the answer on, or let an llm agent call the tool",
			a.doc.Tool, a.doc.Server, r.Input.Message))
	case r.Error != "":
		return run.Result{}, failed("tool_failed", r.Error)
	case len(r.Output) > run.OutputMax:
		return run.Result{}, failed("too_large",
			fmt.Sprintf("the tool answered with %s; the limit is %s", phrase.Bytes(len(r.Output)), phrase.Bytes(run.OutputMax)))
	case len(r.Output) == 0:
		r.Output = json.RawMessage("null")
	}
	return run.Result{Output: r.Output, Usage: r.Usage, Logs: r.Logs}, nil
}

// failed is a failure that a retry does not fix.
func failed(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
