package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/process"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// The test binary is also the program that is run: with such an argument, it follows the behaviour in a file,
// or holds a connection to an address.
const (
	asBehaviour = "-as-behaviour"
	asParent    = "-as-parent"
	asStubborn  = "-as-stubborn"
	asLeaver    = "-as-leaver"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case asBehaviour:
			os.Exit(behave(os.Args[2]))
		case asParent, asLeaver:
			os.Exit(parent(os.Args[1], os.Args[2]))
		case asStubborn:
			stubborn(os.Args[2])
		}
	}
	os.Exit(m.Run())
}

func behave(file string) int {
	raw, err := os.ReadFile(file)
	var b agenttest.Behaviour
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	question, err := io.ReadAll(os.Stdin)
	switch {
	case err != nil:
		return 1
	case b.Hang:
		for {
			time.Sleep(time.Hour)
		}
	case b.Fail != "":
		fmt.Fprintln(os.Stderr, b.Fail)
		if b.Transient {
			return 75
		}
		return 3
	}
	_, _ = os.Stdout.Write(b.Answer(question))
	return 0
}

// parent starts a stubborn child that shares its pipes, and waits for it or, as a leaver, answers and exits.
func parent(kind, address string) int {
	cmd := exec.Command(os.Args[0], asStubborn, address)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1
	}
	if kind == asParent {
		_ = cmd.Wait()
		return 0
	}
	fmt.Print(`{"output":"gone"}`)
	return 0
}

// stubborn connects, ignores SIGTERM and stays until it is killed, or the test is over.
func stubborn(address string) {
	signal.Ignore(syscall.SIGTERM)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(1)
	}
	_, _ = conn.Write([]byte("!"))
	_, _ = io.Copy(io.Discard, conn)
	os.Exit(0)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func program(t *testing.T, o process.Options, env map[string]definition.Secret, argv ...string) *process.Agent {
	t.Helper()
	o.Enabled = true
	a, err := process.New(definition.Process{Argv: argv, Env: env}, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// script is a shell script as a program.
func script(t *testing.T, o process.Options, env map[string]definition.Secret, lines ...string) *process.Agent {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no shell here")
		}
		t.Skip("there is no shell here")
	}
	file := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return program(t, o, env, sh, file)
}

func invoke(t *testing.T, a port.Agent) (run.Result, run.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := a.Invoke(ctx, agenttest.Work(), func(port.Progress) {})
	if err == nil {
		return r, run.Failure{}
	}
	var f *port.Failed
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	return r, f.Failure
}
