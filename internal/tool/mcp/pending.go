package mcp

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/port"
)

// pending is a call in progress.
type pending struct {
	token string
	mu    sync.Mutex
	tell  func(port.Progress) // nil when the call is over
	told  time.Time

	stop    func()        // ends the call, because people have to be asked
	over    chan struct{} // closed when the call is over
	answers []answered    // earlier answers, each valid for one question
	asked   *question     // the server's current question
}

// tokens are unique, so that a late note is not attributed to another call.
var tokens atomic.Uint64

func (l *session) begin(w port.ToolWork, had carried, stop func(), tell func(port.Progress)) *pending {
	return &pending{
		token: "assent-" + strconv.FormatUint(tokens.Add(1), 10), tell: tell, stop: stop, over: make(chan struct{}),
		answers: had.answers(w.Answer),
	}
}

// finish ends a call: nothing is reported after it.
func (l *session) finish(p *pending) {
	l.leaveLane(p)
	p.mu.Lock()
	p.tell = nil
	p.mu.Unlock()
	close(p.over)
}

// progress forwards a server's note to the caller.
func (l *session) progress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	if req == nil || req.Params == nil {
		return
	}
	token, _ := req.Params.ProgressToken.(string)
	l.mu.Lock()
	var p *pending
	if at := slices.IndexFunc(l.calls, func(c *pending) bool { return c.token == token }); at >= 0 {
		p = l.calls[at]
	}
	l.mu.Unlock()
	if p == nil {
		return
	}
	note := port.Progress{Text: l.veil.Hide(phrase.ClipValid(req.Params.Message, toldMax))}
	if share := 100 * req.Params.Progress / req.Params.Total; req.Params.Total > 0 && share >= 0 {
		note.Percent = int(min(share, 100))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := l.server.pool.o.Now()
	if p.tell == nil || now.Sub(p.told) < toldEvery && note.Percent < 100 { // notes are rate limited
		return
	}
	p.told = now
	p.tell(note)
}
