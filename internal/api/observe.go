package api

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/app"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// recorder notes what became of a request.
type recorder struct {
	http.ResponseWriter
	id     string
	began  time.Time
	route  string
	who    string
	status int
	bytes  int64
	err    error
	turn   *traffic.Turn // of an answer that is made while it is sent; nil: none
	unsent int           // bytes since somebody was last waited for

	patience time.Duration // with whoever takes the answer
}

func newRecorder(w http.ResponseWriter, r *http.Request) *recorder {
	id := r.Header.Get("X-Request-Id")
	if !sane(id) {
		id = rand.Text()
	}
	return &recorder{ResponseWriter: w, id: id, began: time.Now()}
}

// sane reports whether a request id from outside may stand in our log.
func sane(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		r.wait()
		if h := r.Header(); status >= http.StatusBadRequest && h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store") // http.Error takes it away
		}
	}
	r.ResponseWriter.WriteHeader(status)
}

const (
	// writeAtOnce is how much a client has some time for. Whoever takes less is
	// gone, or wants to keep us waiting.
	writeAtOnce = 64 << 10
	// mayBlock is from how many bytes on net/http hands them to the client.
	mayBlock = 2 << 10
)

// wait gives the client time to take what comes next. Streams see to it themselves.
func (r *recorder) wait() {
	if !streams(r.route) {
		// Where deadlines cannot be set, the server's own hold.
		_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(r.patience))
	}
}

func (r *recorder) Write(b []byte) (written int, err error) {
	if r.status == 0 {
		r.status = http.StatusOK
		r.wait()
	}
	for {
		n, err := r.part(b[:min(len(b), writeAtOnce)])
		written += n
		r.bytes += int64(n)
		if b = b[n:]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// part sends some of an answer. While the client takes it, others have a turn.
func (r *recorder) part(b []byte) (n int, err error) {
	if r.unsent += len(b); r.unsent < mayBlock {
		return r.ResponseWriter.Write(b)
	}
	r.unsent = 0
	r.wait()
	if r.turn == nil {
		return r.ResponseWriter.Write(b)
	}
	r.turn.Give()
	n, err = r.ResponseWriter.Write(b)
	if err == nil {
		err = r.turn.Take()
	}
	return n, err
}

// fail tells the client about an error, or cuts the connection if it has been
// told half of something else.
func (s *Server) fail(w http.ResponseWriter, err error) {
	rec, ok := w.(*recorder)
	if ok && rec.status != 0 {
		rec.err = err
		panic(http.ErrAbortHandler)
	}
	s.refuse(w, err)
}

// finish counts and logs a request, also one that panicked.
func (s *Server) finish(rec *recorder, r *http.Request) {
	crash := recover()
	aborted := crash == http.ErrAbortHandler
	if crash != nil && !aborted {
		s.o.Log.Error("a request crashed", "request_id", rec.id, "route", rec.route, "panic", crash, "stack", string(debug.Stack()))
		aborted = rec.status != 0
		if !aborted {
			s.refuse(rec, errors.New("panic"))
		}
	}
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	took := time.Since(rec.began)
	s.metrics.count(rec, r.Method, took)
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("method", problem.Printable(r.Method)), slog.String("route", rec.route), slog.Int("status", rec.status),
		slog.Duration("took", took), slog.Int64("bytes", rec.bytes), slog.String("who", rec.who), slog.String("request_id", rec.id),
	}
	if rec.err != nil && rec.status >= http.StatusInternalServerError {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", rec.err.Error()))
	}
	s.o.Log.LogAttrs(r.Context(), level, "request", attrs...)
	if aborted {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
}

// metrics are what Prometheus is told.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	streams  *prometheus.GaugeVec
	page     http.Handler
}

func newMetrics(reg *prometheus.Registry, a *app.App) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assent_http_requests_total", Help: "Requests answered."}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assent_http_request_seconds", Help: "Time to answer a request; streams are left out.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}, []string{"route", "method"}),
		streams: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assent_streams_open", Help: "Streams of events that are open."}, []string{"kind"}),
		page:    promhttp.HandlerFor(reg, promhttp.HandlerOpts{}),
	}
	head := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "assent_feed_head", Help: "Number of the newest event."}, func() float64 { return float64(a.FeedHead(context.Background())) })
	leader := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "assent_leader", Help: "1 if this process starts agents."}, func() float64 {
		if a.Leads() {
			return 1
		}
		return 0
	})
	reg.MustRegister(m.requests, m.seconds, m.streams, head, leader)
	return m
}

func (m *metrics) count(rec *recorder, method string, took time.Duration) {
	route := rec.route
	if route == "" {
		route = "other"
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
	default:
		method = "other" // clients may invent as many as they like
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(rec.status)).Inc()
	if !streams(route) {
		m.seconds.WithLabelValues(route, method).Observe(took.Seconds())
	}
}
