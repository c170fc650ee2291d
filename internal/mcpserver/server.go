// Package mcpserver lets programs that speak MCP start runs and answer approvals.
// A call is answered in one shot: with the output of the run, or with what people
// have to decide first.
//
//	m := mcpserver.New(app, mcpserver.Options{Version: "1.0"})
//	m.Serve(w, r, mcpserver.Caller{Who: who, …})
//
// Whoever serves it has found out who asks, bounded what they send and let them
// in. Every tool is a use case of app, which decides what they may do. No state is
// kept between two requests, so any process may answer the next one.
package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/assent-run/assent/internal/app"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say how to serve.
type Options struct {
	Version string // of the program
	Log     *slog.Logger
}

// Caller is one request of somebody who was let in.
type Caller struct {
	context.Context // it ends when nobody waits for the answer any more

	Who app.Who
	// Stopping is done when the server is about to stop: then nobody waits for
	// anything any more.
	Stopping context.Context
	// Base is where browsers find the server; empty: nowhere.
	Base string
	// Turn waits until it is the caller's turn to do something slow, or something
	// at all if they ask too much. Give may be called more than once.
	Turn func(slow bool) (give func(), err error)
	// Problem is what a client is told about an error.
	Problem func(error) json.RawMessage
}

// Server answers in MCP. Any number of goroutines may use it.
type Server struct {
	app  *app.App
	log  *slog.Logger
	http *sdk.StreamableHTTPHandler
}

// instructions tell a model what this is.
const instructions = `Assent runs workflows of agents and stops them where people have to decide.
Start a workflow with start_run. The answer has a status: completed comes with the output; needs_human comes with what is asked, of whom and the link where they decide.
Then tell your user, do not decide in their place, and call get_run later: it has the output as soon as people have decided.`

// New makes a server of an app that has been started.
func New(a *app.App, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{app: a, log: o.Log}
	server := sdk.NewServer(&sdk.Implementation{Name: "assent", Title: "Assent", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		// What there is to do depends on who asks.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	server.AddReceivingMiddleware(s.receive)
	s.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		// Whoever serves us has looked at addresses and sizes: only they know
		// where people have to sign in, and of proxies.
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
	return s
}

type callerKey struct{}

// Serve answers one request.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, c Caller) {
	s.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, &c)))
}

// receive answers what is about tools; the rest is the protocol's.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		c, ok := ctx.Value(callerKey{}).(*Caller)
		if !ok {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request has no valid credentials"}
		}
		switch method {
		case "tools/list":
			tools, err := (&call{Caller: c, app: s.app}).tools()
			if err != nil {
				return nil, protocolError(c.Problem(err))
			}
			return &sdk.ListToolsResult{Tools: tools, Cacheable: sdk.Cacheable{CacheScope: "private"}}, nil
		case "tools/call":
			p, ok := req.GetParams().(*sdk.CallToolParamsRaw)
			if !ok {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "say which tool to call"}
			}
			return s.called(&call{Caller: c, app: s.app}, p)
		case "subscriptions/listen":
			// Nothing is ever told; a client would wait for ever.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there is nothing to subscribe to"}
		}
		return next(ctx, method, req)
	}
}

// protocolError tells about an error where there is no tool to tell it for.
func protocolError(problem json.RawMessage) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: words(problem), Data: problem}
}

// called runs a tool. What it was refused is its answer; only a tool that does
// not exist is an error of the protocol.
func (s *Server) called(c *call, p *sdk.CallToolParamsRaw) (res *sdk.CallToolResult, err error) {
	t, ok := find(p.Name)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("there is no tool %q; tools/list has them all", p.Name)}
	}
	// A tool runs in a goroutine of the library, where a panic would end the server.
	defer func() {
		if crash := recover(); crash != nil {
			s.log.Error("a tool crashed", "tool", t.Name, "panic", crash, "stack", string(debug.Stack()))
			res, err = refused(c.Problem(fmt.Errorf("panic in %s", t.Name))), nil
		}
	}()
	answer, failed := c.perform(t, p.Arguments)
	if failed != nil {
		return refused(c.Problem(failed)), nil
	}
	return told(answer)
}
