package record

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/metrics"
)

// Metrics are exported to Prometheus.
type Metrics struct {
	Streams    metrics.Family // open ones, by kind
	Deliveries metrics.Family // to triggers, by outcome
	Page       http.Handler

	requests, seconds metrics.Family
}

// Host provides figures beyond those of requests.
type Host interface {
	FeedHead(context.Context) int64
	Leads() bool
	UnsoundRuns() int
}

// bounds are those of the buckets in which response times are counted, in seconds.
var bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

// NewMetrics adds all metrics of the API to a set.
func NewMetrics(set *metrics.Set, host Host) *Metrics {
	set.Read("assent_feed_head", "Number of the newest event.", func() float64 {
		return float64(host.FeedHead(context.Background()))
	})
	set.Read("assent_leader", "1 if this process starts agents.", func() float64 {
		if host.Leads() {
			return 1
		}
		return 0
	})
	set.Read("assent_unsound_runs", "Runs not continued by this process because their state breaks an invariant.",
		func() float64 { return float64(host.UnsoundRuns()) })
	return &Metrics{
		Streams:    set.Gauge("assent_streams_open", "Open event streams.", "kind"),
		Deliveries: set.Counter("assent_trigger_deliveries_total", "Deliveries to triggers.", "outcome"),
		Page:       set,
		requests:   set.Counter("assent_http_requests_total", "Requests answered.", "method", "route", "status"),
		seconds: set.Histogram("assent_http_request_seconds", "Time to answer a request, excluding streams.",
			bounds, "method", "route"),
	}
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
	m.requests.Of(method, route, strconv.Itoa(rec.Status)).Add(1)
	if !rec.Stream {
		m.seconds.Of(method, route).ObserveIn(took.Seconds(), rec.Trace)
	}
}
