// Package guard authorises the callers of use cases:
//
//	row, err := guard.Run(ctx, who, access.Cancel, id) // refused, or not found if they may not even see it
//	if err := guard.May(who, access.Write); err != nil { … }
//	defer guard.Refusing(ctx, who, "run.started", target, &err) // refusals are recorded
//
// Package access decides by facts that are given; guard knows the roles in force, and finds the facts: the workflow and
// the owner of a run, and who is asked about it. Use cases ask it first.
package guard

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/refusal"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
)

// Rows is the part of a store that says what something is.
type Rows interface {
	Run(ctx context.Context, id string) (port.RunRow, error)
	Approval(ctx context.Context, id string) (port.ApprovalRow, error)
	Deliverable(ctx context.Context, id string) (port.DeliverableRow, error)
}

// Guard is Access with what is recorded about runs, approvals and deliverables.
type Guard struct {
	*Access
	rows  Rows
	sight *sight.Sight
}

// New creates a guard.
func New(rows Rows, r *registry.Registry, s *sight.Sight, refusals *refusal.Log) *Guard {
	return &Guard{Access: &Access{registry: r, refusals: refusals}, rows: rows, sight: s}
}

// Run returns the row of a run on which w may perform an action.
func (g *Guard) Run(ctx context.Context, w Who, action access.Action, id string) (port.RunRow, error) {
	row, err := g.rows.Run(ctx, id)
	if err != nil {
		return port.RunRow{}, orMissing(err, "run", id)
	}
	err = g.allow(ctx, w, action, thing{
		kind: "run", id: id, Object: access.Object{Workflow: row.Workflow, Owner: row.Owner},
		more: func(ctx context.Context, o *access.Object) (err error) {
			o.Asked, err = g.sight.AskedIn(ctx, g.Viewer(w), id)
			return err
		},
	})
	if err != nil {
		return port.RunRow{}, err
	}
	return row, nil
}

// Approval returns the row of an approval on which w may perform an action.
func (g *Guard) Approval(ctx context.Context, w Who, action access.Action, id string) (port.ApprovalRow, error) {
	row, err := g.rows.Approval(ctx, id)
	if err != nil {
		return port.ApprovalRow{}, orMissing(err, "approval", id)
	}
	o := access.Object{Workflow: row.Workflow}
	if g.Rules().Tries(g.Subject(w)) { // whether they see it depends on whom it asks
		if o, err = g.sight.About(ctx, row); err != nil {
			return port.ApprovalRow{}, err
		}
	}
	err = g.allow(ctx, w, action, thing{
		kind: "approval", id: id, Object: o,
		more: func(ctx context.Context, o *access.Object) (err error) {
			*o, err = g.sight.About(ctx, row)
			return err
		},
	})
	if err != nil {
		return port.ApprovalRow{}, err
	}
	return row, nil
}

// Deliverable returns the row of a deliverable on which w may perform an action.
func (g *Guard) Deliverable(ctx context.Context, w Who, action access.Action, id string) (port.DeliverableRow, error) {
	row, err := g.rows.Deliverable(ctx, id)
	if err != nil {
		return port.DeliverableRow{}, orMissing(err, "deliverable", id)
	}
	err = g.allow(ctx, w, action, thing{
		kind: "deliverable", id: id, Object: access.Object{Workflow: row.Workflow},
		more: func(ctx context.Context, o *access.Object) error {
			owned, err := g.rows.Run(ctx, row.Run)
			if err != nil {
				return err
			}
			o.Owner = owned.Owner
			o.Asked, err = g.sight.AskedIn(ctx, g.Viewer(w), row.Run)
			return err
		},
	})
	if err != nil {
		return port.DeliverableRow{}, err
	}
	return row, nil
}
