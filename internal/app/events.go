package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// EventView is an event as lists, SSE and WebSocket show it.
type EventView struct {
	Feed  int64           `json:"feed"`
	Run   string          `json:"run" holds:"id"`
	Seq   int64           `json:"seq"`
	At    time.Time       `json:"at"`
	Type  string          `json:"type" holds:"id"`
	Actor run.Actor       `json:"actor"`
	Cause string          `json:"cause,omitempty" holds:"id"` // the command that led to it: whose it was, and its id
	Data  json.RawMessage `json:"data" holds:"payload"`
	Masking
}

func viewEvent(rec port.Record, full bool) (EventView, error) {
	data, err := run.EncodeFact(rec.Fact)
	if err == nil && !full {
		data = shortenWithin(data, shortener(false))
	}
	return EventView{Feed: rec.Feed, Run: rec.Run, Seq: rec.Seq, At: rec.At, Type: rec.Fact.Type(), Actor: rec.Actor, Cause: rec.Cause, Data: data}, err
}

// shortenWithin keeps the shape of a long object and shortens what is long in it.
func shortenWithin(v json.RawMessage, shorten func(json.RawMessage) json.RawMessage) json.RawMessage {
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

// shortenMember looks one level further into results and requests, which are
// objects of ours; what people and agents sent is shortened whole.
func shortenMember(v json.RawMessage, shorten func(json.RawMessage) json.RawMessage) json.RawMessage {
	if _, ours := value.Get(v, "output"); ours {
		return shortenWithin(v, shorten)
	}
	if _, ours := value.Get(v, "proposed"); ours {
		return shortenWithin(v, shorten)
	}
	return shorten(v)
}

// Events reads a run's log behind a sequence number, oldest first.
func (a *App) Events(ctx context.Context, who Who, id string, after int64, limit int, full bool) (ListView[EventView], error) {
	row, err := a.run(ctx, who, access.See, id)
	if err != nil {
		return ListView[EventView]{}, err
	}
	records, err := a.Store.Events(ctx, id, after, limit)
	if err != nil {
		return ListView[EventView]{}, err
	}
	out := ListView[EventView]{Items: []EventView{}, Total: row.Seq}
	for _, rec := range records {
		v, err := viewEvent(rec, full)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, v)
	}
	out.Items, err = a.showEvents(ctx, who, out.Items, full)
	return out, err
}
