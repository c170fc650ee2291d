package view

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Strip removes the payloads from events of runs whose payloads were deleted. Events unknown to this release are left
// out.
func Strip(events []Event, runs map[string]bool) {
	for i, e := range events {
		if !runs[e.Run] || e.Seq == 0 {
			continue
		}
		events[i].Data = run.Removed
		if f, err := run.DecodeFact(e.Type, e.Data); err == nil {
			if data, err := run.EncodeFact(run.Strip(f)); err == nil {
				events[i].Data = data
			}
		}
	}
}

// FindShortened looks for the references that shortener puts in place of long values.
func FindShortened(data json.RawMessage) (at string, found bool) {
	switch value.KindOf(data) {
	case value.KindObject:
		_, blob := value.Get(data, "$blob")
		_, preview := value.Get(data, "preview")
		if blob && preview {
			return "", true
		}
		for key, m := range value.Members(data) {
			if len(m) > previewMax {
				if at, found := FindShortened(m); found {
					return "/" + key + at, true
				}
			}
		}
	}
	return "", false
}

// Event is an event as lists, SSE and WebSocket show it.
type Event struct {
	Feed  int64           `json:"feed"` // The number in the feed of all runs. There are no gaps.
	Run   string          `json:"run" holds:"id"`
	Seq   int64           `json:"seq"` // The number in the run's log.
	At    time.Time       `json:"at"`
	Type  string          `json:"type" holds:"id"`            // Such as run.started or approval.needed.
	Actor run.Actor       `json:"actor"`                      // Who did it.
	Cause string          `json:"cause,omitempty" holds:"id"` // The command that led to it, if people sent one.
	Data  json.RawMessage `json:"data" holds:"payload"`       // What happened; its form depends on type.
	Masking
}

func EventOf(rec port.Record, full bool) (Event, error) {
	data, err := run.EncodeFact(rec.Fact)
	if err == nil && !full {
		data = ShortenWithin(data, Shortener(false))
	}
	return Event{Feed: rec.Feed, Run: rec.Run, Seq: rec.Seq, At: rec.At, Type: rec.Fact.Type(), Actor: rec.Actor,
		Cause: rec.Cause, Data: data}, err
}

// ShortenWithin keeps the shape of a long object and shortens its long members.
func ShortenWithin(v json.RawMessage, shorten func(json.RawMessage) json.RawMessage) json.RawMessage {
	if len(v) <= shownMax {
		return v
	}
	if value.KindOf(v) != value.KindObject {
		return shorten(v)
	}
	var out []value.Member
	for name, m := range value.Members(v) {
		out = append(out, value.Member{Key: name, Value: shortenMember(m, shorten)})
	}
	return value.Object(out...)
}

// shortenMember goes one level deeper into results and requests, which are objects of ours; payloads of people and
// agents are shortened whole.
func shortenMember(v json.RawMessage, shorten func(json.RawMessage) json.RawMessage) json.RawMessage {
	if _, ours := value.Get(v, "output"); ours {
		return ShortenWithin(v, shorten)
	}
	if _, ours := value.Get(v, "proposed"); ours {
		return ShortenWithin(v, shorten)
	}
	return shorten(v)
}
