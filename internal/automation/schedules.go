package automation

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

// Schedules lists the schedules in force of workflows that the caller may see, by name.
func (a *Automation) Schedules(ctx context.Context, who guard.Who) (view.List[schedule.Schedule], error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[schedule.Schedule]{}, err
	}
	found, err := a.schedules.Views(ctx, func(s *definition.Schedule) bool {
		return a.guard.Shows(who, definition.KindWorkflow, s.Workflow)
	})
	return view.Whole(found), err
}

// Schedule shows a schedule in force.
func (a *Automation) Schedule(ctx context.Context, who guard.Who, name string) (schedule.Schedule, error) {
	all, err := a.Schedules(ctx, who)
	return pick(all, err, definition.KindSchedule, name, func(v schedule.Schedule) string { return v.Name })
}

// RunSchedule starts a run of a schedule now, even if other runs of it are in progress. The caller owns the run.
func (a *Automation) RunSchedule(ctx context.Context, who guard.Who, name string, k Keep) (v view.Run, err error) {
	if _, err := a.Schedule(ctx, who, name); err != nil {
		return view.Run{}, err
	}
	s := a.schedules.InForce(name)
	if s == nil { // withdrawn a moment ago
		return view.Run{}, registry.Unknown(definition.KindSchedule, name, nil)
	}
	return a.runs.StartRun(ctx, who, s.Workflow, s.Input, k)
}

// DeleteSchedule withdraws a schedule. Its versions and runs are kept.
func (a *Automation) DeleteSchedule(ctx context.Context, who guard.Who, name string) (v schedule.Schedule, err error) {
	err = a.documents.WithdrawShown(ctx, who, definition.KindSchedule, name, func() (err error) {
		v, err = a.Schedule(ctx, who, name)
		return err
	})
	return v, err
}
