package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// feed follows the log of all runs for everybody who watches: the store is
// read once per event, however many watch, and not at all while nobody does.
// It remembers the newest events; whoever is further behind reads the store.
type feed struct {
	store port.Store
	awake chan struct{} // somebody began to watch
	live  sync.Map      // *Stream → true: who wants to hear of progress

	mu       sync.Mutex
	watchers int
	recent   []view.Event  // as most want to see them, by feed number, no gaps, at most recentMax
	head     int64         // number of the newest event that is remembered; asleep while nobody watches
	grown    chan struct{} // closed and renewed when the feed grows
	stopped  bool
	news     news // of what belongs to no run
}

// asleep is the head of a feed that is not read.
const asleep = -1

const (
	recentMax = 4096
	feedBatch = 500
	feedRetry = time.Second
)

func (f *feed) start() {
	f.head, f.grown, f.awake = asleep, make(chan struct{}), make(chan struct{}, 1)
}

// join and leave count who watches. Whoever joins hears the news from then on.
func (f *feed) join() (heard int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers++; f.watchers == 1 {
		select {
		case f.awake <- struct{}{}:
		default:
		}
	}
	return f.news.given
}

func (f *feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers--; f.watchers == 0 {
		f.head, f.recent = asleep, nil
	}
}

// follow reads what is new until ctx ends.
func (f *feed) follow(ctx context.Context) {
	defer f.end()
	grown := f.store.Watch(ctx)
	for {
		more, err := f.read(ctx)
		if more {
			continue
		}
		var retry <-chan time.Time
		if err != nil { // the signal is gone, and what it was about is not read yet
			retry = time.After(feedRetry)
		}
		select {
		case _, open := <-grown:
			if !open {
				return
			}
		case <-f.awake:
		case <-retry:
		case <-ctx.Done():
			return
		}
	}
}

// read takes one batch of new events and reports whether there may be more.
func (f *feed) read(ctx context.Context) (more bool, err error) {
	at, watched := f.at()
	switch {
	case !watched:
		return false, nil
	case at == asleep:
		return f.wake(ctx)
	}
	records, next, err := f.store.Feed(ctx, at, feedBatch, port.FeedFilter{})
	if err != nil || len(records) == 0 {
		return false, err
	}
	views := make([]view.Event, len(records))
	gone := map[string]bool{}
	for i, rec := range records {
		if _, ok := rec.Fact.(*run.PayloadsRemoved); ok {
			gone[rec.Run] = true
		}
		if views[i], err = view.EventOf(rec, false); err != nil {
			return false, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head != at {
		return true, nil // everybody left meanwhile, or somebody came back
	}
	f.recent = append(f.recent, views...)
	if len(gone) > 0 { // others may still look at the list as it was
		f.recent = slices.Clone(f.recent)
		view.Strip(f.recent, gone)
	}
	if over := len(f.recent) - recentMax; over > 0 {
		f.recent = slices.Clone(f.recent[over:])
	}
	f.head = next
	f.tell()
	return true, nil
}

// wake begins to remember what happens from now on.
func (f *feed) wake(ctx context.Context) (more bool, err error) {
	head, err := f.store.Head(ctx)
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers > 0 && f.head == asleep {
		f.head = head
		f.tell() // whoever is behind reads the store
	}
	return true, nil
}

// tell wakes everybody who waits. The caller holds mu.
func (f *feed) tell() {
	close(f.grown)
	f.grown = make(chan struct{})
}

func (f *feed) at() (head int64, watched bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head, f.watchers > 0
}

func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	close(f.grown)
}

// since returns what is remembered behind a number; known is false when there
// is more than that. The channel is closed when the feed has grown.
func (f *feed) since(after int64) (events []view.Event, known bool, grown <-chan struct{}, stopped bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.head - int64(len(f.recent)) + 1
	switch {
	case f.head == asleep || after >= f.head:
		known = true
	case after+1 >= first:
		events, known = f.recent[after+1-first:], true
	}
	return events, known, f.grown, f.stopped
}

// StreamFilter says which events somebody wants to see.
type StreamFilter struct {
	Run   string
	Types []string
	After *int64 // a feed number; nil: from now on
	Full  bool
	// Progress adds what agents say while they work. It is in no log, so it
	// has no number, and whoever is slow misses some of it.
	Progress bool
}

// Stream is one watcher's way through the feed. One goroutine uses it, and
// closes it.
type Stream struct {
	app   *App
	f     StreamFilter
	at    int64
	heard int64           // news, see there
	live  chan view.Event // progress; nil if nobody asked for it
	sight sight
}

// Follow lets somebody watch what happens, as far as they may see it.
func (a *App) Follow(ctx context.Context, who Who, f StreamFilter) (*Stream, error) {
	if f.Run != "" {
		if _, err := a.run(ctx, who, access.See, f.Run); err != nil {
			return nil, err
		}
	}
	head, err := a.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stream{app: a, f: f, at: head, sight: sight{app: a, who: who}}
	if f.After != nil {
		if *f.After < 0 || *f.After > head {
			return nil, fault.Newf(fault.Invalid, "the feed has events 1 to %d: nothing comes after %d", head, *f.After)
		}
		s.at = *f.After
	}
	s.heard = a.feed.join()
	if f.Progress {
		s.live = make(chan view.Event, liveMost)
		a.feed.live.Store(s, true)
	}
	return s, nil
}

const (
	liveMost     = 64 // said and not taken yet
	stepProgress = "step.progress"
)

// Told passes on what an agent says while it works, for the engine.
func (a *App) Told(w port.Work, p port.Progress) {
	var event view.Event
	for stream := range a.feed.live.Range {
		s := stream.(*Stream)
		if s.f.Run != "" && s.f.Run != w.Run {
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
			event = view.Event{Run: w.Run, At: a.now(), Type: stepProgress, Actor: run.Actor{Kind: run.Agent}, Data: data}
		}
		select {
		case s.live <- event:
		default:
		}
	}
}

// Close says that nobody watches any more.
func (s *Stream) Close() {
	if s.app != nil {
		s.app.feed.live.Delete(s)
		s.app.feed.leave()
		s.app = nil
	}
}

// At is the number of the newest event that Next has passed.
func (s *Stream) At() int64 { return s.at }

// Next waits for events and returns them in order, none left out and none
// twice. It ends with an error when ctx ends or the app stops.
func (s *Stream) Next(ctx context.Context) ([]view.Event, error) {
	events, err := s.next(ctx)
	if err != nil {
		return nil, err
	}
	return s.app.showEvents(ctx, s.sight.who, events, s.f.Full)
}

func (s *Stream) next(ctx context.Context) ([]view.Event, error) {
	for {
		events, known, grown, stopped := s.app.feed.since(s.at)
		if news, err := s.sight.only(ctx, s.heardOf()); err != nil || len(news) > 0 {
			return news, err
		}
		switch {
		case !known || s.f.Full && len(events) > 0:
			out, err := s.read(ctx)
			if err != nil || len(out) > 0 {
				return out, err
			}
		case len(events) > 0:
			out, err := s.sight.only(ctx, s.wanted(events))
			if err != nil {
				return nil, err
			}
			if s.at = events[len(events)-1].Feed; len(out) > 0 {
				return out, nil
			}
		case stopped:
			return nil, port.ErrUnavailable
		default:
			select {
			case <-grown:
			case event := <-s.live:
				if out, err := s.sight.only(ctx, []view.Event{event}); err != nil || len(out) > 0 {
					return out, err
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// read takes the next events from the store.
func (s *Stream) read(ctx context.Context) ([]view.Event, error) {
	records, next, err := s.app.Store.Feed(ctx, s.at, feedBatch, port.FeedFilter{Run: s.f.Run, Types: s.f.Types})
	if err != nil {
		return nil, err
	}
	out := make([]view.Event, len(records))
	for i, rec := range records {
		if out[i], err = view.EventOf(rec, s.f.Full); err != nil {
			return nil, err
		}
	}
	if out, err = s.sight.only(ctx, out); err == nil {
		s.at = next
	}
	return out, err
}

func (s *Stream) wanted(events []view.Event) []view.Event {
	if s.f.Run == "" && len(s.f.Types) == 0 {
		return events
	}
	var out []view.Event
	for _, e := range events {
		if (s.f.Run == "" || e.Run == s.f.Run) && (len(s.f.Types) == 0 || slices.Contains(s.f.Types, e.Type)) {
			out = append(out, e)
		}
	}
	return out
}
