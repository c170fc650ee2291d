package app

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

// WithStandIns adds to w the people they stand in for now. It is called once per request, so that ending a stand-in
// takes effect with the next one.
func (a *App) WithStandIns(ctx context.Context, w Who) (Who, error) {
	if w.Kind != run.Person || w.Name == "" {
		return w, nil
	}
	absent, err := a.people.StandsInFor(ctx, w.Name)
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
func (a *App) mayStandIn(w Who, name string) error {
	if w.Kind != run.Person {
		// A program that happens to have a person's name is not that person.
		name = ""
	}
	return a.guard.Decide(w, access.StandIn, access.Object{Person: name}).Refusal()
}

// awayPerson finds the person whose stand-in the caller wants to see or change.
func (a *App) awayPerson(ctx context.Context, who Who, name string) (directory.Person, error) {
	away, err := a.people.Person(ctx, name)
	if err != nil {
		return away, err
	}
	return away, a.mayStandIn(who, away.Name)
}

// SetStandIn sets who decides for a person, from now or later on.
func (a *App) SetStandIn(
	ctx context.Context, who Who, name string, c directory.Change,
) (v directory.StandIn, err error) {
	defer a.guard.Refusing(ctx, who, "stand_in.set", personTarget(name), &err)
	away, err := a.awayPerson(ctx, who, name)
	if err != nil {
		return v, err
	}
	return a.people.SetStandIn(ctx, away, c, who.Actor())
}

// StandIn shows who decides for a person, now or later.
func (a *App) StandIn(ctx context.Context, who Who, name string) (directory.StandIn, error) {
	away, err := a.awayPerson(ctx, who, name)
	if err != nil {
		return directory.StandIn{}, err
	}
	return a.people.StandInOf(ctx, away)
}

// ClearStandIn ends a stand-in.
func (a *App) ClearStandIn(ctx context.Context, who Who, name string) (v directory.StandIn, err error) {
	defer a.guard.Refusing(ctx, who, "stand_in.cleared", personTarget(name), &err)
	away, err := a.awayPerson(ctx, who, name)
	if err != nil {
		return v, err
	}
	return a.people.ClearStandIn(ctx, away, who.Actor())
}

// StandIns lists who decides for whom, now or later: all of them to administrators, to
// others their own.
func (a *App) StandIns(ctx context.Context, who Who) (view.List[directory.StandIn], error) {
	everything := a.mayStandIn(who, "") == nil
	all, err := a.people.StandIns(ctx, func(name, to string) bool {
		return everything || who.Kind == run.Person && (name == who.Name || to == who.Name)
	})
	if err != nil {
		return view.List[directory.StandIn]{}, err
	}
	return view.Whole(all), nil
}

func personTarget(name string) string { return "person/" + strings.TrimSpace(name) }
