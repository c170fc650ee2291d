package otlp

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/trace"
)

// Target is where one signal is sent, and how.
type Target struct {
	signal   string // traces or metrics
	Endpoint string
	Headers  map[string]string // secrets: never shown
	Gzip     bool
	Timeout  time.Duration // of one request
	Resource []Attr        // what the process is
}

// Settings are those of OpenTelemetry's environment variables that apply to traces.
type Settings struct {
	Target
	Delay   time.Duration // between requests
	Batch   int           // spans in one request
	Content bool          // spans contain what models and tools said
	sampler sampler
}

// MetricSettings are those that apply to metrics.
type MetricSettings struct {
	Target
	Interval time.Duration // between requests
}

// Environment reads the settings of traces; nil: they are not exported. Errors never contain headers.
func Environment(getenv func(string) string, version string) (*Settings, error) {
	to, err := target(getenv, "traces", version)
	if to == nil || err != nil {
		return nil, err
	}
	s := &Settings{Target: *to, Delay: 5 * time.Second, Batch: 512,
		Content: strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")}
	if err := millis(getenv, "OTEL_BSP_SCHEDULE_DELAY", &s.Delay); err != nil {
		return nil, err
	}
	if err := number(getenv, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 10_000, func(n int) { s.Batch = n }); err != nil {
		return nil, err
	}
	return s, s.sampling(getenv)
}

// MetricEnvironment reads the settings of metrics; nil: they are not exported. Errors never contain headers.
func MetricEnvironment(getenv func(string) string, version string) (*MetricSettings, error) {
	to, err := target(getenv, "metrics", version)
	if to == nil || err != nil {
		return nil, err
	}
	s := &MetricSettings{Target: *to, Interval: time.Minute}
	// Numbers of several processes are not to be mixed.
	if !slices.ContainsFunc(s.Resource, func(a Attr) bool { return a.Key == "service.instance.id" }) {
		s.Resource = append(s.Resource, Attr{"service.instance.id", rand.Text()})
	}
	return s, millis(getenv, "OTEL_METRIC_EXPORT_INTERVAL", &s.Interval)
}

// target is where a signal is sent; nil: nowhere.
func target(getenv func(string) string, signal, version string) (*Target, error) {
	own := "OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_ENDPOINT"
	name, text, path := own, getenv(own), ""
	if text == "" {
		name, text, path = "OTEL_EXPORTER_OTLP_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "/v1/"+signal
	}
	if text == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") ||
		getenv("OTEL_"+strings.ToUpper(signal)+"_EXPORTER") == "none" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// The text may contain a password.
		return nil, fmt.Errorf("%s is not an http or https address; write http://HOST:4318", name)
	}
	if path != "" {
		u.Path = strings.TrimSuffix(u.Path, "/") + path
	}
	to := &Target{signal: signal, Endpoint: u.String(), Timeout: 10 * time.Second}
	timeout, _ := to.variable(getenv, "TIMEOUT")
	if err := millis(getenv, timeout, &to.Timeout); err != nil {
		return nil, err
	}
	if err := to.words(getenv); err != nil {
		return nil, err
	}
	return to, to.describe(getenv, version)
}

// variable is the one for this signal, or that for all signals.
func (to *Target) variable(getenv func(string) string, name string) (variable, text string) {
	variable = "OTEL_EXPORTER_OTLP_" + strings.ToUpper(to.signal) + "_" + name
	if text = getenv(variable); text == "" {
		variable = "OTEL_EXPORTER_OTLP_" + name
		text = getenv(variable)
	}
	return variable, strings.TrimSpace(text)
}

func millis(getenv func(string) string, name string, into *time.Duration) error {
	return number(getenv, name, 600_000, func(n int) { *into = time.Duration(n) * time.Millisecond })
}

func number(getenv func(string) string, name string, most int, into func(int)) error {
	text := strings.TrimSpace(getenv(name))
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%s: %q is not a number from 1 to %d", name, text, most)
	}
	into(n)
	return nil
}

func (to *Target) words(getenv func(string) string) error {
	if name, text := to.variable(getenv, "PROTOCOL"); text != "" && text != "http/protobuf" {
		return fmt.Errorf("%s: %q is not supported; use http/protobuf", name, text)
	}
	switch name, text := to.variable(getenv, "COMPRESSION"); text {
	case "", "none":
	case "gzip":
		to.Gzip = true
	default:
		return fmt.Errorf("%s: %q is not supported; use gzip or none", name, text)
	}
	name, text := to.variable(getenv, "HEADERS")
	pairs, err := list(name, text)
	if err != nil {
		return err
	}
	to.Headers = map[string]string{}
	for _, p := range pairs {
		if strings.ContainsFunc(p[0]+p[1], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%s contains a control character", name)
		}
		to.Headers[p[0]] = p[1]
	}
	return nil
}

// list reads key=value pairs. The error does not contain the values.
func list(name, text string) (out [][2]string, err error) {
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, v, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if v, err = url.PathUnescape(strings.TrimSpace(v)); err != nil || !ok || key == "" {
			return nil, fmt.Errorf("%s: entry %d is not of the form name=value", name, i+1)
		}
		out = append(out, [2]string{key, v})
	}
	return out, nil
}

// describe says what the process is.
func (to *Target) describe(getenv func(string) string, version string) error {
	pairs, err := list("OTEL_RESOURCE_ATTRIBUTES", getenv("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		return err
	}
	name := "assent"
	for _, p := range pairs {
		if p[0] == "service.name" {
			name = p[1]
			continue
		}
		to.Resource = append(to.Resource, Attr{p[0], p[1]})
	}
	to.Resource = append(to.Resource, Attr{"service.name", cmp.Or(getenv("OTEL_SERVICE_NAME"), name)},
		Attr{"service.version", version})
	return nil
}

// sampler decides which runs are traced.
type sampler struct {
	parent bool   // a caller decides
	below  uint64 // of the other traces, those whose number is below this
}

const all = 1 << 63

func (s *Settings) sampling(getenv func(string) string) error {
	text, parent := strings.CutPrefix(cmp.Or(getenv("OTEL_TRACES_SAMPLER"), "parentbased_always_on"), "parentbased_")
	s.sampler = sampler{parent: parent, below: all}
	switch text {
	case "always_on":
	case "always_off":
		s.sampler.below = 0
	case "traceidratio":
		arg := cmp.Or(getenv("OTEL_TRACES_SAMPLER_ARG"), "1")
		ratio, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			return fmt.Errorf("OTEL_TRACES_SAMPLER_ARG: %q is not a number from 0 to 1", arg)
		}
		s.sampler.below = uint64(ratio * all)
	default:
		return fmt.Errorf("OTEL_TRACES_SAMPLER: %q is not supported; use always_on, always_off, traceidratio, or one "+
			"of them with parentbased_", getenv("OTEL_TRACES_SAMPLER"))
	}
	return nil
}

// Sample decides whether a run is traced. Called is whether a caller has decided about its trace, in c.Sampled. All
// processes decide alike.
func (s *Settings) Sample(c trace.Context, called bool) trace.Context {
	if !called || !s.sampler.parent {
		c.Sampled = binary.BigEndian.Uint64(c.Trace[8:])>>1 < s.sampler.below
	}
	return c
}
