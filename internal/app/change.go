package app

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
)

// changesPlan reports whether people can change the plan of the run where they are asked.
func changesPlan(ap *gate.Approval) bool {
	return ap.Status == gate.Pending && (ap.Action.Type == "layer" || ap.Action.Type == "replan")
}

// agentsNamed are the agents in force that a change of the plan names, if the caller may also add steps by command;
// otherwise a change is limited to the agents of the plan.
func (a *App) agentsNamed(ctx context.Context, who Who, id string, proposed json.RawMessage) map[string]plan.Agent {
	var c plan.Change
	if err := plan.Decode(proposed, &c); err != nil || len(c.Inject) == 0 { // the core reports it
		return nil
	}
	if _, err := a.guard.Run(ctx, who, actionOf(run.InjectSteps{}), id); err != nil {
		return nil
	}
	return a.registry.Current().Bind(&plan.Workflow{Steps: c.Inject}, 0).Agents
}

// previewPlan shows what a changed plan would do, if people can change the plan where they are asked.
func (a *App) previewPlan(ctx context.Context, who Who, row port.ApprovalRow, ap *gate.Approval, v *ChangeView) error {
	if !changesPlan(ap) {
		return nil
	}
	agents := a.agentsNamed(ctx, who, row.Run, v.Proposed)
	return a.engine.View(ctx, row.Run, func(s *machine.State) error {
		if n, ok := s.FindApproval(ap.ID); ok {
			shown, problems := preview.Change(s, s.Spots[n], v.Proposed, agents,
				func(tool string) risk.Class { return a.rated(ctx, tool) })
			v.Plan, v.Errors = shown, append(v.Errors, problems...)
		}
		return nil
	})
}

// rated is the risk of a tool as the catalogue knows it; empty: unknown.
func (a *App) rated(ctx context.Context, tool string) risk.Class {
	all, _ := a.catalogue.All(ctx)
	if n := slices.IndexFunc(all, func(c port.Callable) bool { return c.Name == tool }); n >= 0 {
		return all[n].Risk
	}
	return ""
}
