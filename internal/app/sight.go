package app

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// sight decides which events a watcher may see. Roles, documents and runs may change over time, so it checks again for
// every batch. One goroutine uses it.
type sight struct {
	app   *App
	who   Who
	scope port.Scope
	runs  map[string]glimpse // results under this scope
}

// glimpse is whether a run was visible at one of its events.
type glimpse struct {
	seen bool
	seq  int64
}

// sightMost is how many runs a watcher, and the app, remember.
const sightMost = 8192

// only leaves out events that its watcher may not see.
func (v *sight) only(ctx context.Context, events []view.Event) ([]view.Event, error) {
	if len(events) == 0 {
		return events, nil
	}
	s := v.app.subject(v.who)
	scope := v.app.rules().Scope(s)
	if scope.All {
		return events, nil
	}
	if !sameScope(scope, v.scope) || len(v.runs) > sightMost || v.runs == nil {
		v.scope, v.runs = scope, map[string]glimpse{}
	}
	var out []view.Event
	for _, e := range events {
		ok, err := v.sees(ctx, s, e)
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
func (v *sight) sees(ctx context.Context, s access.Subject, e view.Event) (bool, error) {
	if e.Run == "" { // it is about definitions
		return v.app.rules().Decide(s, access.Look, access.Object{}).Allowed, nil
	}
	last, known := v.runs[e.Run]
	// An event left out of the stream in between may have asked the watcher.
	missed := e.Seq > last.seq+1 || strings.HasPrefix(e.Type, "approval.")
	if last.seen || known && (e.Seq == 0 || !missed) {
		v.runs[e.Run] = glimpse{last.seen, max(last.seq, e.Seq)}
		return last.seen, nil
	}
	from, err := v.app.origin(ctx, e.Run)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	o := access.Object{Workflow: from.workflow, Owner: from.owner}
	seen := v.app.rules().Decide(s, access.See, o).Allowed
	if !seen && e.Seq != 1 { // no approval is requested before a run has begun
		if seen, err = v.app.askedIn(ctx, s, e.Run); err != nil {
			return false, err
		}
	}
	v.runs[e.Run] = glimpse{seen, max(last.seq, e.Seq)}
	return seen, nil
}

func sameScope(x, y port.Scope) bool {
	return x.All == y.All && x.Name == y.Name && slices.Equal(x.For, y.For) && slices.Equal(x.Workflows, y.Workflows) &&
		slices.Equal(x.Roles, y.Roles)
}

// origins caches the properties of runs that never change and decide who may see them.
type origins struct {
	mu    sync.Mutex
	known map[string]origin
}

type origin struct{ workflow, owner string }

// origin is the origin of a run.
func (a *App) origin(ctx context.Context, id string) (origin, error) {
	a.origins.mu.Lock()
	found, ok := a.origins.known[id]
	a.origins.mu.Unlock()
	if ok {
		return found, nil
	}
	row, err := a.lists.Run(ctx, id)
	if err != nil {
		return origin{}, err
	}
	found = origin{row.Workflow, row.Owner}
	a.origins.mu.Lock()
	defer a.origins.mu.Unlock()
	if a.origins.known == nil || len(a.origins.known) >= sightMost {
		a.origins.known = map[string]origin{}
	}
	a.origins.known[id] = found
	return found, nil
}
