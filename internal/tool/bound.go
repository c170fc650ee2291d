package tool

import (
	"runtime/debug"
	"sync"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// implementation is a document in the form that approvals are bound to.
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

// remoteImplementation is a tool of an MCP server: the server's document, and the server's own description of
// the tool.
func remoteImplementation(server gate.Implementation, t *mcp.Tool) []gate.Implementation {
	return []gate.Implementation{server, {Kind: mcp.ToolKind, Name: server.Name + "/" + t.Name, Digest: t.Digest}}
}

// program is the version of the program that contains the built-in tools.
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

// differs reports whether a call would use something other than what was approved.
func differs(approved, now []gate.Implementation) bool {
	return len(approved) > 0 && !gate.Same(approved, now)
}
