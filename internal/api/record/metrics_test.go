package record

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"
)

type host struct{}

func (host) FeedHead(context.Context) int64 { return 42 }
func (host) Leads() bool                    { return true }

// TestMetrics compares a page with what the client library of Prometheus wrote for
// the same requests.
func TestMetrics(t *testing.T) {
	m := NewMetrics(host{})
	m.Count(&Recorder{Route: "/api/v1/runs/{id}", Status: 200}, "GET", 700*time.Microsecond)
	m.Count(&Recorder{Route: "/api/v1/runs/{id}", Status: 404}, "GET", 2*time.Second)
	m.Count(&Recorder{Route: "/api/v1/runs/{id}", Status: 200}, "GET", time.Minute)
	m.Count(&Recorder{Status: 405}, "SPY", time.Millisecond)
	m.Count(&Recorder{Route: "/api/v1/events", Status: 200, Stream: true}, "GET", time.Hour)
	m.Opened("sse")
	m.Opened("websocket")()
	got := httptest.NewRecorder()
	m.ServeHTTP(got, httptest.NewRequest("GET", "/metrics", nil))
	if got.Body.String() != page {
		t.Errorf("%s\nwant %s", got.Body, page)
	}
	if kind := got.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Error(kind)
	}
}

const page = `# HELP assent_feed_head Number of the newest event.
# TYPE assent_feed_head gauge
assent_feed_head 42
# HELP assent_http_request_seconds Time to answer a request; streams are left out.
# TYPE assent_http_request_seconds histogram
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.0005"} 0
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.001"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.0025"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.005"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.01"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.025"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.05"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.1"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="0.25"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="1"} 1
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="5"} 2
assent_http_request_seconds_bucket{method="GET",route="/api/v1/runs/{id}",le="+Inf"} 3
assent_http_request_seconds_sum{method="GET",route="/api/v1/runs/{id}"} 62.0007
assent_http_request_seconds_count{method="GET",route="/api/v1/runs/{id}"} 3
assent_http_request_seconds_bucket{method="other",route="other",le="0.0005"} 0
assent_http_request_seconds_bucket{method="other",route="other",le="0.001"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.0025"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.005"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.01"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.025"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.05"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.1"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="0.25"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="1"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="5"} 1
assent_http_request_seconds_bucket{method="other",route="other",le="+Inf"} 1
assent_http_request_seconds_sum{method="other",route="other"} 0.001
assent_http_request_seconds_count{method="other",route="other"} 1
# HELP assent_http_requests_total Requests answered.
# TYPE assent_http_requests_total counter
assent_http_requests_total{method="GET",route="/api/v1/events",status="200"} 1
assent_http_requests_total{method="GET",route="/api/v1/runs/{id}",status="200"} 2
assent_http_requests_total{method="GET",route="/api/v1/runs/{id}",status="404"} 1
assent_http_requests_total{method="other",route="other",status="405"} 1
# HELP assent_leader 1 if this process starts agents.
# TYPE assent_leader gauge
assent_leader 1
# HELP assent_streams_open Streams of events that are open.
# TYPE assent_streams_open gauge
assent_streams_open{kind="sse"} 1
assent_streams_open{kind="websocket"} 0
`
