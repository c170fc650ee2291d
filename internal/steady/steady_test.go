package steady_test

import (
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
