package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
)

// Server is one server, running or not.
type Server struct {
	pool *Pool
	doc  *definition.MCPServer
	key  string // of the document's content

	mu       sync.Mutex
	live     *session
	opening  *attempt
	failures int         // starts and sessions that ended badly since the last successful call
	after    time.Time   // no start before then
	older    bool        // use the older protocol at the next start
	users    int         // calls under way
	idle     func() bool // stops the idle timer; nil: none
	rests    int         // how often that timer was set
	retired  bool
	listing  listing // the last known list, also while it is down
}

// attempt is one start that callers wait for.
type attempt struct {
	done chan struct{}
	err  error
}

// acquire returns the server's session, and starts it if necessary. Callers return it with release.
func (s *Server) acquire(ctx context.Context) (*session, error) {
	for {
		s.mu.Lock()
		if s.retired {
			s.mu.Unlock()
			return nil, s.transient("changed", "was changed or removed in the meantime", 0)
		}
		if live := s.live; live != nil && !live.ended() {
			s.users++
			s.awake()
			s.mu.Unlock()
			return live, nil
		} else if live != nil {
			s.bury(live) // we are a moment ahead of watch
		}
		try := s.opening
		if try == nil {
			if wait := s.after.Sub(s.pool.o.Now()); wait > 0 {
				s.mu.Unlock()
				return nil, s.transient(outbound.Unreachable, "failed several times in a row and is left alone for a while", wait)
			}
			try = &attempt{done: make(chan struct{})}
			s.opening = try
			s.pool.spawn(func() { s.start(try) })
		}
		s.mu.Unlock()
		select {
		case <-try.done:
			if try.err != nil {
				return nil, try.err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("start the server %s: %w", s.doc.Name, ctx.Err())
		}
	}
}

// release returns a session. The last call closes one that is no longer wanted.
func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.closeUnused()
	s.rest()
}

// rest stops an idle program after a while. The caller holds s.mu.
func (s *Server) rest() {
	live := s.live
	if s.users > 0 || s.retired || live == nil || live.child == nil {
		return
	}
	s.awake()
	s.rests++
	this := s.rests
	s.idle = s.pool.o.After(idleFor, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.rests == this && s.users == 0 && s.live == live { // not a timer that was stopped too late
			s.idle = nil
			live.leave()
		}
	})
}

// awake stops the idle timer. The caller holds s.mu.
func (s *Server) awake() {
	if s.idle != nil {
		s.idle()
		s.idle = nil
	}
}

// start opens a session on behalf of all waiting callers: it continues when one of them gives up.
func (s *Server) start(try *attempt) {
	s.mu.Lock()
	older := s.older
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.pool.ctx, startWithin)
	defer cancel()
	live, err := s.connect(ctx, older)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening, try.err = nil, err
	if err != nil {
		if !disabled(err) {
			s.failed()
		}
		// A server that does not support the newest protocol usually reports that. The next attempt uses the
		// older one, for servers that report nothing.
		s.older = !older
	} else {
		s.live = live
		s.pool.spawn(func() { s.watch(live) })
		s.closeUnused()
		s.rest()
	}
	close(try.done)
}

// disabled reports whether programs are switched off. That was no attempt, and callers are always told the reason.
func disabled(err error) bool {
	var f *outbound.Failed
	return errors.As(err, &f) && f.Code == codeDisabled
}

// failed counts failures. The first in a row has no delay, so that the next call can restart a server that
// died.
func (s *Server) failed() {
	s.failures++
	if n := s.failures - 2; n >= 0 {
		s.after = s.pool.o.Now().Add(min(pauseFirst<<min(n, 10), pauseMax))
	}
}

// went records a successful call.
func (s *Server) went() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.after = 0, time.Time{}
}

// watch waits for the end of a session and cleans up.
func (s *Server) watch(live *session) {
	select {
	case <-live.gone:
	case <-live.unwanted:
	case <-s.pool.ctx.Done():
		live.leave()
	}
	s.mu.Lock()
	s.bury(live)
	s.mu.Unlock()
	live.close()
}

// bury drops a session that has ended. An unexpected end counts as a failure, once. The caller holds s.mu.
func (s *Server) bury(live *session) {
	if s.live == live {
		s.live = nil
		s.awake()
		if !live.left() {
			s.failed()
		}
	}
}

// drop ends a session that is no longer usable, such as one the server forgot.
func (s *Server) drop(live *session) {
	live.leave()
	s.mu.Lock()
	s.bury(live)
	s.mu.Unlock()
}

// retire lets calls in progress finish, and rejects new ones.
func (s *Server) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	s.awake()
	s.closeUnused()
}

func (s *Server) isRetired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired
}

func (s *Server) closeUnused() {
	if s.retired && s.users == 0 && s.live != nil {
		s.live.leave()
	}
}

// timeout is how long one answer may take.
func (s *Server) timeout() time.Duration {
	if d := quantity.Or(s.doc.Timeout, answerWithin); d > 0 {
		return d
	}
	return answerWithin
}

// transient is a failure of the server that may be fixed by a retry.
func (s *Server) transient(code, what string, wait time.Duration) error {
	return &outbound.Failed{Failure: run.Failure{
		Code: code, Message: fmt.Sprintf("the server %s %s", s.doc.Name, what), Transient: true,
		RetryAfter: quantity.Duration(wait),
	}}
}

// named prefixes an error with the server's name.
func (s *Server) named(err error) error {
	var f *outbound.Failed
	if errors.As(err, &f) {
		out := *f
		out.Message = fmt.Sprintf("the server %s: %s", s.doc.Name, f.Message)
		return &out
	}
	return fmt.Errorf("the server %s: %w", s.doc.Name, err)
}

// Alive reports whether the server is connected now.
func (s *Server) Alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live != nil && !s.live.ended()
}
