package steady_test

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assent-run/assent/internal/steady"
)

// A goroutine that needs longer than goleak waits is not a leak.
func TestSlowGoroutinesAreNotLeaks(t *testing.T) {
	others := goleak.IgnoreCurrent()
	looked := make(chan struct{})
	go func() {
		<-looked
		time.Sleep(time.Millisecond)
	}()
	if goleak.Find(others) == nil {
		t.Error("the goroutine is not detected")
	}
	close(looked)
	steady.NoLeaks(t, others)
	if code := steady.Checked(3); code != 3 {
		t.Errorf("failed tests exit with %d", code)
	}
	if code := steady.Checked(0, others); code != 0 {
		t.Errorf("it exits with %d", code)
	}
}

// Waiting takes no CPU time, working does.
func TestCPU(t *testing.T) {
	begun := steady.CPU()
	for steady.CPU() == begun { //nolint:revive // it is the work
	}
	if steady.CPU() <= begun {
		t.Error("the time does not pass")
	}
}

// A port is free, and none that the system hands out.
func TestPort(t *testing.T) {
	for range 100 {
		port := steady.Port(t)
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		if n := l.Addr().(*net.TCPAddr).Port; n < 1024 || n >= 32_768 {
			t.Errorf("port %d may be given to any connection", n)
		}
		defer l.Close()
	}
}
