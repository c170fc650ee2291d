// Package mcp provides the tools of MCP servers, over stdio and streamable HTTP:
//
//	pool := mcp.New(mcp.Options{Client: client, Commands: true, Lookup: secrets})
//	defer pool.Close()
//	server := pool.Use(doc)                     // nothing is started yet
//	tools, err := server.Tools(ctx)             // now it is
//	result, err := server.Call(ctx, "read_file", work, tell)
//
// A server is started on first use, and restarted by the next call after it died; one that keeps dying is
// restarted with backoff. A changed document is a new server: calls in progress finish on the old one. A
// program that was idle for ten minutes is stopped, and started again when it is needed.
//
// # Results
//
//	text, structured content, resources    the output
//	images, audio, binary resources        references to blobs in the output
//	isError, an error of the protocol      the tool's own error, reported to the model
//	the server wants input from people     a question: the next attempt includes the answer
//	no answer in time, server died         transient, unless the tool says that it
//	                                       destroys and that twice is not once
//
// Servers are not trusted: everything they send is limited, and a panic while parsing it is a failure.
package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
)

// Limits, each tested at and over.
const (
	ToolsMax      = 10_000   // tools of one server
	pagesMax      = 1000     // of a list
	listedMax     = 32 << 20 // bytes of all schemas and descriptions
	schemaMax     = 64 << 10 // bytes of one schema
	describedMax  = 8 << 10  // bytes of one description
	nameMax       = 200      // bytes of a name
	messageMax    = 16 << 20 // bytes of one message
	errorMax      = 8 << 10  // bytes of an error reported to a model
	toldMax       = 500      // bytes of one progress note
	toldEvery     = 50 * time.Millisecond
	listedFor     = 5 * time.Minute // how long a list is valid without a change notification
	startWithin   = time.Minute
	answerWithin  = 2 * time.Minute // unless the document says otherwise
	stuckAfter    = 2 * time.Second // grace period of a cancelled call
	newsWithin    = 100 * time.Millisecond
	pauseFirst    = time.Second // before the third start in a row …
	pauseMax      = time.Minute // … and at most
	streamsWithin = 10 * time.Second
	heardWithin   = 250 * time.Millisecond // wait for the end of a call
	addsWithin    = 2 * time.Second        // a server that was just started may add tools
	busyTries     = 4                      // retry delay of an overloaded server …
	busyPause     = 250 * time.Millisecond
	idleFor       = 10 * time.Minute // then a program is stopped until it is needed
)

// Setting is the name of the setting that enables servers that are programs, for errors.
const Setting = "allow_commands"

// codeDisabled is the code of calls to such servers while the setting is off.
const codeDisabled = "disabled"

// Options define how servers are reached.
type Options struct {
	Client   *outbound.Client                           // for servers with a url
	Commands bool                                       // the setting allow_commands
	Dir      string                                     // where programs run; empty: in the working directory
	Lookup   func(definition.Reference) (string, error) // resolves secrets; nil: there are none
	// Keep stores bytes and returns a reference to them. Nil: they are dropped.
	Keep func(ctx context.Context, content []byte) (json.RawMessage, error)
	// Changed is told that a server announced a change of its tools, and Listed which tools it has, whenever its
	// list was read. Both may be nil.
	Changed func(server string)
	Listed  func(server string, tools []*Tool)
	Now     func() time.Time
	// After runs f after a delay, unless it is stopped before.
	After func(d time.Duration, f func()) (stop func() bool)
}

// Pool manages the servers in use.
type Pool struct {
	o       Options
	ctx     context.Context // ends with the pool
	cancel  context.CancelFunc
	work    sync.WaitGroup // goroutines
	mu      sync.Mutex
	servers map[string]*Server // by name
	closed  bool
}

// New creates a pool. It starts nothing.
func New(o Options) *Pool {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	p := &Pool{o: o, servers: map[string]*Server{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// DigestOf tells documents apart: another digest is another server.
func DigestOf(doc *definition.MCPServer) string { return value.Digest(doc.JSONWithSecrets()) }

// Use returns the server for a document. Another document with the same name replaces the previous one.
func (p *Pool) Use(doc *definition.MCPServer) *Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.servers[doc.Name]
	if old != nil && old.doc == doc {
		return old
	}
	key := DigestOf(doc)
	if old != nil && old.key == key {
		return old
	}
	s := &Server{pool: p, doc: doc, key: key, retired: p.closed}
	if !p.closed {
		p.servers[doc.Name] = s
	}
	if old != nil {
		old.retire()
	}
	return s
}

// Retain stops the servers that no longer have a document.
func (p *Pool) Retain(docs map[string]*definition.MCPServer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, s := range p.servers {
		if _, ok := docs[name]; !ok {
			delete(p.servers, name)
			s.retire()
		}
	}
}

// Close stops all servers, with their calls in progress, and waits until they have ended.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for name, s := range p.servers {
		delete(p.servers, name)
		s.retire()
	}
	p.mu.Unlock()
	p.cancel()
	p.work.Wait()
}

// spawn runs f in the background until the pool is closed.
func (p *Pool) spawn(f func()) {
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		f()
	}()
}
