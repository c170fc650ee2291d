package record

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metrics counts requests and streams, and serves what it counted in the text format of Prometheus.
type Metrics struct {
	host Host

	mu       sync.Mutex
	requests map[string]int64      // by labels: method, route and status
	seconds  map[string]*durations // by labels: method and route
	streams  map[string]int64      // open ones, by labels: kind
}

// Host provides figures beyond those of requests.
type Host interface {
	FeedHead(context.Context) int64
	Leads() bool
}

// NewMetrics begins to count.
func NewMetrics(host Host) *Metrics {
	return &Metrics{host: host, requests: map[string]int64{}, seconds: map[string]*durations{},
		streams: map[string]int64{}}
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
	where := label("method", method) + "," + label("route", route)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[where+","+label("status", strconv.Itoa(rec.Status))]++
	if rec.Stream {
		return
	}
	if m.seconds[where] == nil {
		m.seconds[where] = &durations{}
	}
	m.seconds[where].add(took.Seconds())
}

// Opened adds a stream of a kind, and returns what to call at its end.
func (m *Metrics) Opened(kind string) (closed func()) {
	add := func(n int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.streams[label("kind", kind)] += n
	}
	add(1)
	return func() { add(-1) }
}

// label writes a label; the format knows the escapes of a quoted string in Go.
func label(name, value string) string { return name + "=" + strconv.Quote(value) }

// buckets are the upper bounds of durations that are told apart, in seconds.
var buckets = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

// durations is a histogram.
type durations struct {
	within [len(buckets)]int64 // each counts those of smaller bounds as well
	count  int64
	sum    float64
}

func (d *durations) add(seconds float64) {
	for i, bound := range buckets {
		if seconds <= bound {
			d.within[i]++
		}
	}
	d.count++
	d.sum += seconds
}

// ServeHTTP implements http.Handler.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head, leads := m.host.FeedHead(r.Context()), 0
	if m.host.Leads() {
		leads = 1
	}
	var page strings.Builder
	m.mu.Lock()
	one(&page, "assent_feed_head", "gauge", "Number of the newest event.", head)
	histogram(&page, "assent_http_request_seconds", "Time to answer a request; streams are left out.", m.seconds)
	labelled(&page, "assent_http_requests_total", "counter", "Requests answered.", m.requests)
	one(&page, "assent_leader", "gauge", "1 if this process starts agents.", int64(leads))
	labelled(&page, "assent_streams_open", "gauge", "Streams of events that are open.", m.streams)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, page.String()) // a client that is gone is not an error
}

func describe(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func one(w io.Writer, name, kind, help string, n int64) {
	describe(w, name, kind, help)
	fmt.Fprintf(w, "%s %d\n", name, n)
}

func labelled(w io.Writer, name, kind, help string, counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	describe(w, name, kind, help)
	for _, labels := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%s{%s} %d\n", name, labels, counts[labels])
	}
}

func histogram(w io.Writer, name, help string, all map[string]*durations) {
	if len(all) == 0 {
		return
	}
	describe(w, name, "histogram", help)
	for _, labels := range slices.Sorted(maps.Keys(all)) {
		d := all[labels]
		for i, bound := range buckets {
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%g\"} %d\n", name, labels, bound, d.within[i])
		}
		fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, d.count)
		fmt.Fprintf(w, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, labels, d.sum, name, labels, d.count)
	}
}
