// Package process contains agents that are programs, started once per piece of work:
//
//	agent, err := process.New(definition.Process{Argv: []string{"python3", "triage.py"}},
//		process.Options{Enabled: true, Dir: "/srv/agents", Lookup: secrets})
//
// Package program defines the protocol, interprets the exit status, filters the environment and stops the
// program. There is no shell in between.
//
// Programs run with the rights of this process, so they are off unless Enabled.
package process

import (
	"context"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/program"
	"github.com/assent-run/assent/internal/port"
)

// Setting is the name of the setting that enables command agents, for errors.
const Setting = "allow_commands"

// Options define how programs are run.
type Options struct {
	Enabled bool          // the setting allow_commands
	Dir     string        // where they run; empty: in the working directory
	Lookup  answer.Lookup // resolves secrets; nil: there are none
}

// Agent is one program.
type Agent struct {
	def definition.Process
	o   Options
}

var _ port.Agent = (*Agent)(nil)

// New creates an agent for a program. If it is not Enabled, each piece of work fails with an explanation.
func New(d definition.Process, o Options) (*Agent, error) {
	if err := program.Check(d.Argv, slices.Collect(maps.Keys(d.Env))); err != nil {
		return nil, err
	}
	return &Agent{d, o}, nil
}

// Invoke runs the program.
func (a *Agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	if !a.o.Enabled {
		return run.Result{}, permanent("disabled",
			"agents that are programs are disabled; enable them with the setting "+Setting)
	}
	if err := ctx.Err(); err != nil {
		return run.Result{}, err
	}
	given, veil, err := answer.Expand(a.def.Env, a.o.Lookup)
	if err != nil {
		return run.Result{}, permanent(outbound.NoSecret, "variable "+err.Error())
	}
	question, err := answer.Question(w)
	if err != nil {
		return run.Result{}, err
	}
	r, err := program.Program{Argv: a.def.Argv, Env: given, Dir: a.o.Dir, Veil: veil}.Ask(ctx, question)
	return r, answer.Failed(err)
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
