//go:build unix

package program_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"

	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/program"
)

func TestMain(m *testing.M) { steady.Main(m) }

func start(t *testing.T, line string) *program.Child {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell here")
	}
	c, err := program.Program{Argv: []string{"/bin/sh", "-c", line}, Env: map[string]string{"KEY": "swordfish"},
		Veil: outbound.NewVeil("swordfish")}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChild(t *testing.T) {
	t.Setenv("ASSENT_TOKEN", "ours alone")
	c := start(t, `while read -r line; do echo "$line $KEY $ASSENT_TOKEN"; done`)
	for range 3 {
		if _, err := io.WriteString(c, "hello\n"); err != nil {
			t.Fatal(err)
		}
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "hello swordfish \n" {
		t.Errorf("%q %v", line, err)
	}
	if f := c.Failure(); f != nil {
		t.Errorf("it runs: %+v", f)
	}
	_ = c.Close()
	_ = c.Close()
	if f := c.Failure(); f != nil {
		t.Errorf("we stopped it: %+v", f)
	}
}

// TestLastWords has a program end at once: what it said is still read.
func TestLastWords(t *testing.T) {
	c := start(t, `echo out; echo "no licence for $KEY" >&2; exit 3`)
	<-c.Done()
	if said, err := io.ReadAll(c); string(said) != "out\n" || err != nil {
		t.Errorf("%q %v", said, err)
	}
	f := c.Failure()
	if f == nil || !f.Transient || !strings.Contains(f.Message, "exit status 3: no licence for ***") {
		t.Errorf("%+v", f)
	}
}

func TestStubbornChildren(t *testing.T) {
	c := start(t, `trap "" TERM; (trap "" TERM; sleep 600) & echo ready; sleep 600`)
	if line, _ := bufio.NewReader(c).ReadString('\n'); line != "ready\n" {
		t.Fatal(line)
	}
	closed := make(chan struct{})
	go func() {
		_ = c.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(2 * time.Minute):
		t.Fatal("they live on")
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("its pipe is still open")
	}
}

func TestNoProgram(t *testing.T) {
	_, err := program.Program{Argv: []string{"no-such-program-anywhere"}}.Start()
	if f, ok := err.(*outbound.Failed); !ok || f.Code != "start" || f.Transient {
		t.Errorf("%v", err)
	}
}
