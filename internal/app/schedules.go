package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

// Schedules lists the schedules in force of workflows that the caller may see, by name.
func (a *App) Schedules(ctx context.Context, who Who) (view.List[schedule.Schedule], error) {
	if err := a.may(who, access.Look); err != nil {
		return view.List[schedule.Schedule]{}, err
	}
	found, err := a.schedules.Views(ctx, func(s *definition.Schedule) bool {
		return a.shows(who, definition.KindWorkflow, s.Workflow)
	})
	return view.Whole(found), err
}

// Schedule shows a schedule in force.
func (a *App) Schedule(ctx context.Context, who Who, name string) (schedule.Schedule, error) {
	all, err := a.Schedules(ctx, who)
	if err != nil {
		return schedule.Schedule{}, err
	}
	names := make([]string, len(all.Items))
	for i, v := range all.Items {
		if v.Name == name {
			return v, nil
		}
		names[i] = v.Name
	}
	return schedule.Schedule{}, registry.Unknown(definition.KindSchedule, name, names)
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
	defer a.refusing(ctx, who, "definition.withdrawn", "schedule/"+name, &err)
	if err := a.may(who, access.Write); err != nil {
		return v, err
	}
	if v, err = a.Schedule(ctx, who, name); err != nil {
		return v, err
	}
	return v, a.registry.Withdraw(ctx, definition.KindSchedule, name, who.Key())
}

// mayStart refuses to save a schedule of a workflow that the caller may not start.
func (a *App) mayStart(ctx context.Context, who Who, doc definition.Document) error {
	s, ok := doc.(*definition.Schedule)
	if !ok {
		return nil
	}
	return a.allowWorkflow(ctx, who, access.Start, s.Workflow)
}
