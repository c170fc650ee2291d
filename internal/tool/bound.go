package tool

import (
	"runtime/debug"
	"sync"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// implementation is a document as approvals are bound to it.
func implementation(kind definition.Kind, name string, doc definition.Document,
	version func(definition.Kind, string) (int, string)) gate.Implementation {
	out := gate.Implementation{Kind: string(kind), Name: name}
	if version != nil {
		out.Version, out.Digest = version(kind, name)
	}
	if out.Digest == "" {
		out.Digest = value.Digest(doc.JSONWithSecrets())
	}
	return out
}

// remoteImplementation is a tool of an MCP server: the server's document, and what
// the server says about the tool.
func remoteImplementation(server gate.Implementation, t *mcp.Tool) []gate.Implementation {
	return []gate.Implementation{server, {Kind: mcp.ToolKind, Name: server.Name + "/" + t.Name, Digest: t.Digest}}
}

// program is the version of what the built-in tools come with.
var program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			version += " " + s.Value
		}
	}
	return version
})

// differs reports whether a call would use something else than was approved.
func differs(approved, now []gate.Implementation) bool {
	return len(approved) > 0 && !gate.Same(approved, now)
}
