package contract

import (
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
)

// periodParams select what figures are about.
var periodParams = []request.Param{
	since,
	{Name: "until", Doc: "The end: a duration back from now, or a time (default: now)."},
	{Name: "workflow", Doc: "Only this workflow."},
}

func systemOperations() []Operation {
	return []Operation{
		{
			Method: "GET", Path: Base + "/me", ID: "getMe", Tag: "System", Summary: "Show the signed-in user",
			Gives: Me{},
		},
		{
			Method: "GET", Path: Base + "/insights", ID: "getInsights", Tag: "System", Summary: "Show decision metrics",
			Gives:       insight.Insights{},
			Description: "Approvals count by when they were settled, runs by when they started. At most 366 days.",
			Params:      periodParams,
		},
		{
			Method: "GET", Path: Base + "/openapi.json", ID: "getOpenAPI", Tag: "System", Summary: "This document",
			Public: true, Media: "application/json",
		},
		{
			Method: "GET", Path: Base + "/docs", ID: "getDocs", Tag: "System", Summary: "This document as a page",
			Public: true, Media: "text/html",
		},
		{
			Method: "GET", Path: "/healthz", ID: "getHealth", Tag: "System", Summary: "Check that the process is alive",
			Public: true, Gives: Health{},
		},
		{
			Method: "GET", Path: "/readyz", ID: "getReadiness", Tag: "System", Summary: "Check that requests can be served",
			Public: true, Gives: Health{},
			Description: "503 while starting, draining, or without the store.",
		},
		{
			Method: "GET", Path: "/metrics", ID: "getMetrics", Tag: "System", Summary: "Metrics for Prometheus",
			Public: true, Media: "text/plain",
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

// Health is the state of the server.
type Health struct {
	Status  string `json:"status"`  // ok or ready.
	Version string `json:"version"` // Of the program.
}
