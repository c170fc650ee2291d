package decide

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// passes reports whether everything required at a place has been approved for exactly the current proposal
// and implementation, and whether the policy now in force requires nothing more. Questions about this content
// without an approval are asked again unchanged; if something changed, approvers who have not seen it are
// asked again.
func (d *draft) passes(spot run.Spot, p *gate.Place) bool {
	if slices.ContainsFunc(p.Asks, func(ask gate.Ask) bool { return ask.Pending }) {
		return false // they are asked about what they see
	}
	p = d.rebindPlace(spot, p)
	var again []want
	changed := false
	for _, ask := range p.Asks {
		switch {
		case ask.Accepted == p.Content: // edits by people are checked like anything new
			changed = changed || ask.Content != p.Content
		case ask.Content == p.Content && ask.Accepted == "":
			again = append(again, want{id: ask.Want, request: d.askAgain(ask.Approval)})
		default:
			changed = true
		}
	}
	if mutant.Is(mutant.ChangedArgsPass) {
		return true
	}
	if changed || d.judgedAt(spot) && !mutant.Is(mutant.NotAskedOnceMore) {
		wants, denied := d.wantsOnceMore(spot, p, changed)
		if denied != nil { // the edited proposal is forbidden, or is by now
			d.denied(spot, *denied)
			return false
		}
		again = append(again, wants...)
	}
	again = append(again, d.alsoAgain(spot, p, again)...)
	return len(again) == 0 || !d.open(spot, again)
}

// mayRetry reports whether a failed attempt may be repeated now. A nil place is one that required nothing the
// first time.
func (d *draft) mayRetry(spot run.Spot, p *gate.Place) bool {
	if p != nil {
		return d.passes(spot, p)
	}
	if !d.judgedAt(spot) {
		return true
	}
	wants, denied := d.wantsOnceMore(spot, &gate.Place{}, false)
	if denied != nil {
		d.denied(spot, *denied)
		return false
	}
	return len(wants) == 0 || !d.open(spot, wants)
}

// judgedAt reports whether the policy is evaluated again before a place is passed.
func (d *draft) judgedAt(spot run.Spot) bool {
	return d.env.Judge != nil && (spot.At == run.AtBefore || spot.At == run.AtAfter || spot.At == run.AtCall)
}

// wantsOnceMore lists what is required at a place now and has not been answered there. If nothing changed, a
// rule that approves by now adds nothing.
func (d *draft) wantsOnceMore(spot run.Spot, p *gate.Place, changed bool) ([]want, *run.Failure) {
	d.granted = d.grantedAt(p)
	defer func() { d.granted = "" }()
	wants, denied := d.wantsAt(spot)
	if denied != nil {
		return nil, denied
	}
	var open []want
	for _, w := range wants {
		if d.answered(p, w, !changed) || w.auto != nil && !changed {
			continue
		}
		if !changed && w.request.Rule != nil {
			w.request.Description = strings.TrimSpace(w.request.Description +
				"\n\nThe policy was checked again before this action and now requires approval.")
		}
		open = append(open, w)
	}
	return open, nil
}

// grantedAt is the rule that approved the proposal at a place in place of people: that use is already
// counted.
func (d *draft) grantedAt(p *gate.Place) string {
	for _, ask := range p.Asks {
		if a := d.Approvals[ask.Approval]; a.Status == gate.AutoApproved && a.Rule != nil && ask.Accepted == p.Content {
			return a.Rule.Name
		}
	}
	return ""
}

// answered reports whether the decisions of people, or of a rule in their place, about the current proposal
// meet the current requirements. A decision for one rule counts for another only if both are about the same
// proposal.
func (d *draft) answered(p *gate.Place, w want, same bool) bool {
	standing := same && isStanding(w.id)
	for _, ask := range p.Asks {
		if ask.Accepted != p.Content && (ask.Accepted != "" || ask.Content != p.Content) {
			continue // about something else
		}
		a := d.Approvals[ask.Approval]
		switch {
		case ask.Want == w.id && ask.Accepted == "": // asked again unchanged
			return true
		case ask.Want == w.id && d.stands(a, w):
			return true
		case standing && isStanding(ask.Want) && a.Meets(w.request.Terms):
			return true
		}
	}
	return false
}

// stands reports whether an answer still applies to the question as it would be asked now.
func (d *draft) stands(a *gate.Approval, w want) bool {
	switch {
	case a.Status == gate.AutoApproved:
		return w.auto != nil
	case a.Status == gate.TimedOut && d.env.Stopped: // a timeout is not a person either
		return false
	case w.auto != nil || !isStanding(w.id):
		return true
	}
	was, is := &a.Terms, &w.request.Terms
	same := was.Role == is.Role && was.Quorum == is.Quorum && maps.Equal(was.Roles, is.Roles) &&
		slices.Equal(was.Assignees, is.Assignees)
	return same || a.Meets(*is)
}

// isStanding reports whether a want comes from the policy or an agent's autonomy, which may change while
// people decide. Gates belong to the run.
func isStanding(want string) bool { return strings.HasPrefix(want, "rule:") || want == "autonomy" }

// alsoAgain repeats the questions that people answered about something that has changed since, although
// nothing requires them now.
func (d *draft) alsoAgain(spot run.Spot, p *gate.Place, again []want) (more []want) {
	if len(p.Changed) == 0 {
		return nil
	}
	for _, ask := range p.Asks {
		a := d.Approvals[ask.Approval]
		asked := slices.ContainsFunc(again, func(w want) bool { return w.id == ask.Want })
		if asked || ask.Accepted == p.Content || ask.Accepted == "" || a.Status == gate.AutoApproved || isQuestion(a) ||
			strings.HasPrefix(ask.Want, loop.InputWant) {
			continue
		}
		q := d.askAgain(ask.Approval)
		q.Proposed, q.Action.ArgsSchema = d.ProposalAt(spot), d.SchemaAt(spot)
		if c := d.CallAt(spot); spot.At == run.AtCall && c != nil {
			i, _ := d.Plan().Step(spot.Step)
			asks, level, reasons := risk.Ask(d.agentSpec(i, c).Autonomy, c.Tool(), d.agentSpec(i, c).ToolRisk)
			_, level, reasons = machine.RaiseTo(&d.Plan().Nodes[i], asks, level, reasons)
			q.Description = ""
			c.Describe(&q, q.Agent, level, reasons)
		}
		more = append(more, want{id: ask.Want, request: q, firm: true})
	}
	return more
}
