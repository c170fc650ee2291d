package llm

import (
	"sync"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// hearWithin is how long the end of a turn waits for a listener that is still busy with the last words.
const hearWithin = time.Second

// ear passes a model's words to a listener. While the listener is busy, words are buffered and delivered
// together afterwards, so that no listener delays a model.
type ear struct {
	tell func(port.Progress)
	s    secrets

	mu     sync.Mutex
	text   []byte
	closed bool

	more chan struct{}
	done chan struct{}
}

func listen(tell func(port.Progress), s secrets) *ear {
	e := &ear{tell: tell, s: s, more: make(chan struct{}, 1), done: make(chan struct{})}
	if tell == nil {
		close(e.done)
		return e
	}
	go e.run()
	return e
}

// hear buffers words and never blocks.
func (e *ear) hear(text string) {
	if e.tell == nil || text == "" {
		return
	}
	e.mu.Lock()
	e.text = append(e.text, text...)
	e.mu.Unlock()
	e.wake()
}

func (e *ear) wake() {
	select {
	case e.more <- struct{}{}:
	default: // it is awake
	}
}

func (e *ear) run() {
	defer close(e.done)
	for range e.more {
		text, closed := e.take()
		if text != "" {
			e.tell(port.Progress{Text: text})
		}
		if closed {
			return
		}
	}
}

// take returns what can be delivered now. A possible prefix of a secret waits for the rest.
func (e *ear) take() (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, held := string(e.text), 0
	if !e.closed {
		held = e.s.doubtful(text)
	}
	cut := len(text) - held
	e.text = append(e.text[:0], text[cut:]...)
	return e.s.speech.Hide(text[:cut]), e.closed
}

// close delivers the rest. After it nothing more is delivered.
func (e *ear) close() {
	if e.tell == nil {
		return
	}
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.wake()
	timer := time.NewTimer(hearWithin)
	defer timer.Stop()
	select {
	case <-e.done:
	case <-timer.C: // the turn is worth more than its last words
		e.mu.Lock()
		e.text = nil
		e.mu.Unlock()
	}
}
