// Package mcpserver lets MCP clients start runs and answer approvals. A call returns in one shot: with the output of
// the run, or with the pending decisions.
//
//	m := mcpserver.New(app, mcpserver.Options{Version: "1.0"})
//	m.Serve(w, r, mcpserver.Caller{Who: who, …})
//
// The caller of Serve has authenticated the client and limited its requests. Every tool is a use case of app, which
// authorises it. No state is kept between two requests, so any process can handle the next one.
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

// Options configure a server.
type Options struct {
	Version string // of the program
	Log     *slog.Logger
}

// Caller is one request of an authenticated client.
type Caller struct {
	context.Context // ends when the client disconnects

	Who app.Who
	// Stopping is done when the server is about to stop: waiting requests then return.
	Stopping context.Context
	// Base is the public address of the server; empty: unknown.
	Base string
	// Turn waits for the caller's turn to do something slow, or anything at all if they send too many requests. Give
	// may be called more than once.
	Turn func(slow bool) (give func(), err error)
	// Problem converts an error for clients.
	Problem func(error) json.RawMessage
}

// Server answers MCP requests. It is safe for concurrent use.
type Server struct {
	app  *app.App
	log  *slog.Logger
	http *sdk.StreamableHTTPHandler
}

// instructions describe the server to a model.
const instructions = `Assent runs workflows of agents and stops them where people have to decide.
Start a workflow with start_run. The result has a status: completed comes with the output; needs_human comes with the question, the approvers and the link to decide.
Then tell your user, do not decide in their place, and call get_run later: it has the output as soon as people have decided.`

// New creates a server for an app that has been started.
func New(a *app.App, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{app: a, log: o.Log}
	server := sdk.NewServer(&sdk.Implementation{Name: "assent", Title: "Assent", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		// The list of tools depends on the caller.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	server.AddReceivingMiddleware(s.receive)
	s.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		// The caller of Serve has checked addresses and sizes: it knows about sign-in and proxies.
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
	return s
}

type callerKey struct{}

// Serve handles one request.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, c Caller) {
	s.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, &c)))
}

// receive handles requests about tools; the library handles the rest of the protocol.
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
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "a tool is required"}
			}
			return s.called(&call{Caller: c, app: s.app}, p)
		case "subscriptions/listen":
			// Notifications are never sent; a client would wait forever.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "subscriptions are not supported"}
		}
		return next(ctx, method, req)
	}
}

// protocolError reports an error outside a tool call.
func protocolError(problem json.RawMessage) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: words(problem), Data: problem}
}

// called runs a tool. A refusal is its result; only an unknown tool is a protocol error.
func (s *Server) called(c *call, p *sdk.CallToolParamsRaw) (res *sdk.CallToolResult, err error) {
	t, ok := find(p.Name)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("tool %q not found; see tools/list", p.Name)}
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
