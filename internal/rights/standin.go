package rights

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/view"
)

// WithStandIns adds to w the people they stand in for now. It is called once per request, so that ending a stand-in
// takes effect with the next one.
func (r *Rights) WithStandIns(ctx context.Context, w guard.Who) (guard.Who, error) {
	if w.Kind != run.Person || w.Name == "" {
		return w, nil
	}
	absent, err := r.people.StandsInFor(ctx, w.Name)
	if err != nil {
		return w, err
	}
	w.For = nil
	for _, p := range absent {
		w.For = append(w.For, access.Substitute{Name: p.Name, Roles: p.Roles})
	}
	return w, nil
}

// mayStandIn refuses callers that may neither set nor see the stand-in of a person.
func (r *Rights) mayStandIn(w guard.Who, name string) error {
	if w.Kind != run.Person {
		// A program that happens to have a person's name is not that person.
		name = ""
	}
	return r.guard.Decide(w, access.StandIn, access.Object{Person: name}).Refusal()
}

// awayPerson finds the person whose stand-in the caller wants to see or change.
func (r *Rights) awayPerson(ctx context.Context, who guard.Who, name string) (directory.Person, error) {
	away, err := r.people.Person(ctx, name)
	if err != nil {
		return away, err
	}
	return away, r.mayStandIn(who, away.Name)
}

// SetStandIn sets who decides for a person, from now or later on.
func (r *Rights) SetStandIn(
	ctx context.Context, who guard.Who, name string, c directory.Change,
) (v directory.StandIn, err error) {
	defer r.guard.Refusing(ctx, who, "stand_in.set", personTarget(name), &err)
	away, err := r.awayPerson(ctx, who, name)
	if err != nil {
		return v, err
	}
	return r.people.SetStandIn(ctx, away, c, who.Actor())
}

// StandIn shows who decides for a person, now or later.
func (r *Rights) StandIn(ctx context.Context, who guard.Who, name string) (directory.StandIn, error) {
	away, err := r.awayPerson(ctx, who, name)
	if err != nil {
		return directory.StandIn{}, err
	}
	return r.people.StandInOf(ctx, away)
}

// ClearStandIn ends a stand-in.
func (r *Rights) ClearStandIn(ctx context.Context, who guard.Who, name string) (v directory.StandIn, err error) {
	defer r.guard.Refusing(ctx, who, "stand_in.cleared", personTarget(name), &err)
	away, err := r.awayPerson(ctx, who, name)
	if err != nil {
		return v, err
	}
	return r.people.ClearStandIn(ctx, away, who.Actor())
}

// StandIns lists who decides for whom, now or later: all of them to administrators, to
// others their own.
func (r *Rights) StandIns(ctx context.Context, who guard.Who) (view.List[directory.StandIn], error) {
	everything := r.mayStandIn(who, "") == nil
	all, err := r.people.StandIns(ctx, func(name, to string) bool {
		return everything || who.Kind == run.Person && (name == who.Name || to == who.Name)
	})
	if err != nil {
		return view.List[directory.StandIn]{}, err
	}
	return view.Whole(all), nil
}

func personTarget(name string) string { return "person/" + strings.TrimSpace(name) }
