package automation

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

// Deliver accepts a delivery to a trigger. Its signature takes the place of a caller.
func (a *Automation) Deliver(ctx context.Context, name string, r trigger.Request) (trigger.Receipt, error) {
	return a.triggers.Receive(ctx, name, r)
}

// Triggers lists the triggers in force of workflows that the caller may see, by name.
func (a *Automation) Triggers(ctx context.Context, who guard.Who) (view.List[trigger.Trigger], error) {
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
func (a *Automation) Trigger(ctx context.Context, who guard.Who, name string) (trigger.Trigger, error) {
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

// showDeliveries masks deliveries for the caller: like the run that each started or, if it started none, completely.
func (a *Automation) showDeliveries(ctx context.Context, who guard.Who, workflow string,
	all []trigger.Delivery) (err error) {
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

// DeleteTrigger withdraws a trigger. Its versions and runs are kept.
func (a *Automation) DeleteTrigger(ctx context.Context, who guard.Who, name string) (v trigger.Trigger, err error) {
	err = a.documents.WithdrawShown(ctx, who, definition.KindTrigger, name, func() (err error) {
		v, err = a.Trigger(ctx, who, name)
		return err
	})
	return v, err
}

// ReplayDelivery starts another run with a delivery. The caller owns the run.
func (a *Automation) ReplayDelivery(ctx context.Context, who guard.Who, name, id string,
	k Keep) (v view.Run, err error) {
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
	err = a.triggers.Replay(ctx, name, id, a.newRunID(a.now()), who.Actor(), a.runs.Showing(ctx, who, &v, k))
	return v, err
}
