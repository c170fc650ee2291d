package asking

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// JudgedAt reports whether the policy is evaluated again before a place is passed.
func (s Situation) JudgedAt(spot run.Spot) bool {
	return s.Judge != nil && (spot.At == run.AtBefore || spot.At == run.AtAfter || spot.At == run.AtCall)
}

// OnceMore lists what is required at a place now and has not been answered there. If nothing changed, a rule that
// approves by now adds nothing.
func (s Situation) OnceMore(spot run.Spot, p *gate.Place, changed bool) Required {
	s.granted = s.grantedAt(p)
	r := s.At(spot)
	var open []Want
	for _, w := range r.Wants {
		if s.answered(p, w, !changed) || w.Auto != nil && !changed {
			continue
		}
		if !changed && w.Request.Rule != nil {
			w.Request.Description = strings.TrimSpace(w.Request.Description +
				"\n\nThe policy was checked again before this action and now requires approval.")
		}
		open = append(open, w)
	}
	r.Wants = open
	return r
}

// grantedAt is the rule that approved the proposal at a place in place of people: that use is already
// counted.
func (s Situation) grantedAt(p *gate.Place) string {
	for _, ask := range p.Asks {
		if a := s.Approvals[ask.Approval]; a.Status == gate.AutoApproved && a.Rule != nil && ask.Accepted == p.Content {
			return a.Rule.Name
		}
	}
	return ""
}

// answered reports whether the decisions of people, or of a rule in their place, about the current proposal
// meet the current requirements. A decision for one rule counts for another only if both are about the same
// proposal.
func (s Situation) answered(p *gate.Place, w Want, same bool) bool {
	standing := same && isStanding(w.ID)
	for _, ask := range p.Asks {
		if ask.Accepted != p.Content && (ask.Accepted != "" || ask.Content != p.Content) {
			continue // about something else
		}
		a := s.Approvals[ask.Approval]
		switch {
		case ask.Want == w.ID && ask.Accepted == "": // asked again unchanged
			return true
		case ask.Want == w.ID && s.stands(a, w):
			return true
		case standing && isStanding(ask.Want) && a.Meets(w.Request.Terms):
			return true
		}
	}
	return false
}

// stands reports whether an answer still applies to the question as it would be asked now.
func (s Situation) stands(a *gate.Approval, w Want) bool {
	switch {
	case a.Status == gate.AutoApproved:
		return w.Auto != nil
	case a.Status == gate.TimedOut && s.Stopped: // a timeout is not a person either
		return false
	case w.Auto != nil || !isStanding(w.ID):
		return true
	}
	was, is := &a.Terms, &w.Request.Terms
	same := was.Role == is.Role && was.Quorum == is.Quorum && maps.Equal(was.Roles, is.Roles) &&
		slices.Equal(was.Assignees, is.Assignees)
	return same || a.Meets(*is)
}

// isStanding reports whether a want comes from the policy or an agent's autonomy, which may change while
// people decide. Gates belong to the run.
func isStanding(want string) bool { return strings.HasPrefix(want, "rule:") || want == "autonomy" }

// AlsoAgain repeats the questions that people answered about something that has changed since, although nothing
// requires them now. Again are those that are asked in any case.
func (s Situation) AlsoAgain(spot run.Spot, p *gate.Place, again []Want) (more []Want) {
	if len(p.Changed) == 0 {
		return nil
	}
	for _, ask := range p.Asks {
		a := s.Approvals[ask.Approval]
		asked := slices.ContainsFunc(again, func(w Want) bool { return w.ID == ask.Want })
		if asked || ask.Accepted == p.Content || ask.Accepted == "" || a.Status == gate.AutoApproved || IsQuestion(a) ||
			strings.HasPrefix(ask.Want, loop.InputWant) {
			continue
		}
		q := s.Again(ask.Want, ask.Approval).Request
		q.Proposed, q.Action.ArgsSchema = s.ProposalAt(spot), s.SchemaAt(spot)
		if c := s.CallAt(spot); spot.At == run.AtCall && c != nil {
			i, _ := s.Plan().Step(spot.Step)
			asks, level, reasons := risk.Ask(s.AgentOfCall(i, c).Autonomy, c.Tool(), s.AgentOfCall(i, c).ToolRisk)
			_, level, reasons = machine.RaiseTo(&s.Plan().Nodes[i], asks, level, reasons)
			q.Description = ""
			c.Describe(&q, q.Agent, level, reasons)
		}
		more = append(more, Want{ID: ask.Want, Request: q, Firm: true})
	}
	return more
}

// Again repeats a question, with its times counted from now.
func (s Situation) Again(want string, n int) Want {
	a := s.Approvals[n]
	q := a.Request
	q.SoFar = s.soFar(s.Spots[n])
	t := &q.Terms
	later := s.Now.Sub(a.OpenedAt)
	if s.Stopped && q.Rule != nil && t.Then.Proceeds() {
		t.Then = gate.ThenPause // as the policy itself would ask now
	}
	if !t.Deadline.IsZero() {
		t.Deadline = t.Deadline.Add(later)
	}
	if !t.PauseAt.IsZero() {
		t.PauseAt = t.PauseAt.Add(later)
	}
	t.Escalate = slices.Clone(t.Escalate)
	for k := range t.Escalate {
		t.Escalate[k].At = t.Escalate[k].At.Add(later)
	}
	return Want{ID: want, Request: q}
}
