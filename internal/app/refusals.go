package app

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/refusal"
)

// Refused records that the caller was refused. Errors of other kinds are ignored.
func (a *App) Refused(ctx context.Context, who Who, action, target string, err error) {
	var hidden *unseen
	if errors.As(err, &hidden) {
		err = hidden.meant
	}
	a.refusals.Add(ctx, who.Actor(), action, target, err)
}

// RefusedCommand records a command to a run that could not be parsed.
func (a *App) RefusedCommand(ctx context.Context, who Who, id string, err error) {
	a.Refused(ctx, who, refusal.Command, id, err)
}

// refusing is Refused for a use case that is about to return.
func (a *App) refusing(ctx context.Context, who Who, action, target string, err *error) {
	if *err != nil {
		a.Refused(ctx, who, action, target, *err)
	}
}
