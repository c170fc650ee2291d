// Package tool finds, describes and runs the tools that agents may call: built-in tools, services, programs,
// and the tools of MCP servers.
//
//	tools := tool.New(tool.Options{Documents: inForce, Workspace: dir, PutBlob: put, Lookup: secrets})
//	defer tools.Close()
//	infos, err := tools.List(ctx, []string{"web_fetch", "crm_lookup", "mcp:files/*"})
//	call.Spec = tools.Spec(ctx, call)             // before approval
//	result, err := tools.Call(ctx, work, tell)    // after approval
//
// The documents in force are read at each call, so that a change applies from the next one on. A built-in
// tool needs no document; one of kind builtin with its name overrides its risk, description and cost. One
// with another name and builtin: NAME is a separate tool that works like it.
//
// Arguments are validated against the schema before anything runs, and problems are reported to the model,
// path by path. Answers over 64 KiB are stored as blobs, and the model gets a preview:
//
//	{"$blob": "sha256:…", "size": 1048576, "preview": "…"}
package tool

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/builtin"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// Limits, each tested at and over.
const (
	ArgsMax    = 4 << 20  // bytes of arguments
	ToldMax    = 64 << 10 // bytes of an answer that a model sees in full
	PreviewMax = 4 << 10  // bytes of the preview of others
	ErrorMax   = 8 << 10  // bytes of a tool's error
	LogsMax    = 64 << 10 // bytes of a tool's logs
	ListMax    = 10_000   // tools of one agent

	callWithin = 5 * time.Minute // unless the document says otherwise
)

// Options define which tools there are and what they may do.
type Options struct {
	// Documents are those in force, with the number and digest of each version. Callers do not modify them.
	Documents func() (tools map[string]*definition.Tool, servers map[string]*definition.MCPServer,
		version func(definition.Kind, string) (int, string))
	// Workspace is the parent of the runs' directories; empty: no files.
	Workspace string
	// Files are an agent's files for workspaces, by path; nil: none.
	Files func(agent string) map[string]string
	// PutBlob stores long answers and binary content; nil: only previews are kept.
	PutBlob func(ctx context.Context, r io.Reader) (id string, size int64, err error)
	// Lookup resolves secrets; nil: there are none.
	Lookup func(definition.Reference) (string, error)

	// ServerChanged is told that an MCP server announced a change of its tools, and ServerListed which tools it
	// has, whenever its list was read. Both may be nil.
	ServerChanged func(server string)
	ServerListed  func(server string, tools []port.Callable)

	AllowLoopback bool   // tools may reach this machine
	AllowPrivate  bool   // tools may reach private networks
	AllowCommands bool   // tools and MCP servers may be programs
	Dir           string // where programs run; empty: in the working directory

	RootCAs *x509.CertPool // trusted certificates; nil: those of the system
	Now     func() time.Time
}

// Registry contains all tools.
type Registry struct {
	o        Options
	client   *outbound.Client
	builtins *builtin.Set
	servers  *mcp.Pool
}

var _ port.Tools = (*Registry)(nil)

// New creates a registry. It starts nothing and opens nothing.
func New(o Options) *Registry {
	if o.Documents == nil {
		o.Documents = func() (map[string]*definition.Tool, map[string]*definition.MCPServer,
			func(definition.Kind, string) (int, string)) {
			return nil, nil, nil
		}
	}
	client := outbound.New(outbound.Options{AllowLoopback: o.AllowLoopback, AllowPrivate: o.AllowPrivate,
		RootCAs: o.RootCAs, Now: o.Now})
	r := &Registry{o: o, client: client, builtins: builtin.New(builtin.Options{Client: client,
		Workspace: o.Workspace, Files: o.Files})}
	pool := mcp.Options{Client: client, Commands: o.AllowCommands, Dir: o.Dir, Lookup: o.Lookup, Now: o.Now,
		Changed: o.ServerChanged}
	if o.ServerListed != nil {
		pool.Listed = func(server string, tools []*mcp.Tool) { o.ServerListed(server, remoteCallables(server, tools)) }
	}
	if o.PutBlob != nil {
		pool.Keep = r.keep
	}
	r.servers = mcp.New(pool)
	return r
}

// Close stops all MCP servers, with their calls in progress.
func (r *Registry) Close() {
	r.servers.Close()
	r.client.Close()
}

// Builtin lists the documents of the built-in tools, for validation and for lists.
func Builtin() []*definition.Tool {
	set := builtin.New(builtin.Options{})
	var out []*definition.Tool
	for _, name := range set.Names() {
		t, _ := set.Get(name)
		doc := t.Tool
		out = append(out, &doc)
	}
	return out
}

// found is a tool with a name of its own, as opposed to one of an MCP server.
type found struct {
	doc     *definition.Tool
	builtin *builtin.Tool     // if it is one …
	said    *definition.Tool  // … and its overrides in a document
	schemas []json.RawMessage // that arguments must match
	// implementation is what a call would use.
	implementation []gate.Implementation
}

// find looks up a name: among the documents first, then among the built-in tools. Tools that the core
// implements cannot be replaced.
func (r *Registry) find(name string) (found, bool) {
	tools, _, version := r.o.Documents()
	f, ok := r.findIn(tools, name)
	if !ok {
		return f, false
	}
	if doc := tools[name]; doc != nil && (f.builtin == nil || f.said != nil) {
		f.implementation = append(f.implementation, implementation(definition.KindTool, name, doc, version))
	}
	if f.builtin != nil && f.builtin.Run != nil {
		f.implementation = append(f.implementation,
			gate.Implementation{Kind: "builtin", Name: f.builtin.Name, Digest: program()})
	}
	return f, true
}

func (r *Registry) findIn(tools map[string]*definition.Tool, name string) (found, bool) {
	doc := tools[name]
	if doc != nil && doc.Kind == definition.ToolBuiltin && doc.Builtin != "" && doc.Builtin != name {
		return r.likeBuiltin(doc)
	}
	own, isOwn := r.builtins.Get(name)
	switch {
	case doc == nil && !isOwn:
		return found{}, false
	case !isOwn && doc.Kind == definition.ToolBuiltin:
		return found{}, false // of a later version, or misspelt
	case !isOwn || doc != nil && doc.Kind != definition.ToolBuiltin && own.Run != nil:
		return found{doc: doc, schemas: []json.RawMessage{doc.Args}}, true
	case doc == nil || doc.Kind != definition.ToolBuiltin:
		return found{doc: &own.Tool, builtin: own, schemas: []json.RawMessage{own.Args}}, true
	}
	merged := own.Tool
	override(&merged, doc)
	return found{doc: &merged, builtin: own, said: doc, schemas: []json.RawMessage{own.Args, doc.Args}}, true
}

// likeBuiltin is a tool that works like a built-in one under its own name. Its risk does not follow from the
// other's class: reading a file is safe, a paid service that is read in the same way is not.
func (r *Registry) likeBuiltin(doc *definition.Tool) (found, bool) {
	own, ok := r.builtins.Get(doc.Builtin)
	if _, taken := r.builtins.Get(doc.Name); !ok || taken || own.Run == nil {
		return found{}, false
	}
	merged := own.Tool
	merged.Name, merged.Risk = doc.Name, ""
	override(&merged, doc)
	return found{doc: &merged, builtin: own, said: doc, schemas: []json.RawMessage{own.Args, doc.Args}}, true
}

// override applies a document's overrides to a built-in tool.
func override(into, doc *definition.Tool) {
	set := func(to *string, from string) {
		if from != "" {
			*to = from
		}
	}
	set(&into.Description, doc.Description)
	set(&into.Operation, doc.Operation)
	set(&into.Describe, doc.Describe)
	set(&into.IfDenied, doc.IfDenied)
	set(&into.Effects, doc.Effects)
	set(&into.ReversibleBy, doc.ReversibleBy)
	if doc.Risk != "" {
		into.Risk = doc.Risk
	}
	for _, s := range []struct{ to, from *json.RawMessage }{{&into.Args, &doc.Args}, {&into.Output, &doc.Output},
		{&into.Sample, &doc.Sample}} {
		if len(*s.from) > 0 {
			*s.to = *s.from
		}
	}
	if doc.CostUSD > 0 {
		into.CostUSD = doc.CostUSD
	}
	if doc.Timeout != nil {
		into.Timeout = doc.Timeout
	}
}

// server finds the MCP server by name, and stops those without a document.
func (r *Registry) server(name string) (*mcp.Server, gate.Implementation, bool) {
	_, servers, version := r.o.Documents()
	r.servers.Retain(servers)
	doc := servers[name]
	if doc == nil {
		return nil, gate.Implementation{}, false
	}
	return r.servers.Use(doc), implementation(definition.KindMCPServer, name, doc, version), true
}

// Names lists all tools except those of MCP servers, sorted.
func (r *Registry) Names() []string {
	tools, _, _ := r.o.Documents()
	names := append(r.builtins.Names(), slices.Collect(maps.Keys(tools))...)
	slices.Sort(names)
	return slices.Compact(names)
}
