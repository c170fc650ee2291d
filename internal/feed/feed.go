package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Store is where events are read.
type Store interface {
	Head(ctx context.Context) (int64, error)
	Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error)
	Watch(ctx context.Context) <-chan struct{}
}

// Feed follows the log of all runs for its readers: the store is read once per event, however many readers there are,
// and not at all while there are none. It remembers the newest events; readers further behind read the store.
type Feed struct {
	store Store
	now   func() time.Time
	awake chan struct{} // a reader joined
	live  sync.Map      // *Reader → true: the readers that want progress

	mu       sync.Mutex
	watchers int
	recent   []view.Event  // with the default shortening, by feed number, no gaps, at most recentMax
	head     int64         // number of the newest event that is remembered; asleep while there are no readers
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

// New creates a feed of a store. Nothing is read until Run.
func New(from Store, now func() time.Time) *Feed {
	return &Feed{store: from, now: now, head: asleep, grown: make(chan struct{}), awake: make(chan struct{}, 1)}
}

// join and leave count the readers. A new reader gets the news from then on.
func (f *Feed) join() (heard int64) {
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

func (f *Feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers--; f.watchers == 0 {
		f.head, f.recent = asleep, nil
	}
}

// Head is the number of the newest event.
func (f *Feed) Head(ctx context.Context) (int64, error) { return f.store.Head(ctx) }

// Run reads new events until ctx ends. Readers end with it.
func (f *Feed) Run(ctx context.Context) {
	defer f.end()
	grown := f.store.Watch(ctx)
	for {
		more, err := f.read(ctx)
		if more {
			continue
		}
		var retry <-chan time.Time
		if err != nil { // the signal is consumed, but its events are not read yet
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
func (f *Feed) read(ctx context.Context) (more bool, err error) {
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
		return true, nil // all readers left in the meantime, or one came back
	}
	f.recent = append(f.recent, views...)
	if len(gone) > 0 { // readers may still be using the old list
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

// wake starts remembering events from now on.
func (f *Feed) wake(ctx context.Context) (more bool, err error) {
	head, err := f.store.Head(ctx)
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers > 0 && f.head == asleep {
		f.head = head
		f.tell() // readers that are behind read the store
	}
	return true, nil
}

// tell wakes all waiting readers. The caller holds mu.
func (f *Feed) tell() {
	close(f.grown)
	f.grown = make(chan struct{})
}

func (f *Feed) at() (head int64, watched bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head, f.watchers > 0
}

func (f *Feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	close(f.grown)
}

// since returns the remembered events after a number; known is false when older ones are missing. The channel is
// closed when the feed has grown.
func (f *Feed) since(after int64) (events []view.Event, known bool, grown <-chan struct{}, stopped bool) {
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
