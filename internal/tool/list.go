package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// anything is the schema of a tool that does not declare its arguments.
var anything = json.RawMessage(`{"type":"object"}`)

// List resolves the tools that an agent's document names.
func (r *Registry) List(ctx context.Context, names []string) ([]port.ToolInfo, error) {
	listed := r.ask(ctx, names)
	var (
		out     []port.ToolInfo
		missing []error
		seen    = map[string]bool{}
	)
	add := func(i port.ToolInfo) {
		if !seen[i.Name] && len(out) < ListMax {
			seen[i.Name] = true
			out = append(out, i)
		}
	}
	for _, name := range names {
		server, tool, ok := Split(name)
		if !ok {
			if f, ok := r.find(name); ok {
				add(port.ToolInfo{Name: name, Description: f.doc.Description, Args: orAnything(f.doc.Args)})
			} else {
				missing = append(missing, unknown("tool %q not found", name))
			}
			continue
		}
		l := listed[server]
		if l.err != nil {
			missing = append(missing, fmt.Errorf("%s: %w", name, failed(l.err)))
			continue
		}
		any := false
		for _, t := range l.tools {
			if tool == "*" || t.Name == tool {
				any = true
				add(port.ToolInfo{Name: "mcp:" + server + "/" + t.Name, Description: describedAs(t), Args: orAnything(t.Args)})
			}
		}
		if !any && tool != "*" {
			missing = append(missing, unknown("the server %s has no tool %q", server, tool))
		}
	}
	// The first failure is the one that counts: a retry fixes nothing if one of them stays.
	slices.SortStableFunc(missing, func(a, b error) int { return cmp.Compare(passing(a), passing(b)) })
	return out, errors.Join(missing...)
}

// passing is 1 for a failure that a retry may fix.
func passing(err error) int {
	if port.FailureOf(err).Transient {
		return 1
	}
	return 0
}

// listed is a server's list of tools, or why it is unavailable.
type listed struct {
	tools []*mcp.Tool
	err   error
}

// ask queries all servers concurrently, so that delays do not add up.
func (r *Registry) ask(ctx context.Context, names []string) map[string]*listed {
	out := map[string]*listed{}
	var all sync.WaitGroup
	for _, name := range names {
		server, _, ok := Split(name)
		if !ok || out[server] != nil {
			continue
		}
		l := &listed{}
		out[server] = l
		s, _, ok := r.server(server)
		if !ok {
			l.err = unknown("unknown mcp_server %q", server)
			continue
		}
		all.Go(func() { l.tools, l.err = s.Tools(ctx) })
	}
	all.Wait()
	return out
}

// unknown is an error about something that does not exist.
func unknown(format string, args ...any) error { return noTool{fmt.Sprintf(format, args...)} }

type noTool struct{ message string }

func (e noTool) Error() string        { return e.message }
func (e noTool) Is(target error) bool { return target == port.ErrNoTool }

// Split splits mcp:SERVER/TOOL.
func Split(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp:")
	if !ok {
		return "", "", false
	}
	server, tool, _ = strings.Cut(rest, "/")
	return server, tool, true
}

func describedAs(t *mcp.Tool) string {
	if t.Description != "" {
		return t.Description
	}
	return t.Title
}

func orAnything(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return anything
	}
	return schema
}
