package cli

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is the real binary, built once for a test.
func program(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	if testing.Short() {
		t.Skip("builds the program")
	}
	path := filepath.Join(t.TempDir(), "assent")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/assent").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

const slow = `workflow: slow
steps: [{ id: only, agent: sleeper }]
---
agent: sleeper
kind: scripted
answers: [{ delay: DELAY, output: { ok: true } }]
`

// served is a server in its own process.
type served struct {
	*testing.T
	program, dir string
	cmd          *exec.Cmd
	address      string
	stderr       strings.Builder
}

// startServer starts the program on a directory with a slow workflow.
func startServer(t *testing.T, program, dir, delay string) *served {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "slow.yaml"),
		[]byte(strings.ReplaceAll(slow, "DELAY", delay)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &served{T: t, program: program, dir: dir}
	s.cmd = exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--load", "slow.yaml")
	s.cmd.Dir, s.cmd.Stderr, s.cmd.Env = dir, &s.stderr, clean()
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // if it still runs
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "assent: ready on ")
	if err != nil || !ok {
		t.Fatalf("%q %v\n%s", line, err, s.stderr.String())
	}
	s.address = address
	go io.Copy(io.Discard, out) //nolint:errcheck // it ends with the process
	return s
}

// clean is an environment without settings of the person running the tests.
func clean() []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ASSENT_") {
			out = append(out, v)
		}
	}
	return out
}

// run runs another command on the same store.
func (s *served) run(args ...string) string {
	s.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir, cmd.Env = s.dir, clean()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("assent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *served) until(what string, done func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("%s: not after %s", what, patience)
		}
	}
}

// begin starts a run and waits until its agent works.
func (s *served) begin() {
	s.Helper()
	id := strings.TrimSpace(s.run("run", "slow"))
	s.until("the agent works", func() bool { return strings.Contains(s.run("events", id), "only       started") })
}

func (s *served) signal(sig syscall.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
}

// wait returns the exit code.
func (s *served) wait() int {
	s.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		var e *exec.ExitError
		if err != nil && !errors.As(err, &e) {
			s.Fatal(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.Fatal("it does not end")
	}
	return -1
}

func (s *served) refuses() bool {
	resp, err := http.Get(s.address + "/readyz")
	if err != nil {
		return true
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusServiceUnavailable
}

func TestSignals(t *testing.T) {
	t.Parallel()
	program := program(t)

	t.Run("the first lets agents finish", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, program, t.TempDir(), "1500ms")
		s.begin()
		s.signal(syscall.SIGTERM)
		if code := s.wait(); code != 0 {
			t.Errorf("it exits with %d\n%s", code, s.stderr.String())
		}
		if runs := s.run("runs"); !strings.Contains(runs, "completed") {
			t.Errorf("the agent was not let finish:\n%s", runs)
		}
	})

	t.Run("the second ends at once", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, program, t.TempDir(), "1h")
		s.begin()
		s.signal(syscall.SIGTERM)
		s.until("it drains", s.refuses)
		stop := time.AfterFunc(2*sameSignal, func() { s.signal(syscall.SIGTERM) })
		defer stop.Stop()
		if code := s.wait(); code != exitFailed {
			t.Errorf("it exits with %d", code)
		}
	})

	t.Run("a killed server leaves no trace that matters", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, program, t.TempDir(), "300ms")
		s.begin()
		s.signal(syscall.SIGKILL)
		s.wait()
		if _, err := os.Stat(filepath.Join(s.dir, ".assent", "server.json")); err != nil {
			t.Errorf("the mark should still be there: %v", err)
		}
		again := startServer(t, program, s.dir, "300ms")
		again.until("the run is taken up", func() bool { return strings.Contains(again.run("runs"), "completed") })
		again.signal(syscall.SIGTERM)
		if code := again.wait(); code != 0 {
			t.Errorf("it exits with %d", code)
		}
	})
}
