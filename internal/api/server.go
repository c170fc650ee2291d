package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/chat"
	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trace"
)

// Options configure a server.
type Options struct {
	// Auth authenticates callers. Nil, or one without a sign-in method, is local mode: every caller without a token is
	// the local admin, or the person named by the headers X-Assent-User and X-Assent-Roles. It is for processes that
	// only this machine can reach.
	Auth port.Auth
	// Access manages accounts and tokens; nil: there are none.
	Access port.Access
	// Chat receives decisions in other programs; nil: there are none.
	Chat *chat.Service
	// Push sends messages to browsers; nil: there are none.
	Push port.PushService
	// Outbox runs notifications; nil: there are none.
	Outbox *outbox.Service
	// Console is a secret for callers who can read the data directory: it lets them manage accounts and tokens. Empty:
	// disabled.
	Console string
	// PublicURL is the address of the server for browsers; empty: that of each request.
	PublicURL *url.URL
	// Proxies are trusted to name the client in X-Forwarded-For.
	Proxies []netip.Prefix
	// Settings are those that the server was started with, and SettingsFile is where some of them were read from.
	Settings     []contract.Setting
	SettingsFile string
	Version      string // of the program
	Log          *slog.Logger
	Metrics      *metrics.Set   // the rest of what is exported; nil: nothing
	Web          http.Handler   // everything outside the API; nil: a plain page
	Limits       traffic.Limits // of one identity
	// MCP serves admitted callers at /mcp; nil: that path is not found.
	MCP func(http.ResponseWriter, *http.Request, Guest)
}

// Server is the API. Any number of goroutines may use it.
type Server struct {
	app      *app.App
	o        Options
	mux      *http.ServeMux
	metrics  *record.Metrics
	origins  *http.CrossOriginProtection
	flights  traffic.Flights
	limits   *traffic.Limiter
	lane     *traffic.Lane
	pace     pace
	draining context.Context // done when streams have to end
	drain    context.CancelFunc
	drained  atomic.Bool
}

// base is where the API begins.
const base = contract.Base

// New creates a server of an app that has been started.
func New(a *app.App, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{app: a, o: o, mux: http.NewServeMux(), origins: http.NewCrossOriginProtection(),
		pace: defaultPace, limits: traffic.NewLimiter(o.Limits),
		lane: traffic.NewLane(traffic.LaneWidth())}
	if o.PublicURL != nil {
		_ = s.origins.AddTrustedOrigin(o.PublicURL.Scheme + "://" + o.PublicURL.Host) // the caller has validated it
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	if o.Metrics == nil {
		o.Metrics = new(metrics.Set)
	}
	s.metrics = record.NewMetrics(o.Metrics, a)
	if o.Outbox != nil {
		deliveries := o.Metrics.Counter("assent_deliveries_total", "Attempts to deliver a message.", "channel", "outcome")
		o.Outbox.Observe(func(channel, outcome string) { deliveries.Of(channel, outcome).Add(1) })
	}
	for _, op := range operations() {
		s.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &op) })
	}
	if o.MCP != nil {
		s.mux.HandleFunc(mcpOperation.Method+" "+mcpOperation.Path,
			func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &mcpOperation) })
	}
	if o.Chat != nil {
		s.mux.HandleFunc("POST "+integrations, s.integrate)
	}
	if o.Outbox != nil {
		s.mux.HandleFunc("GET "+unsubscribing, s.unsubscribe)
		s.mux.HandleFunc("POST "+unsubscribing, s.unsubscribe)
	}
	s.mux.HandleFunc("GET "+problem.Base+"{code}", s.explain)
	s.mux.HandleFunc("GET "+problem.Base+"{$}", s.explain)
	s.mux.HandleFunc("/", s.elsewhere)
	return s
}

// Drain prepares the server to stop: from now on it is not ready, requests that would change something are asked to
// come back later, and open streams end.
func (s *Server) Drain() {
	s.drained.Store(true)
	s.drain()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if caller, ok := trace.Parse(r.Header.Get(trace.Header)); ok {
		r = r.WithContext(trace.With(r.Context(), caller))
	}
	rec := record.New(w, r)
	if caller := trace.From(r.Context()); caller.Sampled {
		rec.Trace = caller.TraceID()
	}
	defer s.finish(rec, r)
	rec.Header().Set("X-Request-Id", rec.ID)
	s.secure(rec.Header())
	rec.Patience = s.pace.take
	s.impatient(rec, r)
	switch err := s.guard(r); {
	case err != nil:
		s.refuse(rec, err)
	case !plain(r.URL.Path):
		s.refuse(rec, problem.NoSuchPath()) // the mux would redirect
	default:
		s.mux.ServeHTTP(rec, r)
	}
}

// plain reports whether a path is in its short form.
func plain(p string) bool {
	short := path.Clean(p)
	return short == p || short != "/" && short+"/" == p
}

// elsewhere serves paths that belong to no operation.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request) {
	allowed := s.allowed(r)
	ours := len(allowed) > 0 || r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !ours && s.o.Web != nil && reads:
		w.Header().Del("Content-Security-Policy") // the pages set their own
		s.o.Web.ServeHTTP(w, r)
	case !ours && r.URL.Path == "/" && reads:
		s.index(w)
	case len(allowed) == 0:
		s.refuse(w, problem.NoSuchPath())
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.refuse(w, problem.NotAllowed(r.Method, allowed))
	}
}

// allowed lists the methods that exist for the path of a request.
func (s *Server) allowed(r *http.Request) []string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := *r
		other.Method = method
		if _, pattern := s.mux.Handler(&other); pattern != "/" && pattern != "" {
			out = append(out, method)
		}
	}
	if slices.Contains(out, http.MethodGet) {
		out = append(out, http.MethodHead)
	}
	if len(out) > 0 {
		out = append(out, http.MethodOptions)
	}
	slices.Sort(out)
	return out
}
