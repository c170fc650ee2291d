// Package cli is the command line. Every command talks to a server through its API; if none is running, it
// opens the store and serves it to itself.
//
//	os.Exit(cli.Run(ctx, cli.System(build), os.Args[1:]))
//
// # A server or the store
//
// A command that needs data is built by one of the methods in session.go, which add the flags of a connection and
// pass the command a session: a client of the API. The session finds the server at --addr, or the one that has the
// data directory open (its address is in server.json); otherwise it opens the store with package host and serves the
// API in memory. The need of a command says whether agents work in the meantime and whether the store may be created.
//
// # Adding a command
//
// Write a function such as inboxCommand that returns a cobra.Command with Use, Short, GroupID, Args and an Example,
// and add it to commands in commands.go. Calls of the API are methods of package client, output is formatted by
// package show, and everything that a command reads from outside comes from Env. Add a script to testdata/script and
// a row to the table in docs/cli.md.
//
// # Exit codes
//
// A command returns an error; exitCode maps it to one of the codes in errors.go, which docs/cli.md lists. A failure
// carries its own code, an error of the API or of package fault gets one by its status or code, and usage reports a
// wrong command line.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Env is everything external that a command may use, in addition to files.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Build          Build
	Now            func() time.Time
	// Whether each stream is a terminal.
	InTerminal, OutTerminal, ErrTerminal bool
	// ReadPassword reads a line from the terminal without echo; nil: not supported.
	ReadPassword func() ([]byte, error)
	// Remote connects to Temporal; nil: this program has no Temporal engine.
	Remote RemoteFunc
	// Columns of the terminal; 0 if there is none.
	Columns func() int
}

// System is the real environment.
func System(b Build) *Env {
	return &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Build: b.complete(), Now: time.Now,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		ReadPassword: func() ([]byte, error) { return term.ReadPassword(int(os.Stdin.Fd())) },
		Columns: func() int {
			width, _, err := term.GetSize(int(os.Stdout.Fd()))
			if err != nil {
				return 0
			}
			return width
		},
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Main is the program. The first signal requests a graceful shutdown, the second an immediate exit.
func Main(b Build) { MainWith(b, nil) }

// MainWith is the program with the Temporal engine.
func MainWith(b Build, remote RemoteFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		first := time.Now()
		cancel()
		for range signals {
			if time.Since(first) > sameSignal {
				os.Exit(exitFailed)
			}
		}
	}()
	lipgloss.EnableLegacyWindowsANSI(os.Stdout)
	env := System(b)
	env.Remote = remote
	os.Exit(Run(ctx, env, os.Args[1:]))
}

// sameSignal is the interval within which signals count as one: make and timeout signal both the process and
// its group.
const sameSignal = 100 * time.Millisecond

// Run runs one command line and returns the exit code.
func Run(ctx context.Context, env *Env, args []string) int {
	t := &tool{Env: env}
	root := t.root()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		t.explain(err)
	}
	return exitCode(err)
}

// tool is one invocation of the program.
type tool struct {
	*Env
	json, plain bool           // from the command line
	access      *pflag.FlagSet // see accessFlags
}

// screen is the theme for stdout.
func (t *tool) screen() show.Theme {
	if t.plain || !t.OutTerminal || t.Getenv("NO_COLOR") != "" || t.Getenv("TERM") == "dumb" {
		return show.Plain()
	}
	return show.Coloured()
}

// width is that of the terminal; 0 if nothing has to be truncated.
func (t *tool) width() int {
	if !t.OutTerminal {
		return 0
	}
	return t.Columns()
}

// pageWidth is the width for texts: that of the terminal, or else a readable one.
func (t *tool) pageWidth() int {
	if w := t.width(); w > 0 {
		return w
	}
	return 100
}

// interactive reports whether there is a user to prompt.
func (t *tool) interactive() bool {
	return t.InTerminal && t.OutTerminal && !t.plain && !t.json && t.Getenv("TERM") != "dumb"
}

// remember stores the global flags.
func (t *tool) remember(cmd *cobra.Command) {
	for name, to := range map[string]*bool{"json": &t.json, "plain": &t.plain} {
		if f := cmd.Flags().Lookup(name); f != nil {
			*to = f.Value.String() == "true"
		}
	}
}
