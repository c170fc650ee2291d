package otlp

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/trace"
)

// Settings are those of OpenTelemetry's environment variables that apply here.
type Settings struct {
	Endpoint string            // where spans are sent
	Headers  map[string]string // secrets: never shown
	Gzip     bool
	Timeout  time.Duration // of one request
	Delay    time.Duration // between requests
	Batch    int           // spans in one request
	Resource []Attr        // what the process is
	Content  bool          // spans contain what models and tools said
	sampler  sampler
}

// Environment reads the settings; nil: traces are not exported. Errors never contain headers.
func Environment(getenv func(string) string, version string) (*Settings, error) {
	whole, own := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if whole == "" && own == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") ||
		getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	s := &Settings{Timeout: 10 * time.Second, Delay: 5 * time.Second, Batch: 512}
	for _, read := range []func(func(string) string) error{s.target, s.numbers, s.words, s.sampling} {
		if err := read(getenv); err != nil {
			return nil, err
		}
	}
	return s, s.describe(getenv, version)
}

// target is where spans are sent, and how.
func (s *Settings) target(getenv func(string) string) error {
	name, text := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	path := ""
	if text == "" {
		name, text, path = "OTEL_EXPORTER_OTLP_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "/v1/traces"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// The text may contain a password.
		return fmt.Errorf("%s is not an http or https address; write http://HOST:4318", name)
	}
	if path != "" {
		u.Path = strings.TrimSuffix(u.Path, "/") + path
	}
	s.Endpoint = u.String()
	return nil
}

// both is a variable for traces, or that for all signals.
func both(getenv func(string) string, name string) (variable, text string) {
	variable = "OTEL_EXPORTER_OTLP_TRACES_" + name
	if text = getenv(variable); text == "" {
		variable = "OTEL_EXPORTER_OTLP_" + name
		text = getenv(variable)
	}
	return variable, strings.TrimSpace(text)
}

func (s *Settings) numbers(getenv func(string) string) error {
	timeout, _ := both(getenv, "TIMEOUT")
	for _, n := range []struct {
		name     string
		min, max int
		into     func(int)
	}{
		{timeout, 1, 600_000, func(n int) { s.Timeout = time.Duration(n) * time.Millisecond }},
		{"OTEL_BSP_SCHEDULE_DELAY", 1, 600_000, func(n int) { s.Delay = time.Duration(n) * time.Millisecond }},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 10_000, func(n int) { s.Batch = n }},
	} {
		text := strings.TrimSpace(getenv(n.name))
		if text == "" {
			continue
		}
		v, err := strconv.Atoi(text)
		if err != nil || v < n.min || v > n.max {
			return fmt.Errorf("%s: %q is not a number from %d to %d", n.name, text, n.min, n.max)
		}
		n.into(v)
	}
	return nil
}

func (s *Settings) words(getenv func(string) string) error {
	if name, text := both(getenv, "PROTOCOL"); text != "" && text != "http/protobuf" {
		return fmt.Errorf("%s: %q is not supported; use http/protobuf", name, text)
	}
	switch name, text := both(getenv, "COMPRESSION"); text {
	case "", "none":
	case "gzip":
		s.Gzip = true
	default:
		return fmt.Errorf("%s: %q is not supported; use gzip or none", name, text)
	}
	name, text := both(getenv, "HEADERS")
	pairs, err := list(name, text)
	if err != nil {
		return err
	}
	s.Headers = map[string]string{}
	for _, p := range pairs {
		if strings.ContainsFunc(p[0]+p[1], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%s contains a control character", name)
		}
		s.Headers[p[0]] = p[1]
	}
	s.Content = strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")
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
func (s *Settings) describe(getenv func(string) string, version string) error {
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
		s.Resource = append(s.Resource, Attr{p[0], p[1]})
	}
	s.Resource = append(s.Resource, Attr{"service.name", cmp.Or(getenv("OTEL_SERVICE_NAME"), name)},
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
