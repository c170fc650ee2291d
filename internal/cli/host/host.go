// Package host opens a store with all services and serves its API: on a TCP port, or in memory for one
// command.
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
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/mcpserver"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/web"
)

// Options define what to open.
type Options struct {
	assembly.Config
	Version string
	// Token permits backups, checks and loading files; empty: not available.
	Token string
	// Reread reads the current encryption keys from the settings; nil: not supported.
	Reread func() ([]seal.Key, error)
	// Settings are those that the server was started with, and SettingsFile is where some of them were read from.
	Settings     []contract.Setting
	SettingsFile string
	// PublicURL is the server's public address, and Proxies are the proxies in front of it. They matter for
	// sign-in.
	PublicURL *url.URL
	Proxies   []netip.Prefix
	// RateLimit is how many requests per second one identity may send; 0: no limit. Nil: the default with
	// sign-in, and no limit otherwise.
	RateLimit *int
}

// limits per identity.
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

// Host is an open store with all services.
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

// Open opens the store. Nothing runs until Start, and nothing is served until Serve.
func Open(ctx context.Context, o Options) (*Host, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// If only this machine can reach the server, agents may reach this machine as well.
	o.Local = !o.SignIn.Password && o.SignIn.OIDC == nil
	if o.PublicURL != nil {
		o.Config.PublicURL = o.PublicURL.String()
	}
	parts, err := assembly.Open(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	o.Log = parts.Log
	h := &Host{App: parts.App, Access: parts.Auth, parts: parts}
	mcp := mcpserver.New(parts.App, mcpserver.Options{Version: o.Version, Log: o.Log})
	h.api = api.New(parts.App, api.Options{
		Auth: parts.Auth, Access: parts.Auth, Push: parts.Push, Outbox: parts.Outbox, Chat: parts.Chat,
		Console: o.Token, PublicURL: o.PublicURL, Proxies: o.Proxies,
		Settings: o.Settings, SettingsFile: o.SettingsFile,
		Version: o.Version, Log: o.Log, Metrics: parts.Metrics, Web: web.Handler(), Limits: o.limits(),
		MCP: func(w http.ResponseWriter, r *http.Request, g api.Guest) { mcp.Serve(w, r, mcpserver.Caller(g)) },
	})
	h.http = &http.Server{
		Handler:           withAdmin(h.api, h, &o),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headersMax,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		// Multi-part responses and event streams extend their deadline as they go.
		WriteTimeout: writeTimeout,
	}
	return h, nil
}

// Start starts the engine.
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

// abandoned is how long after the drain a store that does not respond is left as it is.
const abandoned = 3 * closing

// Close drains: nothing new starts, and work in progress may finish until ctx ends. Then everything is
// closed. Cut reports whether work was interrupted, to be resumed at the next start. A database that does not
// respond does not keep the process: what was acknowledged is stored there.
func (h *Host) Close(ctx context.Context) (cut bool, err error) {
	type outcome struct {
		cut bool
		err error
	}
	closed := make(chan outcome, 1)
	go func() {
		cut, err := h.close(ctx)
		closed <- outcome{cut, err}
	}()
	select {
	case o := <-closed:
		return o.cut, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-closed:
		return o.cut, o.err
	case <-time.After(abandoned):
		return true, errors.New("the store does not respond, so it was not closed; acknowledged writes are stored")
	}
}

func (h *Host) close(ctx context.Context) (cut bool, err error) {
	h.api.Drain()
	if err := h.http.Shutdown(ctx); err != nil {
		cut = true
		_ = h.http.Close() // remaining connections had their time
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
