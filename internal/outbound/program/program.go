// Package program runs local programs, without a shell, and leaves nothing of them behind:
//
//	result, err := program.Program{Argv: []string{"python3", "triage.py"}}.Ask(ctx, question)
//
// Ask starts a program for one question: it reads the question from standard input and writes the answer to
// standard output, in the format of package reply. The last 64 KiB of its standard error are kept as logs.
//
//	status 0            success
//	status 75           transient (EX_TEMPFAIL of sysexits.h)
//	killed by a signal  transient
//	any other status    permanent; the end of its standard error is kept with the failure
//	ctx ends            it is stopped: the error of ctx
//
// Start starts a long-running program, such as a server.
//
// A program is stopped together with everything it started (its process group; on Windows its tree): first with
// SIGTERM, after two seconds with SIGKILL. Processes left behind when it ends on its own are killed as well.
//
// It receives PATH, HOME and LANG of this process and its configured variables, and nothing else: our own secrets
// are in our environment. The program is found through our PATH, or, if its name contains a slash, from Dir.
package program

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

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/reply"
)

const (
	logsMax  = 64 << 10 // bytes of standard error
	grace    = 2 * time.Second
	tempfail = 75 // EX_TEMPFAIL
)

// Program is what to run.
type Program struct {
	Argv []string
	Env  map[string]string
	Dir  string        // working directory; empty: that of this process
	Veil outbound.Veil // masks the secrets in Env
}

// Check explains why a command cannot be run at all.
func Check(argv, env []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return fault.New(fault.Invalid, "the command is missing", "write command: [python3, agent.py]")
	}
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			return fault.New(fault.Invalid, "a command cannot have a NUL character", "")
		}
	}
	for _, name := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fault.Newf(fault.Invalid, "%q is not a valid name of an environment variable", name)
		}
	}
	return nil
}

// Ask runs the program for one question. Errors are a *outbound.Failed or the error of ctx.
func (p Program) Ask(ctx context.Context, question []byte) (run.Result, error) {
	if err := ctx.Err(); err != nil {
		return run.Result{}, err
	}
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &bounded{stop: stop}
	logs := &tail{keep: logsMax + p.Veil.Longest()}

	cmd := exec.CommandContext(limited, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, environment(p.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), out, logs
	err := runGroup(cmd)

	said := p.said(logs)
	switch {
	case out.over:
		return run.Result{}, outbound.OverLimit()
	case err != nil && ctx.Err() != nil:
		return run.Result{}, fmt.Errorf("run %s: %w", p.Argv[0], ctx.Err())
	case err != nil:
		return run.Result{}, p.failure(err, said)
	}
	r, err := reply.Decode(out.buf.Bytes(), p.Veil)
	if err != nil {
		return run.Result{}, withLogs(err, said)
	}
	r.Logs = joined(r.Logs, said)
	return r, nil
}

func (p Program) said(logs *tail) string {
	text, cut := logs.said()
	return p.Veil.Last(text, logsMax, cut)
}

// runGroup runs a command and leaves nothing of it behind.
func runGroup(cmd *exec.Cmd) error {
	group(cmd)
	cmd.Cancel = func() error { return terminate(cmd) }
	// After the grace period the program is killed and its pipes are closed, also if it has ended and a
	// process it started keeps them open.
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	kill(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it ended normally; a child kept its pipes open
	}
	return err
}

// environment is the part of our environment that a program receives, and its configured variables.
func environment(given map[string]string) []string {
	env := map[string]string{}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env[name] = v
		}
	}
	maps.Copy(env, given)
	out := []string{} // nil would pass on all of ours
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// failure interprets the end of a program.
func (p Program) failure(err error, said string) error {
	f := run.Failure{Code: "exit", Body: p.Veil.Last(said, outbound.SaidMax, false)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		f.Message = fmt.Sprintf("%s ended with status %d", p.Argv[0], exit.ExitCode())
		f.Transient = exit.ExitCode() == tempfail
	case errors.As(err, &exit):
		f.Code, f.Transient = "signal", true
		f.Message = fmt.Sprintf("%s was killed by a signal: %s", p.Argv[0], exit)
	default:
		f.Code, f.Transient = "start", !hopeless(err)
		f.Message = p.Veil.Hide(fmt.Sprintf("%s cannot be run: %v", p.Argv[0], err))
	}
	if line := lastLine(said); line != "" {
		f.Message += ": " + line
	}
	return &outbound.Failed{Failure: f}
}

// hopeless tells a missing program from a busy machine.
func hopeless(err error) bool {
	for _, e := range []error{exec.ErrNotFound, exec.ErrDot, fs.ErrNotExist, fs.ErrPermission, syscall.ENOEXEC,
		syscall.ENOTDIR, syscall.E2BIG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// withLogs adds the program's standard error to the failure.
func withLogs(err error, said string) error {
	var f *outbound.Failed
	if errors.As(err, &f) && said != "" {
		f.Message += "; its standard error ends " + fmt.Sprintf("%q", lastLine(said))
	}
	return err
}

// lineMax is how much of the last line is quoted in a sentence.
const lineMax = 200

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return phrase.ClipValid(strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]), lineMax)
}

func joined(a, b string) string {
	if a != "" && b != "" && !strings.HasSuffix(a, "\n") {
		a += "\n"
	}
	return a + b
}
