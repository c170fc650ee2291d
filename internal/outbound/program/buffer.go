package program

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/assent-run/assent/internal/outbound"
)

var errOver = errors.New("the output is too long")

// bounded keeps an answer, and stops the program when it is too long. The buffer is not embedded: its ReadFrom
// would be used, and has no limit.
type bounded struct {
	buf  bytes.Buffer
	over bool
	stop context.CancelCauseFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > outbound.BodyMax {
		b.over = true
		b.buf.Reset()
		b.stop(errOver)
		return 0, errOver
	}
	return b.buf.Write(p)
}

// tail keeps the end of what is written to it. It can be read concurrently.
type tail struct {
	mu   sync.Mutex
	b    []byte
	keep int
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > 2*t.keep { // so that moving stays cheap
		t.trim()
	}
	return len(p), nil
}

func (t *tail) trim() {
	if over := len(t.b) - t.keep; over > 0 {
		t.cut = true
		t.b = append(t.b[:0], t.b[over:]...)
	}
}

// said returns the kept text, and whether earlier text was dropped.
func (t *tail) said() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	return string(t.b), t.cut
}
