// Package sight decides what callers may see, and shows it: which runs, which of their approvals, which events of a
// stream, and which values in them are masked. Who is asked matters as much as roles do, so it reads approvals.
//
//	events, err := sights.Watch(viewer).Only(ctx, events)
//	shown, err := sights.ShowRun(ctx, viewer, state, now, false)
//
// It decides nothing about actions: app does, with package access, before it shows anything.
package sight

import (
	"context"
	"sync"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Store is what sight depends on.
type Store interface {
	Run(ctx context.Context, id string) (port.RunRow, error)
	Approval(ctx context.Context, id string) (port.ApprovalRow, error)
	Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error)
	Drafts(ctx context.Context, runs []string) (map[string]int, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
}

// Viewer is a caller under the rules in force.
type Viewer struct {
	access.Subject
	Rules *access.Rules
}

func (v Viewer) may(action access.Action, o access.Object) bool {
	return v.Rules.Decide(v.Subject, action, o).Allowed
}

// Sees reports whether the viewer may see something.
func (v Viewer) Sees(o access.Object) bool { return v.may(access.See, o) }

// Scope limits lists to the rows that the viewer may see; nil: everything.
func (v Viewer) Scope() *port.Scope {
	s := v.Rules.Scope(v.Subject)
	if s.All {
		return nil
	}
	return &s
}

// key identifies the viewer among those who decided.
func (v Viewer) key() string {
	s := v.Subject
	return run.Actor{Kind: s.Kind, Name: s.Name, Issuer: s.Issuer, Subject: s.Subject}.Key()
}

// Sight is the sight of all callers. Any number of goroutines may use it.
type Sight struct {
	store   Store
	masking *view.Sensitive
	away    func(ctx context.Context, names []string) ([]port.StandIn, error)
	mu      sync.Mutex
	known   map[string]Origin
}

// New creates the sight of a store. Away lists the stand-ins of those among some people who are away.
func New(s Store, masking *view.Sensitive,
	away func(ctx context.Context, names []string) ([]port.StandIn, error)) *Sight {
	return &Sight{store: s, masking: masking, away: away}
}

// rememberedMost is how many runs a watcher, and Sight, remember.
const rememberedMost = 8192

// Origin is what of a run decides who may see it, and never changes.
type Origin struct{ Workflow, Owner string }

// Origin is the origin of a run.
func (s *Sight) Origin(ctx context.Context, id string) (Origin, error) {
	s.mu.Lock()
	found, ok := s.known[id]
	s.mu.Unlock()
	if ok {
		return found, nil
	}
	row, err := s.store.Run(ctx, id)
	if err != nil {
		return Origin{}, err
	}
	found = Origin{row.Workflow, row.Owner}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= rememberedMost {
		s.known = map[string]Origin{}
	}
	s.known[id] = found
	return found, nil
}

// About collects everything that an access decision about an approval may depend on.
func (s *Sight) About(ctx context.Context, row port.ApprovalRow) (o access.Object, err error) {
	o.Workflow = row.Workflow
	if o.Approval, err = view.ReadApproval(row); err != nil {
		return o, err
	}
	owned, err := s.store.Run(ctx, row.Run)
	o.Owner = owned.Owner
	return o, err
}

// AskedIn reports whether an approval of a run asks the viewer: by name, by a role that is only a name, or as a
// stand-in.
func (s *Sight) AskedIn(ctx context.Context, v Viewer, runID string) (bool, error) {
	scope := v.Rules.Scope(v.Subject)
	q := port.ApprovalQuery{Run: runID, Scope: &port.Scope{Name: scope.Name, For: scope.For, Roles: scope.Roles},
		Sort: port.ByNewest, Limit: askedMost, NoTotal: true}
	for {
		page, err := s.store.Approvals(ctx, q)
		if err != nil {
			return false, err
		}
		for _, row := range page.Items {
			ap, err := view.ReadApproval(row)
			if err != nil {
				return false, err
			}
			if v.Rules.Asked(v.Subject, access.Object{Workflow: row.Workflow, Approval: ap}) {
				return true, nil
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return false, nil
		}
	}
}

// askedMost is how many approvals of a run are read at a time.
const askedMost = 100
