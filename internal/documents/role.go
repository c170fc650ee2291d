package documents

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/registry"
)

// WithdrawRole takes a role out of force. Its holders have no permissions from it; its versions stay. A role that is
// needed is withdrawn only if it is forced.
func (d *Documents) WithdrawRole(ctx context.Context, who guard.Who, name string,
	force bool) (v registry.Document, err error) {
	defer d.guard.Refusing(ctx, who, "definition.withdrawn", "role/"+name, &err)
	if err := d.guard.MayGiveAccess(who); err != nil {
		return v, err
	}
	if v, err = d.Show(ctx, who, definition.KindRole, name, 0); err != nil {
		return v, registry.OrBuiltIn(err, name)
	}
	holders, err := d.people.Holders(ctx, name)
	if err != nil {
		return v, err
	}
	needed := append(d.registry.NeedsRole(name), holders...)
	if len(needed) > 0 && !force {
		return v, registry.RoleNeeded(name, needed)
	}
	return v, d.registry.Withdraw(ctx, definition.KindRole, name, who.Key(), needed...)
}

// MaySaveRole refuses callers that may not change roles. A withdrawn role that still has holders comes back only if
// that is wanted: they would have its permissions again.
func (d *Documents) MaySaveRole(ctx context.Context, who guard.Who, name string, restore bool) error {
	if err := d.guard.MayGiveAccess(who); err != nil || restore || !slices.Contains(d.guard.Rules().Withdrawn(), name) {
		return err
	}
	holders, err := d.people.Holders(ctx, name)
	if err != nil || len(holders) == 0 {
		return err
	}
	return registry.RoleHeld(name, holders)
}

// WithdrawnRoles lists the roles that were in force once and grant nothing now.
func (d *Documents) WithdrawnRoles() []string { return d.guard.Rules().Withdrawn() }
