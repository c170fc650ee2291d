// Package command contains tools that are programs, started once per call:
//
//	result, err := command.Call(ctx, command.Options{Enabled: true, Lookup: secrets}, *doc.Command, work)
//
// The program reads {"run","step","call","key","args"} from its standard input and writes its answer to its
// standard output. Package program runs and stops it.
//
// Programs run with the rights of this process, so they are off unless Enabled.
package command

import (
	"context"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/program"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/httptool"
)

// Setting is the name of the setting that enables programs, for errors.
const Setting = "allow_commands"

// Options define how programs are run.
type Options struct {
	Enabled bool                                       // the setting allow_commands
	Dir     string                                     // where they run; empty: in the working directory
	Lookup  func(definition.Reference) (string, error) // resolves secrets; nil: there are none
}

// Call runs a program. Errors are a *outbound.Failed or the error of ctx.
func Call(ctx context.Context, o Options, d definition.Process, w port.ToolWork) (run.CallResult, error) {
	if !o.Enabled {
		return run.CallResult{}, outbound.Permanent("disabled",
			"tools that are programs are disabled; enable them with the setting "+Setting)
	}
	if err := program.Check(d.Argv, slices.Collect(maps.Keys(d.Env))); err != nil {
		return run.CallResult{}, outbound.Permanent("invalid_command", err.Error())
	}
	env, veil, err := outbound.Expand(d.Env, o.Lookup)
	if err != nil {
		return run.CallResult{}, outbound.Permanent(outbound.NoSecret, "variable "+err.Error())
	}
	question, err := httptool.Question(w)
	if err != nil {
		return run.CallResult{}, outbound.Permanent("invalid_request", "put the question: "+err.Error())
	}
	r, err := program.Program{Argv: d.Argv, Env: env, Dir: o.Dir, Veil: veil}.Ask(ctx, question)
	return httptool.Result(r), err
}
