package api

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/docs"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
)

func systemOperations() []operation {
	return []operation{
		{
			method: "GET", path: base + "/me", id: "getMe", tag: "System", summary: "Show the signed-in user",
			gives: Me{}, do: (*Server).me,
		},
		{
			method: "GET", path: base + "/insights", id: "getInsights", tag: "System", summary: "Show decision metrics",
			gives:       insight.Insights{},
			description: "Approvals count by when they were settled, runs by when they started. At most 366 days.",
			params: []request.Param{
				since,
				{Name: "until", Doc: "The end: a duration back from now, or a time (default: now)."},
				{Name: "workflow", Doc: "Only this workflow."},
			},
			do: (*Server).insights,
		},
		{
			method: "GET", path: base + "/openapi.json", id: "getOpenAPI", tag: "System", summary: "This document",
			public: true, media: "application/json",
			flow: func(_ *Server, _ *call, w http.ResponseWriter) error {
				w.Header().Set("Content-Type", "application/json")
				_, err := w.Write(docs.OpenAPI)
				return err
			},
		},
		{
			method: "GET", path: base + "/docs", id: "getDocs", tag: "System", summary: "This document as a page",
			public: true, media: "text/html",
			flow: func(s *Server, _ *call, w http.ResponseWriter) error { s.docs(w); return nil },
		},
		{
			method: "GET", path: "/healthz", id: "getHealth", tag: "System", summary: "Check that the process is alive",
			public: true, gives: Health{},
			do: func(s *Server, _ *call) (reply, error) { return reply{body: Health{"ok", s.o.Version}}, nil },
		},
		{
			method: "GET", path: "/readyz", id: "getReadiness", tag: "System", summary: "Check that requests can be served",
			public: true, gives: Health{},
			description: "503 while starting, draining, or without the store.", do: (*Server).ready,
		},
		{
			method: "GET", path: "/metrics", id: "getMetrics", tag: "System", summary: "Metrics for Prometheus",
			public: true, media: "text/plain",
			flow: func(s *Server, c *call, w http.ResponseWriter) error { s.metrics.Page.ServeHTTP(w, c.r); return nil },
		},
	}
}

// Me is the caller.
type Me struct {
	Name string `json:"name"`
	// Your current name at the identity provider; omitted if it is the same.
	Label string        `json:"label,omitempty"`
	Kind  run.ActorKind `json:"kind"`
	Roles []string      `json:"roles"`
	// Your permissions on at least one workflow; aliases are spelled out.
	Permissions []string `json:"permissions"`
	// True if sign-in is not enabled.
	Local bool `json:"local"`
	// How you are authenticated.
	Method port.SignInMethod `json:"way"`
	// When your session or token expires; null if never.
	ExpiresAt *time.Time `json:"expires_at"`
}

func (s *Server) me(c *call) (reply, error) {
	return reply{body: s.meOf(c.how)}, nil
}

func (s *Server) meOf(who port.Identity) Me {
	return Me{Name: who.Name, Label: who.Label, Kind: who.Kind, Roles: append([]string{}, who.Roles...),
		Permissions: s.app.Permissions(asWho(who)), Local: s.local(), Method: who.Method, ExpiresAt: orNull(who.ExpiresAt)}
}

// insightsMost is how far back figures go.
const insightsMost = 366 * 24 * time.Hour

func (s *Server) insights(c *call) (reply, error) {
	from, err := s.moment("since", c.query.Text("since"), "30d")
	if err != nil {
		return reply{}, err
	}
	if now := s.app.Now(); from.After(now) || now.Sub(from) > insightsMost {
		return reply{}, problem.Invalid("since", "expected a time in the past, at most 366 days ago")
	}
	var until time.Time
	if text := c.query.Text("until"); text != "" {
		if until, err = s.moment("until", text, ""); err != nil {
			return reply{}, err
		}
	}
	v, err := s.app.Insights(c, c.who, from, until, c.query.Text("workflow"))
	return reply{body: v}, err
}

// Health is the state of the server.
type Health struct {
	Status  string `json:"status"`  // ok or ready.
	Version string `json:"version"` // Of the program.
}

func (s *Server) ready(c *call) (reply, error) {
	if s.drained.Load() {
		return reply{}, errDraining
	}
	if err := s.app.Ready(c); err != nil {
		return reply{}, err
	}
	return reply{body: Health{"ready", s.o.Version}}, nil
}
