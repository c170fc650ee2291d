package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Stream delivers the events that a watcher may see. One goroutine uses it, and closes it.
type Stream struct {
	*feed.Reader
	app  *App
	who  Who
	full bool
}

// Follow opens a stream of events, as far as the caller may see them.
func (a *App) Follow(ctx context.Context, who Who, f feed.Filter) (*Stream, error) {
	if f.Run != "" {
		if _, err := a.guard.Run(ctx, who, access.See, f.Run); err != nil {
			return nil, err
		}
	}
	sees := a.sight.Watch(func() sight.Viewer { return a.guard.Viewer(who) })
	reader, err := a.feed.Read(ctx, f, sees.Only)
	if err != nil {
		return nil, err
	}
	return &Stream{reader, a, who, f.Full}, nil
}

// Next waits for events and returns them in order, without gaps or duplicates. It ends with an error when ctx ends or
// the app stops.
func (s *Stream) Next(ctx context.Context) ([]view.Event, error) {
	events, err := s.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	return s.app.sight.ShowEvents(ctx, s.app.guard.Viewer(s.who), events, s.full)
}
