package api

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/view"
)

// stream is a position in the feed as its reader may see it.
type stream interface {
	Next(ctx context.Context) ([]view.Event, error)
	At() int64
	Close()
}

// stateUpdated is the type of the events that states adds.
var stateUpdated = (&run.StateUpdated{}).Type()

// stepEnds are the events after which the state of a run is shown.
var stepEnds = []string{(&run.StepCompleted{}).Type(), (&run.StepFailed{}).Type(), (&run.StepSkipped{}).Type()}

// states is the stream of one run in which each event that ends a step is followed by state.updated. Those events are
// derived from the log, not stored.
type states struct {
	*app.Stream
	app   *app.App
	who   app.Who
	full  bool
	types []string // that the reader wants; empty: all
}

func (s *Server) followStates(c *call, f feed.Filter) (stream, error) {
	if f.Run == "" {
		return nil, problem.Invalid("run", "state=true requires run")
	}
	types := f.Types
	if len(types) > 0 {
		f.Types = slices.Concat(types, stepEnds)
	}
	events, err := s.app.Follow(c, c.who, f)
	return &states{events, s.app, c.who, f.Full, types}, err
}

// Next waits for events, like the stream without states.
func (s *states) Next(ctx context.Context) (out []view.Event, err error) {
	for len(out) == 0 && err == nil {
		var events []view.Event
		if events, err = s.Stream.Next(ctx); err == nil {
			out, err = s.withStates(ctx, events)
		}
	}
	return out, err
}

func (s *states) wants(event string) bool {
	return len(s.types) == 0 || slices.Contains(s.types, event)
}

func (s *states) withStates(ctx context.Context, events []view.Event) (out []view.Event, err error) {
	for _, e := range events {
		if s.wants(e.Type) {
			out = append(out, e)
		}
		if !slices.Contains(stepEnds, e.Type) || !s.wants(stateUpdated) {
			continue
		}
		state := contract.StateView{Seq: e.Seq}
		if state.State, err = s.app.RunAt(ctx, s.who, e.Run, e.Seq, s.full); err != nil {
			return nil, err
		}
		step, _ := value.Get(e.Data, "step")
		state.Step, _ = value.Text(step)
		data, err := value.Marshal(state)
		if err != nil {
			return nil, err
		}
		// It has no number of its own: a stream resumes after the event that it follows.
		out = append(out, view.Event{Run: e.Run, Feed: e.Feed, At: e.At, Type: stateUpdated,
			Actor: run.Actor{Kind: run.System}, Data: data})
	}
	return out, nil
}
