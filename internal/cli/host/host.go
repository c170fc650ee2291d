// Package host opens a store with everything on it and serves its API: on a
// TCP port for everybody on this machine, or in memory for one command.
//
//	h, err := host.Open(ctx, host.Options{Config: assembly.Config{Data: "./.assent"}})
//	h.Start()                        // agents work from now on
//	go h.Serve(listener)
//	defer h.Close(ctx)               // drains until ctx ends
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/assent-run/assent/internal/api"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/mcpserver"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/web"
)

// Options say what to open.
type Options struct {
	assembly.Config
	Version string
	// Token lets whoever knows it ask for backups, checks and files to be
	// loaded; empty: nobody.
	Token string
	// Reread reads the encryption keys that the settings name now; nil: they
	// cannot be read again.
	Reread func() ([]seal.Key, error)
	// PublicURL is where browsers find the server, and Proxies are those
	// before it. They matter where people sign in.
	PublicURL *url.URL
	Proxies   []netip.Prefix
	// RateLimit is how many requests a second one identity may send; 0: as many
	// as they like. Nil: as usual where people sign in, and no limit elsewhere.
	RateLimit *int
}

// limits of what one identity may take.
func (o *Options) limits() traffic.Limits {
	l := traffic.DefaultLimits()
	switch {
	case o.RateLimit == nil && !o.Local:
		return l
	case o.RateLimit == nil || *o.RateLimit == 0:
		return traffic.Limits{}
	}
	l.Rate = *o.RateLimit
	return l
}

// Host is an open store with everything on it.
type Host struct {
	App    *app.App
	Access port.Access // accounts and tokens

	parts *assembly.Server
	api   *api.Server
	http  *http.Server
}

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = time.Minute
	headersMax    = 64 << 10
)

// Open opens the store. Nothing moves until Start, nobody is served until Serve.
func Open(ctx context.Context, o Options) (*Host, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// Whoever can reach this machine alone may let agents reach it, too.
	o.Local = !o.SignIn.Password && o.SignIn.OIDC == nil
	parts, err := assembly.Open(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	h := &Host{App: parts.App, Access: parts.Auth, parts: parts}
	mcp := mcpserver.New(parts.App, mcpserver.Options{Version: o.Version, Log: o.Log})
	h.api = api.New(parts.App, api.Options{
		Auth: parts.Auth, Access: parts.Auth, Console: o.Token, PublicURL: o.PublicURL, Proxies: o.Proxies,
		Version: o.Version, Log: o.Log, Web: web.Handler(), Limits: o.limits(),
		MCP: func(w http.ResponseWriter, r *http.Request, g api.Guest) { mcp.Serve(w, r, mcpserver.Caller(g)) },
	})
	h.http = &http.Server{
		Handler:           withAdmin(h.api, h, &o),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headersMax,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		// Answers of many parts and streams of events give themselves more time
		// as they go.
		WriteTimeout: writeTimeout,
	}
	return h, nil
}

// Start sets the engine going.
func (h *Host) Start() { h.parts.Start() }

// Serve answers requests until Close.
func (h *Host) Serve(l net.Listener) error {
	if err := h.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// closing is how long the store may take to close after the drain was cut short.
const closing = 5 * time.Second

// Close drains: nothing new starts, what is under way may finish until ctx
// ends. Then everything is closed. Cut reports whether work had to be left,
// to be taken up at the next start.
func (h *Host) Close(ctx context.Context) (cut bool, err error) {
	h.api.Drain()
	if err := h.http.Shutdown(ctx); err != nil {
		cut = true
		_ = h.http.Close() // whoever is still connected had their time
	}
	if err := h.parts.Drain(ctx); err != nil {
		cut = true
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	err = h.parts.Close(last)
	if errors.Is(err, context.DeadlineExceeded) {
		return true, nil
	}
	return cut, err
}
