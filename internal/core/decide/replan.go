package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Replanning: a host looks for steps that meet a new requirement, people approve them unless they are
// harmless, and the plan grows. While the search is under way no step starts, so that later steps see the new
// results; while people decide, only the steps wait that would need the new ones.

// replan requests steps that meet a requirement, in place of a failed step if one is named.
func (d *draft) replan(requirement, failed string, by run.Actor) error {
	switch r := strings.TrimSpace(requirement); {
	case r == "":
		return fault.Of("the command is incomplete",
			[]fault.Problem{{Path: "/requirement", Message: "describe what the new steps should do"}})
	case len(r) > run.TextMax:
		return fault.Newf(fault.TooLarge, "the requirement has %d bytes; the limit is %d", len(r), run.TextMax)
	case d.Cancelling != nil:
		return fault.New(fault.Conflict, "the run is being cancelled", "")
	}
	d.emit(by, &run.ReplanRequested{N: d.ReplanNo + 1, Requirement: requirement, Failed: failed,
		Deadline: d.env.Now.Add(replanTimeout)})
	return nil
}

func (d *draft) answerReplan(c run.AnswerReplan) error {
	for _, r := range d.Replans {
		if c.Key != d.ReplanKey(r.N) || r.Found != nil {
			continue
		}
		d.replanned(r, c)
		return nil
	}
	return stale()
}

// replanned handles the end of a search.
func (d *draft) replanned(r machine.OpenReplan, c run.AnswerReplan) {
	f := &run.ReplanAnswered{N: r.N, Found: len(c.Steps), Reason: c.Reason}
	found := &run.FoundSteps{Steps: c.Steps, Agents: c.Agents, Because: c.Because}
	var misfit error
	if len(c.Steps) > 0 {
		if misfit = d.mayReplace(c.Steps); misfit == nil {
			_, misfit = d.Plan().Propose(c.Steps, c.Agents, found.Lacks(), d.hasStarted, d.doneSteps())
		}
		if misfit == nil && d.asksAbout(c) {
			f.Proposed = found
		}
	}
	d.emit(system, f)
	switch {
	case len(c.Steps) == 0:
		d.warn("nothing_found", "", strings.TrimSpace(fmt.Sprintf("no steps were found for %q. %s", r.Requirement, c.Reason)))
	case misfit != nil:
		d.misfit(r.Requirement, misfit)
	case f.Proposed == nil:
		if err := d.injectBecause(found, system, "replan: "+r.Requirement); err != nil {
			d.misfit(r.Requirement, err)
		}
	}
	d.touchAll()
}

func (d *draft) misfit(requirement string, err error) {
	d.warn("replan_failed", "", fmt.Sprintf("the steps found for %q do not fit the plan: %v", requirement, err))
}

// asksAbout reports whether people approve steps that were found. A step that lacks an argument is always
// shown to them: only they can complete it.
func (d *draft) asksAbout(c run.AnswerReplan) bool {
	if !mutant.Is(mutant.ReplanUnset) &&
		slices.ContainsFunc(c.Because, func(b run.Because) bool { return len(b.Unset) > 0 }) {
		return true
	}
	switch d.Loops().Replan {
	case plan.ReplanAsk:
		return !mutant.Is(mutant.ReplanUnasked)
	case plan.ReplanGo:
		return false
	}
	return !c.Harmless
}

// askAboutReplans requests approval of the steps that were found, once each.
func (d *draft) askAboutReplans() {
	for _, r := range d.Replans {
		if r.Found != nil && r.Place == nil && d.mayStart() {
			d.askAboutReplan(r)
		}
	}
}

func (d *draft) askAboutReplan(r machine.OpenReplan) {
	spot := run.Spot{At: run.AtReplan, Replan: r.N}
	d.open(spot, []asking.Want{d.asking().Replan(spot, r, d.beforeAndAfter(r.Found))})
}

// beforeAndAfter shows the plan as it is, and with the steps that were found.
func (d *draft) beforeAndAfter(found *run.FoundSteps) json.RawMessage {
	next, err := d.Plan().Propose(found.Steps, found.Agents, found.Lacks(), d.hasStarted, d.doneSteps())
	if err != nil {
		return nil
	}
	return machine.BeforeAndAfter(d.Plan(), next, found)
}

// acceptReplan adds the steps that people approved, as they are by then.
func (d *draft) acceptReplan(spot run.Spot, o gate.Outcome) {
	r := d.ReplanAt(spot)
	if r == nil || r.Found == nil {
		return
	}
	found, requirement, by := *r.Found, r.Requirement, run.Actor{Kind: run.Person, Name: o.By}
	var a plan.Change
	if o.Proposed != nil && plan.Decode(o.Proposed, &a) == nil {
		found.Steps, found.Agents = a.Inject, plan.Used(d.AgentsAt(spot, nil), a.Inject)
	}
	found.Steps = d.stillFits(found.Steps)
	d.emit(by, &run.ReplanSettled{N: spot.Replan, Accepted: true})
	d.editAndSkip(a, by)
	if len(found.Steps) > 0 {
		if err := d.injectBecause(&found, by, "replan: "+requirement); err != nil {
			d.misfit(requirement, err)
		}
	}
	d.touchAll()
}

// stillFits drops what has become impossible while people decided: steps in front of others that have
// started.
func (d *draft) stillFits(steps []plan.Step) []plan.Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].NeededBy = slices.DeleteFunc(slices.Clone(out[i].NeededBy), func(id string) bool {
			at, ok := d.Plan().Step(id)
			return ok && d.hasStarted(at)
		})
	}
	return out
}

// rejectReplan continues without the steps.
func (d *draft) rejectReplan(spot run.Spot, o gate.Outcome) {
	by := system
	if o.By != "" {
		by = run.Actor{Kind: run.Person, Name: o.By}
	}
	if r := d.ReplanAt(spot); mutant.Is(mutant.ReplanRejected) && r != nil && r.Found != nil {
		found, why := *r.Found, "replan: "+r.Requirement
		defer func() { _ = d.injectBecause(&found, by, why) }()
	}
	d.emit(by, &run.ReplanSettled{N: spot.Replan, Reason: o.Comment})
	d.touchAll()
}
