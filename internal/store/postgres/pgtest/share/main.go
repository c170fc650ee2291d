//go:build unix

// Command share runs a command with one PostgreSQL server for all test binaries that the command runs:
//
//	go run ./internal/store/postgres/pgtest/share go test ./...
//
// Without PostgreSQL, it runs the command anyway: tests that need it are skipped, or fail on CI.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: share COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	os.Exit(share(exec.Command(os.Args[1], os.Args[2:]...)))
}

func share(cmd *exec.Cmd) (code int) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, os.Environ()
	// Ctrl-C reaches the command as well: it ends first, and the server after it.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	env, err := pgtest.Share()
	defer func() {
		if err := pgtest.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "share: stop PostgreSQL:", err)
			code = max(code, 1)
		}
	}()
	if err == nil {
		cmd.Env = append(cmd.Env, env)
	} else {
		fmt.Fprintln(os.Stderr, "share: no PostgreSQL:", err)
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		return 1
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may have ended already
		}
	}()
	var exit *exec.ExitError
	switch err := cmd.Wait(); {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	default:
		fmt.Fprintln(os.Stderr, "share:", err)
		return 1
	}
}
