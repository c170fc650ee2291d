package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/program"
)

const (
	// olderProtocol is the last one that began with initialize.
	olderProtocol = "2025-11-25"
	// asksInResults is the first one in which servers ask people in a result, and send no requests of their
	// own.
	asksInResults = "2026-07-28"
)

// session is one connection to a running server.
type session struct {
	server   *Server
	sdk      *sdk.ClientSession
	child    *program.Child // nil over HTTP
	host     string         // over HTTP
	veil     outbound.Veil
	gone     chan struct{} // closed when the connection has ended
	unwanted chan struct{} // closed when it is to end
	once     sync.Once

	older bool // its protocol lets servers ask during calls
	began time.Time

	mu      sync.Mutex
	changes int           // of the list of tools
	renewed chan struct{} // closed at the next change
	lane
}

// connect starts the program or connects to the address, and completes the handshake.
func (s *Server) connect(ctx context.Context, older bool) (*session, error) {
	live := &session{server: s, gone: make(chan struct{}), unwanted: make(chan struct{}),
		renewed: make(chan struct{}), older: true}
	live.lane.moved = make(chan struct{})
	transport, err := live.transport()
	if err != nil {
		return nil, s.named(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "assent", Version: "1"}, &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler), // it would quote what servers send
		Capabilities:                abilities(),
		ElicitationHandler:          live.elicit,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { live.changed() },
		ProgressNotificationHandler: live.progress,
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true},
	})
	client.AddReceivingMiddleware(unharmed)
	var options sdk.ClientSessionOptions
	if older {
		options.ProtocolVersion = olderProtocol
	}
	seen := &exchange{}
	err = guarded(func() error {
		var err error
		live.sdk, err = client.Connect(context.WithValue(ctx, exchangeKey{}, seen), transport, &options)
		return err
	})
	if err != nil {
		return nil, live.unconnected(ctx, err, seen)
	}
	if r := live.sdk.InitializeResult(); r != nil {
		live.mu.Lock()
		live.older = r.ProtocolVersion < asksInResults
		live.mu.Unlock()
	}
	live.began = s.pool.o.Now()
	s.pool.spawn(func() {
		_ = live.sdk.Wait()
		close(live.gone)
	})
	return live, nil
}

// abilities are the capabilities we offer: people who answer and who open an address, and no roots.
func abilities() *sdk.ClientCapabilities {
	return &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
		Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
	}}
}

// transport is the transport to the server. Secrets are resolved at each start.
func (l *session) transport() (sdk.Transport, error) {
	doc, o := l.server.doc, &l.server.pool.o
	if doc.URL != "" {
		return l.overHTTP()
	}
	if !o.Commands {
		return nil, outbound.Permanent(codeDisabled,
			"MCP servers that are programs are disabled; enable them with the setting "+Setting)
	}
	if err := program.Check(doc.Command, slices.Collect(maps.Keys(doc.Env))); err != nil {
		return nil, outbound.Permanent("invalid_command", err.Error())
	}
	env, veil, err := outbound.Expand(doc.Env, o.Lookup)
	if err != nil {
		return nil, outbound.Permanent(outbound.NoSecret, "variable "+err.Error())
	}
	l.veil = veil
	l.child, err = program.Program{Argv: doc.Command, Env: env, Dir: o.Dir, Veil: veil}.Start()
	if err != nil {
		return nil, err
	}
	return &sdk.IOTransport{Reader: l.child, Writer: l.child, MaxLineLength: messageMax}, nil
}

func (l *session) overHTTP() (sdk.Transport, error) {
	doc, o := l.server.doc, &l.server.pool.o
	u, ok := outbound.ParseURL(doc.URL)
	if !ok {
		return nil, outbound.Permanent("invalid_request", "its url is not an http or https address")
	}
	for name := range doc.Headers {
		if err := outbound.CheckHeader(name); err != nil {
			return nil, outbound.Permanent("invalid_request", err.Error())
		}
	}
	var secret []string
	if password, ok := u.User.Password(); ok {
		secret = append(secret, password)
	}
	headers, veil, err := outbound.Expand(doc.Headers, o.Lookup, secret...)
	if err != nil {
		return nil, outbound.Permanent(outbound.NoSecret, "header "+err.Error())
	}
	l.host, l.veil = u.Host, veil
	fixed := http.Header{}
	if err := outbound.SetHeaders(fixed, headers); err != nil {
		return nil, err
	}
	return &sdk.StreamableClientTransport{
		Endpoint:     doc.URL,
		HTTPClient:   &http.Client{Transport: &roundTripper{o.Client.Transport(), fixed, o.Now}, CheckRedirect: redirect},
		MaxRetries:   2,
		MaxEventSize: messageMax,
	}, nil
}

// unconnected explains why a handshake failed. Everything started is cleaned up.
func (l *session) unconnected(ctx context.Context, err error, seen *exchange) error {
	if l.child != nil {
		ended := l.child.Failure()
		_ = l.child.Close()
		switch {
		case ended != nil:
			return l.server.named(ended)
		case ctx.Err() == nil:
			return l.server.transient("handshake", "does not speak MCP: "+l.veil.Said(err.Error(), false), 0)
		}
	}
	if ctx.Err() != nil {
		return l.server.transient("timeout", "did not start in time", 0)
	}
	if f := seen.failure(ctx, l); f != nil {
		return l.server.named(f)
	}
	return l.server.transient("handshake", "does not speak MCP: "+l.veil.Said(err.Error(), false), 0)
}

// ended reports whether the connection, or its program, is gone.
func (l *session) ended() bool {
	var program <-chan struct{}
	if l.child != nil {
		program = l.child.Done()
	}
	select {
	case <-l.gone:
	case <-program:
	default:
		return l.left()
	}
	return true
}

// left reports whether we ended it.
func (l *session) left() bool {
	select {
	case <-l.unwanted:
		return true
	default:
		return false
	}
}

// leave requests the end of the session; watch ends it.
func (l *session) leave() { l.once.Do(func() { close(l.unwanted) }) }

// close closes the connection and stops its program.
func (l *session) close() {
	l.leave()
	if l.child != nil {
		_ = l.child.Close() // first, or a write to a program that does not read would block the rest
	}
	_ = guarded(l.sdk.Close)
}

// do runs an operation that has to end with ctx or with the session. A program that stopped reading blocks
// writers beyond every deadline: it is then stopped.
func (l *session) do(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- guarded(func() error { return f(ctx) }) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-l.unwanted:
		cancel()
	}
	timer := time.NewTimer(stuckAfter)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	l.server.drop(l)
	return <-done
}

// guarded turns a panic into an error: the library parses untrusted input.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("what came cannot be read: %v", p)
		}
	}()
	return f()
}

// unharmed does the same for servers' requests.
func unharmed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (r sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				r, err = nil, errors.New("the request cannot be read")
			}
		}()
		return next(ctx, method, req)
	}
}

// changed records that the list of tools has changed.
func (l *session) changed() {
	l.mu.Lock()
	l.changes++
	close(l.renewed)
	l.renewed = make(chan struct{})
	l.mu.Unlock()
	if told := l.server.pool.o.Changed; told != nil && !l.server.isRetired() {
		told(l.server.doc.Name)
	}
}
