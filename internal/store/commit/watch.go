package commit

import (
	"context"
	"sync"
)

// Watchers are notified when the feed has grown.
type Watchers struct {
	mu     sync.Mutex
	all    map[chan struct{}]struct{}
	closed bool
	wg     sync.WaitGroup
	quit   chan struct{}
}

// Add watches until ctx ends or Close is called; then the channel is closed.
func (w *Watchers) Add(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || ctx.Err() != nil {
		close(ch)
		return ch
	}
	if w.all == nil {
		w.all, w.quit = map[chan struct{}]struct{}{}, make(chan struct{})
	}
	w.all[ch] = struct{}{}
	w.wg.Go(func() {
		select {
		case <-ctx.Done():
		case <-w.quit:
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, ch)
		close(ch)
	})
	return ch
}

// Wake signals all watchers without a pending signal: a pending one is consumed before the feed is read, so
// nothing is missed.
func (w *Watchers) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.all {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Close ends all watching. It is idempotent.
func (w *Watchers) Close() {
	w.mu.Lock()
	if w.quit != nil && !w.closed {
		close(w.quit)
	}
	w.closed = true
	w.mu.Unlock()
	w.wg.Wait()
}
