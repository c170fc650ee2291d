package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/workbench"
)

// Workbench is where the caller edits workflows.
func (a *App) Workbench(who Who) workbench.Bench {
	return workbench.Bench{Store: a.copies, Registry: a.registry, By: who.Key(), Now: a.Now(),
		May: func(ctx context.Context, action access.Action, workflow string) error {
			if action != access.See {
				if err := a.guard.May(who, action); err != nil || workflow == "" {
					return err
				}
			}
			return a.guard.Workflow(ctx, who, access.See, workflow)
		}, Discarded: a.draftDiscarded}
}
