package otlp

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/trace"
)

// Span is a piece of work.
type Span struct {
	trace.Context
	Parent     [8]byte // zero: none
	Name       string
	Kind       Kind
	Start, End time.Time
	Attrs      []Attr
	Events     []Event
	Links      []trace.Context
	Error      string // why it failed; see Failed
	Failed     bool
}

// Kind is the role of a span.
type Kind uint64

// Kinds, as numbered by the protocol.
const (
	Internal Kind = 1
	Client   Kind = 3
)

// Event is something that happened at one moment of a span.
type Event struct {
	Name  string
	At    time.Time
	Attrs []Attr
}

// Attr is an attribute. Its value is a string, bool, int64, float64 or []string.
type Attr struct {
	Key   string
	Value any
}

// The wire types of protocol buffers that are needed here.
const (
	varint  = 0
	fixed64 = 1
	lengths = 2
	fixed32 = 5
)

// message is an encoded protocol buffer.
type message []byte

func (m message) tag(field, kind uint64) message { return binary.AppendUvarint(m, field<<3|kind) }

func (m message) uint(field, n uint64) message {
	if n == 0 {
		return m
	}
	return binary.AppendUvarint(m.tag(field, varint), n)
}

func (m message) fixed(field, n uint64) message {
	return binary.LittleEndian.AppendUint64(m.tag(field, fixed64), n)
}

func (m message) bytes(field uint64, b []byte) message {
	return append(binary.AppendUvarint(m.tag(field, lengths), uint64(len(b))), b...)
}

func (m message) text(field uint64, s string) message {
	if s == "" {
		return m
	}
	return append(binary.AppendUvarint(m.tag(field, lengths), uint64(len(s))), s...)
}

func (m message) attrs(field uint64, attrs []Attr) message {
	for _, a := range attrs {
		m = m.bytes(field, message(nil).text(1, a.Key).bytes(2, value(a.Value)))
	}
	return m
}

// value encodes an AnyValue.
func value(v any) message {
	var m message
	switch v := v.(type) {
	case string:
		return m.bytes(1, []byte(v)) // an empty text is a value as well
	case bool:
		b := uint64(0)
		if v {
			b = 1
		}
		return binary.AppendUvarint(m.tag(2, varint), b)
	case int64:
		return binary.AppendUvarint(m.tag(3, varint), uint64(v))
	case float64:
		return m.fixed(4, math.Float64bits(v))
	case []string:
		var list message
		for _, s := range v {
			list = list.bytes(1, value(s))
		}
		return m.bytes(5, list)
	}
	return m
}

// flags of a span or a link: whether it is sampled, and that it is known whether its parent is remote.
func flags(c trace.Context) uint32 {
	f := uint32(0x100)
	if c.Sampled {
		f |= 1
	}
	return f
}

func (s *Span) encode() message {
	m := message(nil).bytes(1, s.Trace[:]).bytes(2, s.Context.Span[:])
	if s.Parent != [8]byte{} {
		m = m.bytes(4, s.Parent[:])
	}
	m = m.text(5, s.Name).uint(6, uint64(s.Kind)).fixed(7, nanos(s.Start)).fixed(8, nanos(s.End)).attrs(9, s.Attrs)
	for _, e := range s.Events {
		m = m.bytes(11, message(nil).fixed(1, nanos(e.At)).text(2, e.Name).attrs(3, e.Attrs))
	}
	for _, l := range s.Links {
		link := message(nil).bytes(1, l.Trace[:]).bytes(2, l.Span[:])
		m = m.bytes(13, binary.LittleEndian.AppendUint32(link.tag(6, fixed32), flags(l)))
	}
	if s.Failed {
		m = m.bytes(15, message(nil).text(2, s.Error).uint(3, 2))
	}
	return binary.LittleEndian.AppendUint32(m.tag(16, fixed32), flags(s.Context))
}

func nanos(t time.Time) uint64 {
	if t.IsZero() || t.UnixNano() < 0 {
		return 0
	}
	return uint64(t.UnixNano())
}

// encode is an ExportTraceServiceRequest.
func encode(resource []Attr, spans []Span) []byte {
	in := message(nil).bytes(1, message(nil).text(1, scope))
	for i := range spans {
		in = in.bytes(2, spans[i].encode())
	}
	all := message(nil).bytes(1, message(nil).attrs(1, resource)).bytes(2, in)
	return slices.Clip(message(nil).bytes(1, all))
}
