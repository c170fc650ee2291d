package otlp

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/trace"
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
		s := New(&Settings{Endpoint: server.URL, Headers: map[string]string{"x": "y"}, Gzip: gz, Timeout: time.Minute,
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
	s := New(&Settings{Endpoint: server.URL, Headers: map[string]string{"x": "y"}, Timeout: time.Minute})
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
	far := New(&Settings{Endpoint: "http://user:secret@127.0.0.1:1/", Timeout: time.Second})
	if err := far.Send(ctx, nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	if err := far.Send(t.Context(), nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}
