package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
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
		if fault.Is(err, fault.NotFound) && slices.ContainsFunc(definition.BuiltInRoles,
			func(r definition.Role) bool { return r.Name == name }) {
			return v, fault.New(fault.Conflict, fmt.Sprintf("the role %q is built in and cannot be withdrawn", name),
				"save a document of that name to restrict it")
		}
		return v, err
	}
	holders, err := a.people.Holders(ctx, name)
	if err != nil {
		return v, err
	}
	needed := append(a.registry.NeedsRole(name), holders...)
	if len(needed) > 0 && !force {
		return v, fault.New(fault.Conflict, fmt.Sprintf("the role %q is needed by %s", name, several(needed)),
			"change those first, or withdraw it anyway with force=true").With("needed_by", needed)
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
	return fault.New(fault.Conflict,
		fmt.Sprintf("the role %q was withdrawn and would have holders again: %s", name, several(holders)),
		"take it from those first, or give it back to them with restore=true").With("needed_by", holders)
}

// WithdrawnRoles lists the roles that were in force once and grant nothing now.
func (a *App) WithdrawnRoles() []string { return a.rules().Withdrawn() }

const toldMax = 10

// several lists names in a sentence, the first few of many.
func several(names []string) string {
	if len(names) <= toldMax {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:toldMax], ", "), len(names)-toldMax)
}
