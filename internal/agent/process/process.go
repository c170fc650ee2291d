// Package process has agents that are programs, started once for each piece of
// work:
//
//	agent, err := process.New(definition.Process{Argv: []string{"python3", "triage.py"}},
//		process.Options{Enabled: true, Dir: "/srv/agents", Lookup: secrets})
//
// The program reads the question from its standard input and writes the answer
// to its standard output, both as package answer has them; no shell is in
// between. What it writes to its standard error is kept as logs, the last 64 KiB.
//
// # How it ends
//
//	status 0            the answer counts
//	status 75           transient (EX_TEMPFAIL of sysexits.h)
//	killed by a signal  transient
//	any other status    permanent; the end of its standard error is kept with the failure
//	ctx ends            it is stopped: the error of ctx
//
// A program is stopped together with everything it started (its process group;
// on Windows its tree): first politely, with SIGTERM, after two seconds with
// SIGKILL. Whatever it leaves behind when it ends by itself is killed too.
//
// It sees PATH, HOME and LANG of this process and what its definition gives it,
// and nothing else: our own secrets are in our environment. The program itself is
// found by our PATH, or, if its name has a slash, from Dir.
//
// Programs run with the rights of this process, so they are off unless Enabled.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

const (
	// Setting is what switches command agents on, as errors name it.
	Setting = "allow_commands"

	logsMax  = 64 << 10 // bytes of standard error
	grace    = 2 * time.Second
	tempfail = 75 // EX_TEMPFAIL
)

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
	if len(d.Argv) == 0 || d.Argv[0] == "" {
		return nil, fault.New(fault.Invalid, "a command agent needs a command", "write command: [python3, agent.py]")
	}
	for _, word := range d.Argv {
		if strings.ContainsRune(word, 0) {
			return nil, fault.New(fault.Invalid, "a command cannot have a NUL character", "")
		}
	}
	for name := range d.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, fault.Newf(fault.Invalid, "%q is not the name of an environment variable", name)
		}
	}
	return &Agent{d, o}, nil
}

// Invoke runs the program.
func (a *Agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	if !a.o.Enabled {
		return run.Result{}, permanent("disabled", "command agents are switched off here; the setting "+Setting+" switches them on")
	}
	if err := ctx.Err(); err != nil {
		return run.Result{}, err
	}
	given, veil, err := answer.Expand(a.def.Env, a.o.Lookup)
	if err != nil {
		return run.Result{}, permanent("secret", "variable "+err.Error())
	}
	question, err := answer.Question(w)
	if err != nil {
		return run.Result{}, err
	}
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &bounded{stop: stop}
	logs := &tail{keep: logsMax + veil.Longest()}

	cmd := exec.CommandContext(limited, a.def.Argv[0], a.def.Argv[1:]...)
	cmd.Dir, cmd.Env = a.o.Dir, environment(given)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), out, logs
	err = runGroup(cmd)

	said := veil.Last(logs.String(), logsMax, logs.cut)
	switch {
	case out.over:
		return run.Result{}, answer.OverLimit()
	case err != nil && ctx.Err() != nil:
		return run.Result{}, fmt.Errorf("run %s: %w", a.def.Argv[0], ctx.Err())
	case err != nil:
		return run.Result{}, a.failure(err, veil, said)
	}
	r, err := answer.Decode(out.buf.Bytes(), veil)
	if err != nil {
		return run.Result{}, withLogs(err, said)
	}
	r.Logs = joined(r.Logs, said)
	return r, nil
}

// runGroup runs a command and leaves nothing of it behind.
func runGroup(cmd *exec.Cmd) error {
	group(cmd)
	cmd.Cancel = func() error { return terminate(cmd) }
	// After the grace the program itself is killed and its pipes are closed,
	// also when it ended and something that it started holds them open.
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	kill(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it ended well, with somebody else on its pipes
	}
	return err
}

// environment is the little that a program sees of ours, and what it is given.
func environment(given map[string]string) []string {
	env := map[string]string{}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env[name] = v
		}
	}
	maps.Copy(env, given)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// failure is what the end of a program means.
func (a *Agent) failure(err error, v answer.Veil, said string) error {
	f := run.Failure{Code: "exit", Body: v.Last(said, answer.SaidMax, false)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		f.Message = fmt.Sprintf("%s ended with status %d", a.def.Argv[0], exit.ExitCode())
		f.Transient = exit.ExitCode() == tempfail
	case errors.As(err, &exit):
		f.Code, f.Transient = "signal", true
		f.Message = fmt.Sprintf("%s was ended by a signal: %s", a.def.Argv[0], exit)
	default:
		f.Code, f.Transient = "start", !hopeless(err)
		f.Message = v.Hide(fmt.Sprintf("%s cannot be run: %v", a.def.Argv[0], err))
	}
	if line := lastLine(said); line != "" {
		f.Message += ": " + line
	}
	return &port.Failed{Failure: f}
}

// hopeless tells a program that is not there from a machine that is busy.
func hopeless(err error) bool {
	for _, e := range []error{exec.ErrNotFound, exec.ErrDot, fs.ErrNotExist, fs.ErrPermission, syscall.ENOEXEC, syscall.ENOTDIR, syscall.E2BIG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// withLogs adds what a program said to the failure of its answer.
func withLogs(err error, said string) error {
	var f *port.Failed
	if errors.As(err, &f) && said != "" {
		f.Message += "; its standard error ends " + fmt.Sprintf("%q", lastLine(said))
	}
	return err
}

// lineMax is how much of a last line goes into a sentence.
const lineMax = 200

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
	if len(s) > lineMax {
		s = strings.ToValidUTF8(s[:lineMax], "") + "…"
	}
	return s
}

func joined(a, b string) string {
	if a != "" && b != "" && !strings.HasSuffix(a, "\n") {
		a += "\n"
	}
	return a + b
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
