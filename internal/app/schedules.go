package app

import (
	"cmp"
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

// Schedules lists the schedules in force of workflows that the caller may see, by name.
func (a *App) Schedules(ctx context.Context, who Who) (view.List[schedule.Schedule], error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[schedule.Schedule]{}, err
	}
	found, err := a.schedules.Views(ctx, func(s *definition.Schedule) bool {
		return a.guard.Shows(who, definition.KindWorkflow, s.Workflow)
	})
	return view.Whole(found), err
}

// Schedule shows a schedule in force.
func (a *App) Schedule(ctx context.Context, who Who, name string) (schedule.Schedule, error) {
	all, err := a.Schedules(ctx, who)
	return pick(all, err, definition.KindSchedule, name, func(v schedule.Schedule) string { return v.Name })
}

// pick is the one of a list that has a name.
func pick[T any](all view.List[T], err error, kind definition.Kind, name string,
	nameOf func(T) string) (none T, _ error) {
	var names []string
	for _, v := range all.Items {
		if nameOf(v) == name {
			return v, err
		}
		names = append(names, nameOf(v))
	}
	return none, cmp.Or(err, error(registry.Unknown(kind, name, names)))
}

// RunSchedule starts a run of a schedule now, whatever runs already. It belongs to the caller.
func (a *App) RunSchedule(ctx context.Context, who Who, name string, k Idempotency) (v view.Run, err error) {
	if _, err := a.Schedule(ctx, who, name); err != nil {
		return view.Run{}, err
	}
	s := a.schedules.InForce(name)
	if s == nil { // withdrawn a moment ago
		return view.Run{}, registry.Unknown(definition.KindSchedule, name, nil)
	}
	return a.Begin(ctx, who, NewRun{Workflow: s.Workflow, Input: s.Input}, k)
}

// DeleteSchedule takes a schedule out of force. Its versions and runs stay.
func (a *App) DeleteSchedule(ctx context.Context, who Who, name string) (v schedule.Schedule, err error) {
	err = a.Documents.WithdrawShown(ctx, who, definition.KindSchedule, name, func() (err error) {
		v, err = a.Schedule(ctx, who, name)
		return err
	})
	return v, err
}
