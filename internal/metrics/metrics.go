// Package metrics counts, and writes what it counted in the text format of Prometheus, or in that of OpenMetrics, which
// has exemplars:
//
//	var set metrics.Set
//	requests := set.Counter("assent_http_requests_total", "Requests answered.", "route", "status")
//	requests.Of("/api/v1/runs", "201").Add(1)
//	http.Handle("/metrics", &set)
//
// Any number of goroutines may use it. A series is kept for as long as the process runs, so the values of a label
// must come from a small, fixed set: routes and kinds, never names or ids.
package metrics

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Set is the metrics of a process. The zero Set is empty and ready to use.
type Set struct {
	mu       sync.Mutex
	families []*family
}

// family is a metric with all its series.
type family struct {
	name, help, kind string
	labels           []string
	bounds           []float64      // of a histogram's buckets
	read             func() float64 // of a value that is computed when it is asked for
	each             func(Emit)     // of values that are computed when they are asked for

	mu     sync.RWMutex
	series map[values]*Series
}

// labelsMax is how many labels a metric has at most.
const labelsMax = 4

// values are those of a family's labels.
type values [labelsMax]string

// Family is a metric; each combination of label values is a series.
type Family struct{ *family }

// Counter adds a metric that only grows.
func (s *Set) Counter(name, help string, labels ...string) Family {
	return s.add(&family{name: name, help: help, kind: "counter", labels: labels})
}

// Gauge adds a metric that grows and shrinks.
func (s *Set) Gauge(name, help string, labels ...string) Family {
	return s.add(&family{name: name, help: help, kind: "gauge", labels: labels})
}

// Histogram adds a metric that counts values up to each of the bounds, which must ascend.
func (s *Set) Histogram(name, help string, bounds []float64, labels ...string) Family {
	return s.add(&family{name: name, help: help, kind: "histogram", labels: labels, bounds: bounds})
}

// Read adds a gauge that is read whenever the metrics are written.
func (s *Set) Read(name, help string, read func() float64) {
	s.add(&family{name: name, help: help, kind: "gauge", read: read})
}

// Emit writes one value of a gauge with its label values.
type Emit func(n float64, labels ...string)

// ReadEach adds a gauge whose values are read whenever the metrics are written. Each calls its argument once for each
// combination of label values.
func (s *Set) ReadEach(name, help string, each func(Emit), labels ...string) {
	s.add(&family{name: name, help: help, kind: "gauge", labels: labels, each: each})
}

func (s *Set) add(f *family) Family {
	if len(f.labels) > labelsMax {
		panic("metrics: " + f.name + " has too many labels")
	}
	f.series = map[values]*Series{}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, taken := slices.BinarySearchFunc(s.families, f, func(a, b *family) int { return cmp.Compare(a.name, b.name) })
	if taken {
		panic("metrics: " + f.name + " exists already")
	}
	s.families = slices.Insert(s.families, at, f)
	return Family{f}
}

// Of returns the series with these label values, in the order of the labels.
func (f Family) Of(labels ...string) *Series {
	if len(labels) != len(f.labels) {
		panic("metrics: " + f.name + " has other labels")
	}
	var key values
	copy(key[:], labels)
	f.mu.RLock()
	s := f.series[key]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s = f.series[key]; s == nil {
		s = &Series{bounds: f.bounds, buckets: make([]atomic.Uint64, len(f.bounds))}
		if f.kind == "histogram" {
			s.examples = make([]atomic.Pointer[example], len(f.bounds)+1)
		}
		f.series[key] = s
	}
	return s
}

// Series is one number, or the counts of one histogram.
type Series struct {
	sum     atomic.Uint64 // the bits of a float64
	count   atomic.Uint64
	bounds  []float64
	buckets []atomic.Uint64 // values above the bound before, up to this one
	// examples are the last values in these buckets that belong to a trace; the last one is above all bounds.
	examples []atomic.Pointer[example]
}

// example is a value, and where it comes from.
type example struct {
	value float64
	trace string
	at    time.Time
}

// Add adds a number, which is negative only for gauges.
func (s *Series) Add(n float64) {
	for {
		old := s.sum.Load()
		if s.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+n)) {
			return
		}
	}
}

// Observe adds a value to a histogram.
func (s *Series) Observe(v float64) { s.ObserveIn(v, "") }

// ObserveIn adds a value to a histogram that belongs to a trace; empty: to none.
func (s *Series) ObserveIn(v float64, trace string) {
	i, _ := slices.BinarySearch(s.bounds, v)
	if i < len(s.buckets) {
		s.buckets[i].Add(1)
	}
	if trace != "" {
		s.examples[i].Store(&example{v, trace, time.Now()})
	}
	s.count.Add(1)
	s.Add(v)
}

// ServeHTTP writes all metrics, in OpenMetrics if the client asks for it.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	open := r != nil && strings.Contains(r.Header.Get("Accept"), "application/openmetrics-text")
	kind := "text/plain; version=0.0.4; charset=utf-8"
	if open {
		kind = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Add("Vary", "Accept")
	_, _ = w.Write(s.text(open)) // the client is gone if this fails
}

func (s *Set) text(open bool) (out []byte) {
	s.mu.Lock()
	families := slices.Clone(s.families)
	s.mu.Unlock()
	for _, f := range families {
		out = f.write(out, open)
	}
	if open {
		out = append(out, "# EOF\n"...)
	}
	return out
}

func (f *family) write(out []byte, open bool) []byte {
	name := f.name
	if open {
		name = strings.TrimSuffix(name, "_total") // it is part of the number's name, not of the metric's
	}
	out = append(out, "# HELP "+name+" "+helpEscapes.Replace(f.help)+"\n# TYPE "+name+" "+f.kind+"\n"...)
	if f.read != nil {
		return f.line(out, "", values{}, "", f.read())
	}
	if f.each != nil {
		f.each(func(n float64, labels ...string) {
			var k values
			copy(k[:], labels)
			out = f.line(out, "", k, "", n)
		})
		return out
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	keys := make([]values, 0, len(f.series))
	for k := range f.series {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b values) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		s := f.series[k]
		if f.kind != "histogram" {
			out = f.line(out, "", k, "", math.Float64frombits(s.sum.Load()))
			continue
		}
		// A value is in its bucket before it is counted, so +Inf is read last and is at least as large.
		upTo := 0.0
		for i, bound := range f.bounds {
			upTo += float64(s.buckets[i].Load())
			out = f.line(out, "_bucket", k, number(bound), upTo)
			out = s.example(out, i, open)
		}
		count := max(upTo, float64(s.count.Load()))
		out = f.line(out, "_bucket", k, "+Inf", count)
		out = s.example(out, len(f.bounds), open)
		out = f.line(out, "_sum", k, "", math.Float64frombits(s.sum.Load()))
		out = f.line(out, "_count", k, "", count)
	}
	return out
}

// example adds an exemplar to the line that was written last.
func (s *Series) example(out []byte, i int, open bool) []byte {
	e := s.examples[i].Load()
	if !open || e == nil {
		return out
	}
	return append(out[:len(out)-1], ` # {trace_id="`+labelEscapes.Replace(e.trace)+`"} `+number(e.value)+" "+
		strconv.FormatFloat(float64(e.at.UnixMilli())/1000, 'f', 3, 64)+"\n"...)
}

// line writes one number; upTo is the bound of a bucket.
func (f *family) line(out []byte, suffix string, k values, upTo string, n float64) []byte {
	out = append(out, f.name+suffix...)
	open := byte('{')
	for i, label := range f.labels {
		out = append(append(out, open), label+`="`+labelEscapes.Replace(k[i])+`"`...)
		open = ','
	}
	if upTo != "" {
		out = append(append(out, open), `le="`+upTo+`"`...)
		open = ','
	}
	if open == ',' {
		out = append(out, '}')
	}
	return append(append(out, ' '), number(n)+"\n"...)
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
