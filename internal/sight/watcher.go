package sight

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Watcher decides which events the reader of a stream may see. Roles, documents and runs may change over time, so it
// checks again for every batch. One goroutine uses it.
type Watcher struct {
	all    *Sight
	viewer func() Viewer // now
	scope  port.Scope
	runs   map[string]glimpse // results under this scope
}

// glimpse is whether a run was visible at one of its events.
type glimpse struct {
	seen bool
	seq  int64
}

// Watch is the sight of the reader of a stream.
func (s *Sight) Watch(viewer func() Viewer) *Watcher { return &Watcher{all: s, viewer: viewer} }

// Only leaves out events that its watcher may not see.
func (w *Watcher) Only(ctx context.Context, events []view.Event) ([]view.Event, error) {
	if len(events) == 0 {
		return events, nil
	}
	v := w.viewer()
	scope := v.Rules.Scope(v.Subject)
	if scope.All {
		return events, nil
	}
	if !sameScope(scope, w.scope) || len(w.runs) > rememberedMost || w.runs == nil {
		w.scope, w.runs = scope, map[string]glimpse{}
	}
	var out []view.Event
	for _, e := range events {
		ok, err := w.sees(ctx, v, e)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// sees reports whether an event is about a run that the watcher may see. A watcher who is asked for an approval sees
// the run from then on.
func (w *Watcher) sees(ctx context.Context, v Viewer, e view.Event) (bool, error) {
	if e.Run == "" { // it is about definitions
		return v.Rules.Decide(v.Subject, access.Look, access.Object{}).Allowed, nil
	}
	last, known := w.runs[e.Run]
	// An event left out of the stream in between may have asked the watcher.
	missed := e.Seq > last.seq+1 || strings.HasPrefix(e.Type, "approval.")
	if last.seen || known && (e.Seq == 0 || !missed) {
		w.runs[e.Run] = glimpse{last.seen, max(last.seq, e.Seq)}
		return last.seen, nil
	}
	from, err := w.all.Origin(ctx, e.Run)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	o := access.Object{Workflow: from.Workflow, Owner: from.Owner}
	seen := v.Sees(o)
	if !seen && e.Seq != 1 { // no approval is requested before a run has begun
		if seen, err = w.all.AskedIn(ctx, v, e.Run); err != nil {
			return false, err
		}
	}
	w.runs[e.Run] = glimpse{seen, max(last.seq, e.Seq)}
	return seen, nil
}

func sameScope(x, y port.Scope) bool {
	return x.All == y.All && x.Name == y.Name && slices.Equal(x.For, y.For) && slices.Equal(x.Workflows, y.Workflows) &&
		slices.Equal(x.Roles, y.Roles)
}
