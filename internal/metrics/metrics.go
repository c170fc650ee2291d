// Package metrics counts, and writes what it counted in the text format of Prometheus, or in that of OpenMetrics, which
// has exemplars; Now reads it for other formats:
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

// Metric is a family as it is now.
type Metric struct {
	Name, Help string
	Kind       string // counter, gauge or histogram
	Labels     []string
	Bounds     []float64 // of a histogram's buckets
	Points     []Point   // by their labels
}

// Point is a series as it is now.
type Point struct {
	Labels  []string // values, in the order of the metric's labels
	Value   float64  // a histogram: the sum of its values
	Count   uint64
	Buckets []uint64   // values above the bound before, up to this one; the last one is above all bounds
	Traced  []Exemplar // the last value of each bucket that belongs to a trace
}

// Exemplar is a value of a histogram, and the trace it comes from.
type Exemplar struct {
	Bucket int
	Value  float64
	Trace  string
	At     time.Time
}

// Now reads all metrics, ordered by their names.
func (s *Set) Now() []Metric {
	s.mu.Lock()
	families := slices.Clone(s.families)
	s.mu.Unlock()
	out := make([]Metric, len(families))
	for i, f := range families {
		out[i] = Metric{Name: f.name, Help: f.help, Kind: f.kind, Labels: f.labels, Bounds: f.bounds, Points: f.points()}
	}
	return out
}

func (f *family) points() (out []Point) {
	if f.read != nil {
		return []Point{{Value: f.read()}}
	}
	if f.each != nil {
		f.each(func(n float64, labels ...string) {
			if len(labels) != len(f.labels) {
				panic("metrics: " + f.name + " has other labels")
			}
			out = append(out, Point{Labels: slices.Clone(labels), Value: n})
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
		p := f.series[k].now()
		p.Labels = slices.Clone(k[:len(f.labels)])
		out = append(out, p)
	}
	return out
}

func (s *Series) now() Point {
	if s.examples == nil {
		return Point{Value: math.Float64frombits(s.sum.Load())}
	}
	// A value is in its bucket before it is counted, so the count is read last and is at least as large.
	p := Point{Buckets: make([]uint64, len(s.bounds)+1)}
	within := uint64(0)
	for i := range s.buckets {
		p.Buckets[i] = s.buckets[i].Load()
		within += p.Buckets[i]
	}
	p.Count = max(within, s.count.Load())
	p.Buckets[len(s.bounds)] = p.Count - within
	p.Value = math.Float64frombits(s.sum.Load())
	for i := range s.examples {
		if e := s.examples[i].Load(); e != nil {
			p.Traced = append(p.Traced, Exemplar{i, e.value, e.trace, e.at})
		}
	}
	return p
}

func (s *Set) text(open bool) (out []byte) {
	for _, m := range s.Now() {
		out = m.write(out, open)
	}
	if open {
		out = append(out, "# EOF\n"...)
	}
	return out
}

func (m *Metric) write(out []byte, open bool) []byte {
	name := m.Name
	if open {
		name = strings.TrimSuffix(name, "_total") // it is part of the number's name, not of the metric's
	}
	out = append(out, "# HELP "+name+" "+helpEscapes.Replace(m.Help)+"\n# TYPE "+name+" "+m.Kind+"\n"...)
	for _, p := range m.Points {
		if m.Kind != "histogram" {
			out = m.line(out, "", p.Labels, "", p.Value)
			continue
		}
		upTo, traced := uint64(0), p.Traced
		for i, n := range p.Buckets {
			upTo += n
			bound := "+Inf"
			if i < len(m.Bounds) {
				bound = number(m.Bounds[i])
			}
			out = m.line(out, "_bucket", p.Labels, bound, float64(upTo))
			if len(traced) > 0 && traced[0].Bucket == i {
				if open {
					out = traced[0].write(out)
				}
				traced = traced[1:]
			}
		}
		out = m.line(out, "_sum", p.Labels, "", p.Value)
		out = m.line(out, "_count", p.Labels, "", float64(p.Count))
	}
	return out
}

// write adds an exemplar to the line that was written last.
func (e *Exemplar) write(out []byte) []byte {
	return append(out[:len(out)-1], ` # {trace_id="`+labelEscapes.Replace(e.Trace)+`"} `+number(e.Value)+" "+
		strconv.FormatFloat(float64(e.At.UnixMilli())/1000, 'f', 3, 64)+"\n"...)
}

// line writes one number; upTo is the bound of a bucket.
func (m *Metric) line(out []byte, suffix string, labels []string, upTo string, n float64) []byte {
	out = append(out, m.Name+suffix...)
	open := byte('{')
	for i, label := range m.Labels {
		out = append(append(out, open), label+`="`+labelEscapes.Replace(labels[i])+`"`...)
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
