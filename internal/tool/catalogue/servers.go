package catalogue

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// ServerStates lists the MCP servers in force, by name. It asks nothing.
func (c *Catalogue) ServerStates() []port.ServerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sync()
	out := []port.ServerState{}
	for _, name := range slices.Sorted(maps.Keys(c.servers)) {
		out = append(out, c.servers[name].state(name))
	}
	return out
}

// CheckServer asks a server for its tools now and waits for the answer. One question at a time is under way: callers
// share it.
func (c *Catalogue) CheckServer(ctx context.Context, name string) (port.ServerState, bool) {
	c.mu.Lock()
	c.sync()
	s := c.servers[name]
	if s == nil {
		c.mu.Unlock()
		return port.ServerState{}, false
	}
	if s.asking == nil {
		s.failed = time.Time{} // a person asks: it is not left alone
		c.ask(name, s)
	}
	asking := s.asking
	c.mu.Unlock()
	if asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.state(name), true
}

func (s *server) state(name string) port.ServerState {
	out := port.ServerState{Name: name, Tools: len(s.tools), FailingSince: s.down, Why: s.why, Asking: s.asking != nil}
	if s.known {
		out.SeenAt = s.at
	}
	if !s.down.IsZero() {
		out.FailedAt = s.failed
	}
	return out
}
