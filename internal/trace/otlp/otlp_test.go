package otlp

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/trace"
	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

func TestEnvironment(t *testing.T) {
	for _, off := range [][]string{{}, {endpoint, "http://h", "OTEL_SDK_DISABLED", "true"},
		{endpoint, "http://h", "OTEL_TRACES_EXPORTER", "none"}} {
		if s, err := Environment(env(off...), "1"); s != nil || err != nil {
			t.Errorf("%v: %v, %v", off, s, err)
		}
	}
	s, err := Environment(env(endpoint, "http://h:4318/base/", "OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c, d = e",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "7", "OTEL_BSP_SCHEDULE_DELAY", "9", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "3",
		"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
		"OTEL_SERVICE_NAME", "mine"), "1")
	if err != nil {
		t.Fatal(err)
	}
	if s.Endpoint != "http://h:4318/base/v1/traces" || s.Headers["a"] != "b c" || s.Headers["d"] != "e" || !s.Gzip ||
		s.Timeout != 7*time.Millisecond || s.Delay != 9*time.Millisecond || s.Batch != 3 || s.Content ||
		s.Resource[0].Value != "mine" {
		t.Errorf("%+v", s)
	}
	s, err = Environment(env(endpoint, "http://h", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/x",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "1", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "2"), "1")
	if err != nil || s.Endpoint != "https://t/x" || s.Timeout != 2*time.Millisecond {
		t.Errorf("%+v, %v", s, err)
	}
	for name, text := range map[string]string{
		endpoint: "h:4318 secret", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://secret@h",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_HEADERS": "secret",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "0", "OTEL_BSP_SCHEDULE_DELAY": "soon", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "-1",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_TRACES_SAMPLER": "jaeger_remote", "OTEL_RESOURCE_ATTRIBUTES": "=x",
	} {
		pairs := []string{name, text}
		if name != endpoint {
			pairs = append(pairs, endpoint, "http://h")
		}
		_, err := Environment(env(pairs...), "1")
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s=%s: %v", name, text, err)
		}
	}
	_, err = Environment(env(endpoint, "http://h", "OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0d%0ab: c"), "")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a header with a line end: %v", err)
	}
}

func TestSample(t *testing.T) {
	for _, c := range []struct {
		sampler, arg    string
		own, yes, no    bool // without a caller, with one that samples, with one that does not
		wantErr, random bool
	}{
		{"", "", true, true, false, false, false},
		{"always_on", "", true, true, true, false, false},
		{"always_off", "", false, false, false, false, false},
		{"parentbased_always_off", "", false, true, false, false, false},
		{"parentbased_traceidratio", "0", false, true, false, false, false},
		{"traceidratio", "1", true, true, true, false, false},
		{"traceidratio", "2", false, false, false, true, false},
		{"traceidratio", "NaN", false, false, false, true, false},
	} {
		s, err := Environment(env(endpoint, "http://h", "OTEL_TRACES_SAMPLER", c.sampler,
			"OTEL_TRACES_SAMPLER_ARG", c.arg), "")
		if c.wantErr != (err != nil) {
			t.Errorf("%v: %v", c, err)
		}
		if err != nil {
			continue
		}
		span := trace.OfRun("run_1", "")
		unsampled := span
		unsampled.Sampled = false
		if s.Sample(span, false).Sampled != c.own || s.Sample(span, true).Sampled != c.yes ||
			s.Sample(unsampled, true).Sampled != c.no {
			t.Errorf("%+v", c)
		}
	}
	s, err := Environment(env(endpoint, "http://h", "OTEL_TRACES_SAMPLER", "traceidratio",
		"OTEL_TRACES_SAMPLER_ARG", "0.25"), "")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range 4000 {
		if s.Sample(trace.OfRun(strings.Repeat("x", i%50)+string(rune(i)), ""), false).Sampled {
			n++
		}
	}
	if n < 850 || n > 1150 {
		t.Errorf("%d of 4000 at 0.25", n)
	}
}

// What is sent is read back with OpenTelemetry's own types.
func TestSend(t *testing.T) {
	at := time.Unix(100, 5)
	c := trace.OfRun("run_1", "")
	span := Span{Context: c, Parent: [8]byte{1}, Name: "n", Kind: Client, Start: at, End: at.Add(time.Second),
		Attrs:  []Attr{{"s", ""}, {"b", true}, {"i", int64(-3)}, {"f", 0.5}, {"l", []string{"x", ""}}},
		Events: []Event{{"e", at, []Attr{{"k", "v"}}}}, Links: []trace.Context{c.Child("y")}, Failed: true, Error: "why"}
	var got tracepb.TracesData
	status, after := 200, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(r.Body); err != nil {
				t.Error(err)
			}
		}
		b, err := io.ReadAll(body)
		if err == nil {
			err = proto.Unmarshal(b, &got)
		}
		if err != nil || r.Header.Get("X") != "y" {
			t.Errorf("%v %v", err, r.Header)
		}
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		if status == 302 {
			w.Header().Set("Location", "http://127.0.0.1:1/")
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	for _, gz := range []bool{false, true} {
		s := New(Target{Endpoint: server.URL, Headers: map[string]string{"x": "y"}, Gzip: gz, Timeout: time.Minute,
			Resource: []Attr{{"service.name", "assent"}}})
		if err := s.Send(t.Context(), []Span{span, {Context: c, Name: "second", Start: at, End: at}}); err != nil {
			t.Fatal(err)
		}
		all := got.ResourceSpans[0].ScopeSpans[0].Spans
		p := all[0]
		if len(all) != 2 || string(p.TraceId) != string(c.Trace[:]) || string(p.SpanId) != string(c.Span[:]) ||
			p.ParentSpanId[0] != 1 || len(all[1].ParentSpanId) != 0 || p.Kind != tracepb.Span_SPAN_KIND_CLIENT ||
			p.StartTimeUnixNano != 100_000_000_005 || p.EndTimeUnixNano != 101_000_000_005 || p.Flags != 0x101 ||
			p.Events[0].TimeUnixNano != 100_000_000_005 || p.Events[0].Attributes[0].Value.GetStringValue() != "v" ||
			string(p.Links[0].SpanId) == string(p.SpanId) || p.Status.Message != "why" ||
			p.Status.Code != tracepb.Status_STATUS_CODE_ERROR || all[1].Status != nil {
			t.Errorf("%v", all)
		}
		v := p.Attributes
		if v[0].Value.Value == nil || !v[1].Value.GetBoolValue() || v[2].Value.GetIntValue() != -3 ||
			v[3].Value.GetDoubleValue() != 0.5 || len(v[4].Value.GetArrayValue().Values) != 2 {
			t.Errorf("%v", v)
		}
	}
	s := New(Target{Endpoint: server.URL, Headers: map[string]string{"x": "y"}, Timeout: time.Minute})
	defer s.Close()
	for code, temporary := range map[int]bool{503: true, 429: true, 502: true, 504: true, 400: false, 500: false,
		302: false} {
		status, after = code, "7"
		err := s.Send(t.Context(), []Span{span})
		var r *Refused
		if !errors.As(err, &r) || r.Temporary() != temporary || r.After != 7*time.Second || r.Status != code {
			t.Errorf("%d: %v", code, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	far := New(Target{Endpoint: "http://user:secret@127.0.0.1:1/", Timeout: time.Second})
	if err := far.Send(ctx, nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	if err := far.Send(t.Context(), nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

func TestMetricEnvironment(t *testing.T) {
	for _, off := range [][]string{{}, {endpoint, "http://h", "OTEL_SDK_DISABLED", "true"},
		{endpoint, "http://h", "OTEL_METRICS_EXPORTER", "none"}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h"}} {
		if s, err := MetricEnvironment(env(off...), "1"); s != nil || err != nil {
			t.Errorf("%v: %v, %v", off, s, err)
		}
	}
	one, err := MetricEnvironment(env(endpoint, "http://h", "OTEL_EXPORTER_OTLP_TIMEOUT", "1",
		"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "2", "OTEL_METRIC_EXPORT_INTERVAL", "3",
		"OTEL_TRACES_SAMPLER", "no matter"), "1")
	if err != nil || one.Endpoint != "http://h/v1/metrics" || one.Timeout != 2*time.Millisecond ||
		one.Interval != 3*time.Millisecond {
		t.Errorf("%+v, %v", one, err)
	}
	other, err := MetricEnvironment(env("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m/x"), "1")
	if err != nil || other.Endpoint != "https://m/x" || other.Interval != time.Minute {
		t.Errorf("%+v, %v", other, err)
	}
	last := func(s *MetricSettings) Attr { return s.Resource[len(s.Resource)-1] }
	if last(one).Key != "service.instance.id" || last(one) == last(other) {
		t.Errorf("two processes are %v and %v", last(one), last(other))
	}
	named, err := MetricEnvironment(env(endpoint, "http://h", "OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=a"), "1")
	if err != nil || last(named).Key == "service.instance.id" {
		t.Errorf("%+v, %v", named, err)
	}
	for name, text := range map[string]string{"OTEL_METRIC_EXPORT_INTERVAL": "0",
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_METRICS_HEADERS": "secret"} {
		_, err := MetricEnvironment(env(endpoint, "http://h", name, text), "1")
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is sent is read back with OpenTelemetry's own types.
func TestSendMetrics(t *testing.T) {
	var set metrics.Set
	set.Counter("done_total", "What is done.", "kind").Of("a").Add(2)
	set.Gauge("open", "What is open.").Of().Add(-1.5)
	set.Counter("never_total", "Nothing.")
	seconds := set.Histogram("seconds", "How long.", []float64{1, 2}, "kind")
	for _, v := range []float64{0.5, 1, 1.5, 9} {
		seconds.Of("b").Observe(v)
	}
	seconds.Of("b").ObserveIn(7, "4bf92f3577b34da6a3ce929d0e0e4736")
	var got metricspb.MetricsData
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(b, &got)
		}
		if err != nil || len(got.ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("%v %v", err, &got)
		}
	}))
	defer server.Close()
	s := New(Target{Endpoint: server.URL, Timeout: time.Minute, Resource: []Attr{{"service.name", "assent"}}})
	defer s.Close()
	if err := s.SendMetrics(t.Context(), set.Now(), time.Unix(1, 0), time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	all := got.ResourceMetrics[0].ScopeMetrics[0].Metrics
	if len(all) != 3 {
		t.Fatalf("%v", all)
	}
	done, open, how := all[0].GetSum(), all[1].GetGauge(), all[2].GetHistogram()
	p := done.GetDataPoints()[0]
	if all[0].Name != "done_total" || all[0].Description != "What is done." || !done.IsMonotonic ||
		done.AggregationTemporality != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE ||
		p.GetAsDouble() != 2 || p.Attributes[0].Key != "kind" || p.Attributes[0].Value.GetStringValue() != "a" ||
		p.StartTimeUnixNano != 1e9 || p.TimeUnixNano != 2e9 {
		t.Errorf("%v", all[0])
	}
	if open.GetDataPoints()[0].GetAsDouble() != -1.5 || open.GetDataPoints()[0].StartTimeUnixNano != 0 {
		t.Errorf("%v", all[1])
	}
	h := how.GetDataPoints()[0]
	if h.Count != 5 || h.GetSum() != 19 || !slices.Equal(h.BucketCounts, []uint64{2, 1, 2}) ||
		!slices.Equal(h.ExplicitBounds, []float64{1, 2}) || len(h.Exemplars) != 1 || h.Exemplars[0].GetAsDouble() != 7 ||
		h.Exemplars[0].TraceId[0] != 0x4b || h.Attributes[0].Value.GetStringValue() != "b" ||
		how.AggregationTemporality != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Errorf("%v", all[2])
	}
}
