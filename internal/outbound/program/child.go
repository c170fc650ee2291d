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

// Child is a program that stays, and is spoken to through its standard input and
// output. Everything of it ends with Stop.
type Child struct {
	program Program
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *os.File
	logs    *tail
	done    chan struct{} // closed when it has ended
	err     error         // why, behind done
	once    sync.Once
	stopped atomic.Bool // by us, before it ended
}

// newsWithin is how long after the end of its output the end of a program may come.
const newsWithin = 100 * time.Millisecond

// Start starts a program that stays. The error is a *outbound.Failed.
func (p Program) Start() (*Child, error) {
	c := &Child{program: p, logs: &tail{keep: logsMax + p.Veil.Longest()}, done: make(chan struct{})}
	c.cmd = exec.Command(p.Argv[0], p.Argv[1:]...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = p.Dir, environment(p.Env), c.logs
	c.cmd.WaitDelay = grace
	group(c.cmd)
	// The pipe is our own: that of exec.Cmd is closed when the program ends,
	// whether its last words were read or not.
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

// wait waits for the program's end, and ends what it left behind: that could
// hold the pipe open for ever.
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

// Pid is the number of its process, and of its group.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Failure is why the program ended, with the end of its standard error. Starting
// it again may help, so it is transient. It is nil while the program runs, and
// when it was stopped by us.
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
		f.Message = c.program.Argv[0] + " ended by itself"
	} else {
		f.Message = fmt.Sprintf("%s ended: %v", c.program.Argv[0], c.err)
	}
	if line := lastLine(said); line != "" {
		f.Message += ": " + line
	}
	return f
}

// Close asks the program to end by closing its input, then with SIGTERM, then
// with SIGKILL, and waits until nothing of it is left.
func (c *Child) Close() error {
	c.once.Do(func() {
		// Who closes because nothing can be read any more may be a moment ahead
		// of the news that the program has ended.
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
