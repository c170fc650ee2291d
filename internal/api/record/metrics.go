package record

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are exported to Prometheus.
type Metrics struct {
	Streams *prometheus.GaugeVec // open ones, by kind
	Page    http.Handler

	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// Host provides figures beyond those of requests.
type Host interface {
	FeedHead(context.Context) int64
	Leads() bool
}

// NewMetrics registers all metrics.
func NewMetrics(reg *prometheus.Registry, host Host) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assent_http_requests_total",
			Help: "Requests answered."}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assent_http_request_seconds", Help: "Time to answer a request; streams are left out.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}, []string{"route", "method"}),
		Streams: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assent_streams_open",
			Help: "Open event streams."}, []string{"kind"}),
		Page: promhttp.HandlerFor(reg, promhttp.HandlerOpts{}),
	}
	head := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "assent_feed_head", Help: "Number of the newest event."},
		func() float64 { return float64(host.FeedHead(context.Background())) })
	leader := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "assent_leader",
		Help: "1 if this process starts agents."}, func() float64 {
		if host.Leads() {
			return 1
		}
		return 0
	})
	reg.MustRegister(m.requests, m.seconds, m.Streams, head, leader)
	return m
}

// Count adds a request that has ended.
func (m *Metrics) Count(rec *Recorder, method string, took time.Duration) {
	route := rec.Route
	if route == "" {
		route = "other"
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
	default:
		method = "other" // clients may invent any number of them
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(rec.Status)).Inc()
	if !rec.Stream {
		m.seconds.WithLabelValues(route, method).Observe(took.Seconds())
	}
}
