package app

import (
	"context"
	"slices"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
)

// WithdrawRole takes a role out of force. Its holders have no permissions from it; its versions stay. A role that is
// needed is withdrawn only if it is forced.
func (a *App) WithdrawRole(ctx context.Context, who Who, name string, force bool) (v registry.Document, err error) {
	defer a.refusing(ctx, who, "definition.withdrawn", "role/"+name, &err)
	if err := a.MayGiveAccess(who); err != nil {
		return v, err
	}
	if v, err = a.Document(ctx, who, definition.KindRole, name, 0); err != nil {
		return v, registry.OrBuiltIn(err, name)
	}
	holders, err := a.people.Holders(ctx, name)
	if err != nil {
		return v, err
	}
	needed := append(a.registry.NeedsRole(name), holders...)
	if len(needed) > 0 && !force {
		return v, registry.RoleNeeded(name, needed)
	}
	return v, a.registry.Withdraw(ctx, definition.KindRole, name, who.Key(), needed...)
}

// MaySaveRole refuses callers that may not change roles. A withdrawn role that still has holders comes back only if
// that is wanted: they would have its permissions again.
func (a *App) MaySaveRole(ctx context.Context, who Who, name string, restore bool) error {
	if err := a.MayGiveAccess(who); err != nil || restore || !slices.Contains(a.rules().Withdrawn(), name) {
		return err
	}
	holders, err := a.people.Holders(ctx, name)
	if err != nil || len(holders) == 0 {
		return err
	}
	return registry.RoleHeld(name, holders)
}

// WithdrawnRoles lists the roles that were in force once and grant nothing now.
func (a *App) WithdrawnRoles() []string { return a.rules().Withdrawn() }
