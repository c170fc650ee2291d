package suggest

import (
	"net/url"
	"path"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Server is an MCP server in force and the state of the connection to it.
type Server struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// How it is reached: the host of its address, or the name of its program.
	Place   string      `json:"place"`
	Program bool        `json:"program"` // It is a program that is started here.
	State   ServerState `json:"state"`   // As of the last time it was asked for its tools.
	Tools   int         `json:"tools"`   // The number of tools in its last list.
	// When it sent its last list; null: never.
	SeenAt *time.Time `json:"seen_at"`
	// Since when it fails; null: it does not.
	FailingSince *time.Time `json:"failing_since"`
	// When it failed last; null: it does not fail.
	FailedAt *time.Time `json:"failed_at"`
	Why      string     `json:"why,omitempty"` // Why it fails.
}

// ServerState is the state of the connection to an MCP server.
type ServerState string

// States of connections.
const (
	ServerConnected ServerState = "connected"
	ServerFailing   ServerState = "failing"
	ServerUnasked   ServerState = "unasked" // nothing needed it yet
)

// ServerStates lists them.
var ServerStates = []ServerState{ServerConnected, ServerFailing, ServerUnasked}

// ServerOf describes a server. Its document may contain secrets in its address, arguments and headers: none is shown.
func ServerOf(s port.ServerState, doc *definition.MCPServer) Server {
	v := Server{Name: s.Name, State: ServerConnected, Tools: s.Tools, SeenAt: view.TimeOrNil(s.SeenAt),
		FailingSince: view.TimeOrNil(s.FailingSince), FailedAt: view.TimeOrNil(s.FailedAt), Why: s.Why}
	switch {
	case !s.FailingSince.IsZero():
		v.State = ServerFailing
	case s.SeenAt.IsZero():
		v.State = ServerUnasked
	}
	if doc == nil {
		return v
	}
	v.Description, v.Program = doc.Description, doc.URL == ""
	if v.Program && len(doc.Command) > 0 {
		v.Place = path.Base(doc.Command[0])
	} else if u, err := url.Parse(doc.URL); err == nil {
		v.Place = u.Host
	}
	return v
}
