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
	"sync"
	"sync/atomic"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/port"
	"github.com/prometheus/client_golang/prometheus"
)

// Options say how to serve.
type Options struct {
	// Auth finds out who asks. Nil, or one without a way to sign in, is local
	// mode: everybody without a token is the local admin, or whoever the
	// headers X-Assent-User and X-Assent-Roles name. It is for processes that
	// only this machine can reach.
	Auth port.Auth
	// Access looks after accounts and tokens; nil: there are none.
	Access port.Access
	// Console is a secret for those who may read the data directory: it lets
	// them look after accounts and tokens. Empty: nobody knows it.
	Console string
	// PublicURL is where browsers find the server; empty: wherever they say.
	PublicURL *url.URL
	// Proxies may say in X-Forwarded-For for whom they ask.
	Proxies []netip.Prefix
	Version string // of the program
	Log     *slog.Logger
	Web     http.Handler         // everything outside the API; nil: a plain page
	Metrics *prometheus.Registry // nil: one of its own
	Limits  traffic.Limits       // of what one identity may take
	// MCP answers at /mcp whoever was let in; nil: nothing is there.
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
	document func() []byte   // OpenAPI, made once
	draining context.Context // done when streams have to end
	drain    context.CancelFunc
	drained  atomic.Bool
}

// base is where the API begins.
const base = "/api/v1"

// New makes a server of an app that has been started.
func New(a *app.App, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	s := &Server{app: a, o: o, mux: http.NewServeMux(), origins: http.NewCrossOriginProtection(),
		document: sync.OnceValue(OpenAPI), pace: usualPace, limits: traffic.NewLimiter(o.Limits),
		lane: traffic.NewLane(traffic.LaneWidth())}
	if o.PublicURL != nil {
		_ = s.origins.AddTrustedOrigin(o.PublicURL.Scheme + "://" + o.PublicURL.Host) // whoever gives it has checked it
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	s.metrics = record.NewMetrics(o.Metrics, a)
	for _, op := range operations() {
		s.mux.HandleFunc(op.method+" "+op.path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &op) })
	}
	if o.MCP != nil {
		s.mux.HandleFunc(mcpOperation.method+" "+mcpOperation.path,
			func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &mcpOperation) })
	}
	s.mux.HandleFunc("GET "+problem.Base+"{code}", s.explain)
	s.mux.HandleFunc("GET "+problem.Base+"{$}", s.explain)
	s.mux.HandleFunc("/", s.elsewhere)
	return s
}

// Drain lets the server come to rest: from now on it is not ready, whatever
// would change something is told to come back later, and open streams end.
func (s *Server) Drain() {
	s.drained.Store(true)
	s.drain()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := record.New(w, r)
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

// plain reports whether a path is written the short way.
func plain(p string) bool {
	short := path.Clean(p)
	return short == p || short != "/" && short+"/" == p
}

// elsewhere answers what no operation answers.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request) {
	allowed := s.allowed(r)
	ours := len(allowed) > 0 || r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !ours && s.o.Web != nil && reads:
		w.Header().Del("Content-Security-Policy") // the pages bring their own
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

// allowed lists the methods that the path of a request knows.
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
