package temporal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// serverVariable names the program of temporal/devserver. With it, these tests have to run; see make temporal.
const serverVariable = "ASSENT_TEMPORAL_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		os.Exit(beWorker())
	}
	code := pgtest.Main(m)
	stopServer()
	os.Exit(code)
}

// devserver is the Temporal server that all tests share.
var devserver struct {
	sync.Once
	cmd     *exec.Cmd
	alive   io.Closer // the server stops when it is closed, also if this process is killed
	address string
	err     error
}

// temporalServer returns the address of a real Temporal server, started once.
func temporalServer(t testing.TB) string {
	t.Helper()
	program := os.Getenv(serverVariable)
	if program == "" {
		t.Skipf("no Temporal server: run make temporal, which builds one and sets %s", serverVariable)
	}
	d := &devserver
	d.Do(func() {
		d.cmd = exec.Command(program)
		d.cmd.Stderr = os.Stderr
		in, err1 := d.cmd.StdinPipe()
		out, err2 := d.cmd.StdoutPipe()
		if d.err = errors.Join(err1, err2); d.err != nil {
			return
		}
		if d.err = d.cmd.Start(); d.err != nil {
			return
		}
		d.alive = in
		ready := make(chan string, 1)
		go func() {
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				line = ""
			}
			ready <- line
		}()
		select {
		case line := <-ready:
			address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
			if d.address = address; !ok {
				d.err = fmt.Errorf("the Temporal server said %q", line)
			}
		case <-time.After(2 * time.Minute):
			d.err = errors.New("the Temporal server does not start")
		}
	})
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d.address
}

func stopServer() {
	if devserver.alive != nil {
		_ = devserver.alive.Close()
		_ = devserver.cmd.Wait()
	}
}
