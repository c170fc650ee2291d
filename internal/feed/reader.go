package feed

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Filter selects the events that a reader wants.
type Filter struct {
	Run   string
	Types []string
	After *int64 // a feed number; nil: from now on
	Full  bool
	// Progress adds agents' progress messages. They are in no log, so they have no number, and slow readers miss some.
	Progress bool
}

// Only leaves out the events that a reader may not get. It is called for every batch, so its knowledge may change in
// between.
type Only func(ctx context.Context, events []view.Event) ([]view.Event, error)

// Reader is one position in the feed. One goroutine uses it, and closes it.
type Reader struct {
	feed   *Feed
	f      Filter
	only   Only
	at     int64
	heard  int64           // news, see there
	live   chan view.Event // progress; nil if not requested
	closed bool
}

// Read opens a reader of the feed, limited by only.
func (f *Feed) Read(ctx context.Context, wanted Filter, only Only) (*Reader, error) {
	head, err := f.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	r := &Reader{feed: f, f: wanted, only: only, at: head}
	if wanted.After != nil {
		if *wanted.After < 0 || *wanted.After > head {
			return nil, fault.Newf(fault.Invalid, "the feed has no event %d yet; its last is %d", *wanted.After, head)
		}
		r.at = *wanted.After
	}
	r.heard = f.join()
	if wanted.Progress {
		r.live = make(chan view.Event, liveMost)
		f.live.Store(r, true)
	}
	return r, nil
}

const (
	liveMost     = 64 // messages waiting to be read
	stepProgress = "step.progress"
)

// Reported passes on an agent's progress message.
func (f *Feed) Reported(w port.Work, p port.Progress) {
	var event view.Event
	for reader := range f.live.Range {
		r := reader.(*Reader)
		if r.f.Run != "" && r.f.Run != w.Run {
			continue
		}
		if event.Type == "" {
			data, err := value.Marshal(struct {
				Step  string `json:"step"`
				Index *int   `json:"index,omitempty"`
				Try   int    `json:"try"`
				port.Progress
			}{w.Step, w.Index, w.Try, p})
			if err != nil {
				return
			}
			event = view.Event{Run: w.Run, At: f.now(), Type: stepProgress, Actor: run.Actor{Kind: run.Agent}, Data: data}
		}
		select {
		case r.live <- event:
		default:
		}
	}
}

// Close ends the reader.
func (r *Reader) Close() {
	if !r.closed {
		r.closed = true
		r.feed.live.Delete(r)
		r.feed.leave()
	}
}

// At is the number of the newest event that Next has passed.
func (r *Reader) At() int64 { return r.at }

// Next waits for events and returns them in order, without gaps or duplicates. It ends with an error when ctx ends or
// the feed does.
func (r *Reader) Next(ctx context.Context) ([]view.Event, error) {
	for {
		events, known, grown, stopped := r.feed.since(r.at)
		if news, err := r.only(ctx, r.heardOf()); err != nil || len(news) > 0 {
			return news, err
		}
		switch {
		case !known || r.f.Full && len(events) > 0:
			out, err := r.read(ctx)
			if err != nil || len(out) > 0 {
				return out, err
			}
		case len(events) > 0:
			out, err := r.only(ctx, r.wanted(events))
			if err != nil {
				return nil, err
			}
			if r.at = events[len(events)-1].Feed; len(out) > 0 {
				return out, nil
			}
		case stopped:
			return nil, port.ErrUnavailable
		default:
			select {
			case <-grown:
			case event := <-r.live:
				if out, err := r.only(ctx, []view.Event{event}); err != nil || len(out) > 0 {
					return out, err
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// read reads the next events from the store.
func (r *Reader) read(ctx context.Context) ([]view.Event, error) {
	records, next, err := r.feed.store.Feed(ctx, r.at, feedBatch, port.FeedFilter{Run: r.f.Run, Types: r.f.Types})
	if err != nil {
		return nil, err
	}
	out := make([]view.Event, len(records))
	for i, rec := range records {
		if out[i], err = view.EventOf(rec, r.f.Full); err != nil {
			return nil, err
		}
	}
	if out, err = r.only(ctx, out); err == nil {
		r.at = next
	}
	return out, err
}

func (r *Reader) wanted(events []view.Event) []view.Event {
	if r.f.Run == "" && len(r.f.Types) == 0 {
		return events
	}
	var out []view.Event
	for _, e := range events {
		if (r.f.Run == "" || e.Run == r.f.Run) && (len(r.f.Types) == 0 || slices.Contains(r.f.Types, e.Type)) {
			out = append(out, e)
		}
	}
	return out
}
