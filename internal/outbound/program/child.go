package program

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/outbound"
)

// Child is a long-running program that communicates through its standard input and output. Close ends all of it.
type Child struct {
	program Program
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *os.File
	logs    *tail
	done    chan struct{} // closed when it has ended
	err     error         // why; valid after done is closed
	once    sync.Once
	stopped atomic.Bool // by us, before it ended
}

// newsWithin is how long after the end of its output a program may take to end.
const newsWithin = 100 * time.Millisecond

// Start starts a long-running program. The error is a *outbound.Failed.
func (p Program) Start() (*Child, error) {
	c := &Child{program: p, logs: &tail{keep: logsMax + p.Veil.Longest()}, done: make(chan struct{})}
	c.cmd = exec.Command(p.Argv[0], p.Argv[1:]...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = p.Dir, environment(p.Env), c.logs
	c.cmd.WaitDelay = grace
	group(c.cmd)
	// The pipe is our own: exec.Cmd closes its pipe when the program ends, even if its last output was not
	// read.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, p.failure(err, "")
	}
	c.out, c.cmd.Stdout = read, write
	c.in, err = c.cmd.StdinPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return nil, p.failure(err, "")
	}
	go c.wait()
	return c, nil
}

// wait waits for the program to end, and kills processes it left behind: they could keep the pipe open forever.
func (c *Child) wait() {
	c.err = c.cmd.Wait()
	kill(c.cmd)
	close(c.done)
}

// Read reads what the program writes.
func (c *Child) Read(p []byte) (int, error) { return c.out.Read(p) }

// Write writes what the program reads.
func (c *Child) Write(p []byte) (int, error) { return c.in.Write(p) }

// Done is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Pid is the id of its process and process group.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Failure explains why the program ended, with the end of its standard error. Restarting may help, so it is
// transient. It is nil while the program runs, and if we stopped it.
func (c *Child) Failure() *outbound.Failed {
	select {
	case <-c.done:
	default:
		return nil
	}
	if c.stopped.Load() {
		return nil
	}
	said := c.program.said(c.logs)
	f := &outbound.Failed{Failure: run.Failure{Code: "exit", Transient: true,
		Body: c.program.Veil.Last(said, outbound.SaidMax, false)}}
	if c.err == nil || errors.Is(c.err, exec.ErrWaitDelay) {
		f.Message = c.program.Argv[0] + " exited"
	} else {
		f.Message = fmt.Sprintf("%s ended: %v", c.program.Argv[0], c.err)
	}
	if line := lastLine(said); line != "" {
		f.Message += ": " + line
	}
	return f
}

// Close asks the program to end by closing its input, then with SIGTERM, then with SIGKILL, and waits until
// nothing of it is left.
func (c *Child) Close() error {
	c.once.Do(func() {
		// A caller that closes because there is nothing more to read may be a moment ahead of the news that the
		// program has ended.
		c.stopped.Store(!c.ended(newsWithin))
		_ = c.in.Close()
		if !c.ended(grace / 2) {
			_ = terminate(c.cmd)
			if !c.ended(grace) {
				kill(c.cmd)
				_ = c.cmd.Process.Kill()
			}
		}
		<-c.done
		_ = c.out.Close()
	})
	return nil
}

func (c *Child) ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
		return false
	}
}
