package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

// Deliver takes a delivery to a trigger. It proves by itself who sent it.
func (a *App) Deliver(ctx context.Context, name string, r trigger.Request) (trigger.Receipt, error) {
	return a.triggers.Receive(ctx, name, r)
}

// Triggers lists the triggers in force of workflows that the caller may see, by name.
func (a *App) Triggers(ctx context.Context, who Who) (view.List[trigger.Trigger], error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[trigger.Trigger]{}, err
	}
	found, err := a.triggers.Views(ctx, func(t *definition.Trigger) bool {
		return a.guard.Shows(who, definition.KindWorkflow, t.Workflow)
	})
	for i := 0; i < len(found) && err == nil; i++ {
		err = a.showDeliveries(ctx, who, found[i].Workflow, found[i].Deliveries)
	}
	return view.Whole(found), err
}

// Trigger shows a trigger in force with its last deliveries.
func (a *App) Trigger(ctx context.Context, who Who, name string) (trigger.Trigger, error) {
	all, err := a.Triggers(ctx, who)
	v, err := pick(all, err, definition.KindTrigger, name, func(v trigger.Trigger) string { return v.Name })
	if err == nil {
		v.Deliveries, err = a.triggers.Deliveries(ctx, name, port.HookDeliveriesMax)
	}
	if err == nil {
		err = a.showDeliveries(ctx, who, v.Workflow, v.Deliveries)
	}
	return v, err
}

// showDeliveries masks deliveries for the caller: as the run that each started or, if it started none, altogether.
func (a *App) showDeliveries(ctx context.Context, who Who, workflow string, all []trigger.Delivery) (err error) {
	plain := a.guard.Decide(who, access.Unmasked, access.Object{Workflow: workflow}).Allowed
	for i := range all {
		d := &all[i]
		if d.Run == "" && !plain && !a.masking.RulesInForce(workflow).Empty() {
			d.Hide()
		}
		if d.Run == "" {
			continue
		}
		all[i], err = sight.ShowIn(ctx, a.sight, a.guard.Viewer(who), d.Run, *d,
			func(d *trigger.Delivery) *view.Masking { return &d.Masking })
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteTrigger takes a trigger out of force. Its versions and runs stay.
func (a *App) DeleteTrigger(ctx context.Context, who Who, name string) (v trigger.Trigger, err error) {
	err = a.Documents.WithdrawShown(ctx, who, definition.KindTrigger, name, func() (err error) {
		v, err = a.Trigger(ctx, who, name)
		return err
	})
	return v, err
}

// ReplayDelivery starts a run with a delivery again. It belongs to the caller.
func (a *App) ReplayDelivery(ctx context.Context, who Who, name, id string, k Idempotency) (v view.Run, err error) {
	shown, err := a.Trigger(ctx, who, name)
	if err != nil {
		return view.Run{}, err
	}
	defer a.guard.Refusing(ctx, who, "run.started", "workflow/"+shown.Workflow, &err)
	if err := a.guard.Workflow(ctx, who, access.Start, shown.Workflow); err != nil {
		return view.Run{}, err
	}
	for _, d := range shown.Deliveries {
		if d.ID == id && d.Run == "" && d.Masked { // its owner would see everything
			return view.Run{}, sight.Masked("the delivery")
		}
	}
	err = a.triggers.Replay(ctx, name, id, a.newRunID(a.Now()), who.Actor(), a.viewing(ctx, who, &v, k))
	return v, err
}
