package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// pending is a call under way.
type pending struct {
	token string
	mu    sync.Mutex
	tell  func(port.Progress) // nil when the call is over
	told  time.Time
	asked []*sdk.ElicitParams // what the server wanted to know, surely for this call …
	maybe bool                // … or for another one at the same time
}

// tokens are the same for nobody, so that a late note is no other call's.
var tokens atomic.Uint64

func (l *session) begin(w port.ToolWork, tell func(port.Progress)) *pending {
	p := &pending{token: "assent-" + strconv.FormatUint(tokens.Add(1), 10), tell: tell}
	l.mu.Lock()
	l.calls[p.token] = p
	l.mu.Unlock()
	return p
}

// finish is the end of a call: nothing is told any more.
func (l *session) finish(p *pending) {
	l.mu.Lock()
	delete(l.calls, p.token)
	l.mu.Unlock()
	p.mu.Lock()
	p.tell = nil
	p.mu.Unlock()
}

// progress passes a server's note on to whoever waits for the call.
func (l *session) progress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	if req == nil || req.Params == nil {
		return
	}
	token, _ := req.Params.ProgressToken.(string)
	l.mu.Lock()
	p := l.calls[token]
	l.mu.Unlock()
	if p == nil {
		return
	}
	note := port.Progress{Text: l.veil.Hide(clip(req.Params.Message, toldMax))}
	if share := 100 * req.Params.Progress / req.Params.Total; req.Params.Total > 0 && share >= 0 {
		note.Percent = int(min(share, 100))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := l.server.pool.o.Now()
	if p.tell == nil || now.Sub(p.told) < toldEvery && note.Percent < 100 { // a flood of notes helps nobody
		return
	}
	p.told = now
	p.tell(note)
}

// askedMax is how many questions of one call are kept.
const askedMax = 10

// elicit takes note of a question. Nobody can answer it here and now: people
// answer in hours, and the connection is gone by then. So the server is told
// that nobody wanted to, and whoever made the call is told the question.
func (l *session) elicit(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if req != nil && req.Params != nil {
		l.mu.Lock()
		several := len(l.calls) > 1
		for _, p := range l.calls {
			p.mu.Lock()
			if len(p.asked) < askedMax {
				p.asked, p.maybe = append(p.asked, req.Params), p.maybe || several
			}
			p.mu.Unlock()
		}
		l.mu.Unlock()
	}
	return &sdk.ElicitResult{Action: "cancel"}, nil
}

// wanted is the result of a call that needs an answer from people first, or nil.
// A question that came while several calls were under way counts for those that
// did not come to anything.
func (l *session) wanted(p *pending, res *sdk.CallToolResult) *run.CallResult {
	if res.NeedsInput() || len(res.InputRequests) > 0 {
		var asked []*sdk.ElicitParams
		for _, r := range res.InputRequests {
			if q, ok := r.(*sdk.ElicitParams); ok {
				asked = append(asked, q)
			}
		}
		out := l.ask(asked)
		return &out
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) == 0 || p.maybe && !res.IsError {
		return nil
	}
	out := l.ask(p.asked)
	return &out
}

// ask tells a model what a server wants to know.
func (l *session) ask(questions []*sdk.ElicitParams) run.CallResult {
	var b strings.Builder
	fmt.Fprintf(&b, "input_required: the server %s needs an answer from a person before it can do this.", l.server.doc.Name)
	for _, q := range questions {
		if q == nil {
			continue
		}
		fmt.Fprintf(&b, " It asks: %q.", clip(q.Message, 1000))
		if q.URL != "" {
			fmt.Fprintf(&b, " A person has to open %s.", clip(q.URL, 1000))
		}
		if schema, err := value.Marshal(q.RequestedSchema); err == nil && q.RequestedSchema != nil && len(schema) <= errorMax/2 {
			fmt.Fprintf(&b, " The answer has the form %s.", json.RawMessage(schema))
		}
	}
	b.WriteString(" Ask with ask_human, then call the tool again with the answer in its arguments, or do without it.")
	return run.CallResult{Error: l.veil.Hide(clip(b.String(), errorMax))}
}
