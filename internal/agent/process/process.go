// Package process has agents that are programs, started once for each piece of
// work:
//
//	agent, err := process.New(definition.Process{Argv: []string{"python3", "triage.py"}},
//		process.Options{Enabled: true, Dir: "/srv/agents", Lookup: secrets})
//
// How it is asked, what its end means, what it sees of our environment and how it
// is stopped is the business of package program. No shell is in between.
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

// Setting is what switches command agents on, as errors name it.
const Setting = "allow_commands"

// Options say how programs are run.
type Options struct {
	Enabled bool          // the setting allow_commands
	Dir     string        // where they run; empty: where this process does
	Lookup  answer.Lookup // finds secrets; nil: there are none
}

// Agent is one program.
type Agent struct {
	def definition.Process
	o   Options
}

var _ port.Agent = (*Agent)(nil)

// New makes an agent of a program. It may not be Enabled: then each piece of
// work fails with a sentence that says so.
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
			"command agents are switched off here; the setting "+Setting+" switches them on")
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
