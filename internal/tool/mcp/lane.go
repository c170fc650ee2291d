package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Before 2026-07-28 a server asks people with a request during a call, and does not state for which one. With
// one call in progress that is clear; with several, a question waits until it is. A call with answers runs
// alone, so that no other call gets them.

// lane tracks which calls of a session are in progress, and which wait.
type lane struct {
	calls   []*pending // oldest first
	alone   bool       // an exclusive call is in progress
	lonely  int        // exclusive calls that wait
	unclear []*asker   // questions without a known call yet
	moved   chan struct{}
}

// asker is a question that waits for its call.
type asker struct{ call chan *pending }

// enterLane waits until a call may begin.
func (l *session) enterLane(ctx context.Context, p *pending) error {
	alone := l.older && len(p.answers) > 0
	l.mu.Lock()
	if alone {
		l.lonely++
	}
	for !l.free(alone) {
		moved := l.moved
		l.mu.Unlock()
		var err error
		select {
		case <-moved:
		case <-ctx.Done():
			err = fmt.Errorf("wait for other calls of the server %s: %w", l.server.doc.Name, ctx.Err())
		case <-l.unwanted:
			err = l.server.transient("changed", "was stopped in the meantime", 0)
		case <-l.gone:
			err = l.server.transient("broken", "ended in the meantime", 0)
		}
		l.mu.Lock()
		if err != nil {
			if alone {
				l.lonely--
				l.shift()
			}
			l.mu.Unlock()
			return err
		}
	}
	if alone {
		l.lonely--
		l.alone = true
	}
	l.calls = append(l.calls, p)
	l.mu.Unlock()
	return nil
}

// free reports whether a call may begin. The caller holds l.mu.
func (l *session) free(alone bool) bool {
	switch {
	case !l.older:
		return true
	case alone:
		return len(l.calls) == 0
	}
	return !l.alone && l.lonely == 0 && len(l.unclear) == 0
}

// leaveLane ends a call that entered.
func (l *session) leaveLane(p *pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = slices.DeleteFunc(l.calls, func(c *pending) bool { return c == p })
	l.alone = false
	l.shift()
}

// shift reassigns questions to calls, and wakes waiters. The caller holds l.mu.
func (l *session) shift() {
	switch n := len(l.calls); {
	case n <= 1:
		for _, a := range l.unclear {
			if n == 1 {
				a.call <- l.calls[0]
			}
			close(a.call)
		}
		l.unclear = nil
	case len(l.unclear) >= n: // all wait for us: usually the first question belongs to the first call
		for i, a := range l.unclear {
			a.call <- l.calls[min(i, n-1)]
			close(a.call)
		}
		l.unclear = nil
	}
	close(l.moved)
	l.moved = make(chan struct{})
}

// whose finds the call for a question, or nil.
func (l *session) whose(ctx context.Context) *pending {
	a := &asker{call: make(chan *pending, 1)}
	l.mu.Lock()
	l.unclear = append(l.unclear, a)
	l.shift()
	l.mu.Unlock()
	select {
	case p := <-a.call:
		return p
	case <-ctx.Done():
	case <-l.gone:
	case <-l.unwanted:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unclear = slices.DeleteFunc(l.unclear, func(b *asker) bool { return b == a })
	l.shift()
	return nil
}

// elicit answers a server's question with earlier answers. Otherwise the call ends: people answer in hours,
// and the connection may be gone by then.
func (l *session) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	unanswered := &sdk.ElicitResult{Action: "cancel"}
	if req == nil || req.Params == nil {
		return unanswered, nil
	}
	p := l.whose(ctx)
	if p == nil {
		return unanswered, nil
	}
	q := questionOf("", req.Params)
	if said, ok := p.answerTo(q); ok {
		return said, nil
	}
	// The server must learn of the end of the call first, which the library reports in the background: it
	// should not take "cancel" for an answer and continue.
	over := p.over
	var heard <-chan time.Time
	for {
		select {
		case <-over:
			timer := time.NewTimer(heardWithin)
			defer timer.Stop()
			over, heard = nil, timer.C
			continue
		case <-heard:
		case <-ctx.Done():
		case <-l.gone:
		case <-l.unwanted:
		}
		return unanswered, nil
	}
}

// answerTo finds the answer to a question, and consumes it. An unanswered question ends the call.
func (p *pending) answerTo(q question) (*sdk.ElicitResult, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.answers, func(a answered) bool { return a.Match == q.Match }); at >= 0 && p.asked == nil {
		a := p.answers[at]
		p.answers = slices.Delete(p.answers, at, at+1)
		return a.elicited(), true
	}
	if p.asked == nil {
		p.asked = &q
		p.stop()
	}
	return nil, false
}

// wants is the question for which the call was ended, or nil.
func (p *pending) wants() *question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}
