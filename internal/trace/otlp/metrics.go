package otlp

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/metrics"
)

// cumulative is the aggregation temporality of numbers that count from the start of the process.
const cumulative = 2

// encodeMetrics is an ExportMetricsServiceRequest. Metrics keep the names that they have in Prometheus.
func encodeMetrics(resource []Attr, all []metrics.Metric, start, now time.Time) []byte {
	in := message(nil).bytes(1, message(nil).text(1, scope))
	for i := range all {
		if len(all[i].Points) > 0 {
			in = in.bytes(2, encodeMetric(&all[i], nanos(start), nanos(now)))
		}
	}
	whole := message(nil).bytes(1, message(nil).attrs(1, resource)).bytes(2, in)
	return slices.Clip(message(nil).bytes(1, whole))
}

func encodeMetric(m *metrics.Metric, start, now uint64) message {
	var points message
	for i := range m.Points {
		p := &m.Points[i]
		one := message(nil)
		if m.Kind != "gauge" {
			one = one.fixed(2, start)
		}
		one = one.fixed(3, now)
		if m.Kind == "histogram" {
			one = one.fixed(4, p.Count).fixed(5, math.Float64bits(p.Value)).packed(6, p.Buckets).packed(7, bits(m.Bounds))
			for _, e := range p.Traced {
				one = one.bytes(8, encodeExemplar(e))
			}
			one = one.attrs(9, labels(m.Labels, p.Labels))
		} else {
			one = one.fixed(4, math.Float64bits(p.Value)).attrs(7, labels(m.Labels, p.Labels))
		}
		points = points.bytes(1, one)
	}
	out := message(nil).text(1, m.Name).text(2, m.Help)
	switch m.Kind {
	case "counter":
		return out.bytes(7, points.uint(2, cumulative).uint(3, 1)) // it only grows
	case "histogram":
		return out.bytes(9, points.uint(2, cumulative))
	default:
		return out.bytes(5, points)
	}
}

func encodeExemplar(e metrics.Exemplar) message {
	m := message(nil).fixed(2, nanos(e.At)).fixed(3, math.Float64bits(e.Value))
	if id, err := hex.DecodeString(e.Trace); err == nil && len(id) == 16 {
		m = m.bytes(5, id)
	}
	return m
}

func labels(names, values []string) []Attr {
	out := make([]Attr, len(names))
	for i, name := range names {
		out[i] = Attr{name, values[i]}
	}
	return out
}

func bits(floats []float64) []uint64 {
	out := make([]uint64, len(floats))
	for i, f := range floats {
		out[i] = math.Float64bits(f)
	}
	return out
}

// packed is a list of numbers of 64 bits.
func (m message) packed(field uint64, list []uint64) message {
	b := make([]byte, 0, 8*len(list))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return m.bytes(field, b)
}
