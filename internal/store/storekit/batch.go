package storekit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// A batch is the events of one write, in two lines each: the head (JSON: seq, at, type, actor, cause) and the
// data. JSON written by value.Marshal has no newlines, so a reader finds 10 MB of data without parsing it,
// and skips events that a filter excludes. The run is in the batch's row.
type head struct {
	Seq   int64     `json:"seq"`
	At    time.Time `json:"at"`
	Type  string    `json:"type"`
	Actor run.Actor `json:"actor"`
	Cause string    `json:"cause"`
}

// EncodeBatch encodes events for storage.
func EncodeBatch(events []run.Event) ([]byte, error) {
	out := newEncoder(make([]byte, 0, 256*len(events)))
	for i := range events {
		e := &events[i]
		out.b = append(appendHead(out.b, e), '\n')
		if err := out.fact(e.Fact); err != nil {
			return nil, fmt.Errorf("encode event %d (%s): %w", e.Seq, e.Fact.Type(), err)
		}
		out.b = append(out.b, '\n')
	}
	return out.b, nil
}

func appendHead(b []byte, e *run.Event) []byte {
	b = strconv.AppendInt(append(b, `{"seq":`...), e.Seq, 10)
	b = e.At.UTC().AppendFormat(append(b, `,"at":"`...), time.RFC3339Nano)
	b = appendString(append(b, `","type":`...), e.Fact.Type())
	b = appendString(append(b, `,"actor":{"kind":`...), string(e.Actor.Kind))
	if e.Actor.Name != "" {
		b = appendString(append(b, `,"name":`...), e.Actor.Name)
	}
	if e.Actor.Issuer != "" {
		b = appendString(append(b, `,"issuer":`...), e.Actor.Issuer)
	}
	if e.Actor.Subject != "" {
		b = appendString(append(b, `,"subject":`...), e.Actor.Subject)
	}
	b = append(b, '}')
	if e.Cause != "" {
		b = appendString(append(b, `,"cause":`...), e.Cause)
	}
	return append(b, '}')
}

// appendString encodes s as JSON, with a fast path for text that needs no escaping, which is nearly all of
// it.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, _ := json.Marshal(s) // a string can always be encoded
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// Batch is a stored row of events.
type Batch struct {
	Run      string
	LastSeq  int64
	LastFeed int64
	Count    int64
	Body     []byte
}

// Records appends the batch's events after a sequence and a feed number to out, if types (none: all) includes
// them and until there are limit. It returns the feed number of the last event it read.
func (b Batch) Records(
	out []port.Record, afterSeq, afterFeed int64, types []string, limit int,
) ([]port.Record, int64, error) {
	body, at := b.Body, afterFeed
	for i := range b.Count {
		if len(out) >= limit {
			break
		}
		headLine, rest, ok1 := bytes.Cut(body, newline)
		data, rest, ok2 := bytes.Cut(rest, newline)
		if !ok1 || !ok2 {
			return nil, 0, fmt.Errorf("events of run %s up to %d: the batch ends early", b.Run, b.LastSeq)
		}
		body = rest
		feed, seq := b.LastFeed-b.Count+1+i, b.LastSeq-b.Count+1+i
		if seq <= afterSeq || feed <= afterFeed {
			continue
		}
		at = feed
		e, err := b.event(headLine, data, types)
		if err != nil {
			return nil, 0, fmt.Errorf("event %d of run %s: %w", seq, b.Run, err)
		}
		if e == nil {
			continue
		}
		if e.Seq != seq {
			return nil, 0, fmt.Errorf("event %d of run %s: the stored event says %d", seq, b.Run, e.Seq)
		}
		out = append(out, port.Record{Feed: feed, Event: *e})
	}
	return out, at, nil
}

var newline = []byte{'\n'}

// event decodes one, or returns nil if types excludes it.
func (b Batch) event(headLine, data []byte, types []string) (*run.Event, error) {
	var h head
	if err := json.Unmarshal(headLine, &h); err != nil {
		return nil, fmt.Errorf("decode its head: %w", err)
	}
	if len(types) > 0 && !slices.Contains(types, h.Type) {
		return nil, nil
	}
	f, err := run.DecodeFact(h.Type, data)
	if err != nil {
		return nil, err
	}
	return &run.Event{Run: b.Run, Seq: h.Seq, At: h.At, Actor: h.Actor, Cause: h.Cause, Fact: f}, nil
}
