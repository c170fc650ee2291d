package machine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

func (s *State) applyApproval(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.ApprovalNeeded:
		n := s.addApproval(gate.Open(f.Request, e.At), f.Spot)
		s.OpenApproval = append(s.OpenApproval, n)
		s.addAsk(f.Spot, &f.Request.Action, gate.Ask{Want: f.Want, Approval: n, Content: f.Content, Pending: true})
		if f.Spot.At == run.AtLimit {
			s.loopNamed(f.Spot.Step, f.Spot.Index).LimitKind = run.LimitKind(strings.TrimPrefix(f.Want, "limit:"))
		}
	case *run.ApprovalAutoApproved:
		a := gate.Open(f.Request, e.At)
		a.Settle(gate.Outcome{Status: gate.AutoApproved, Act: gate.Approve, Comment: f.Reason}, e.At)
		n := s.addApproval(slim(a), f.Spot)
		s.addAsk(f.Spot, &f.Request.Action, gate.Ask{Want: f.Want, Approval: n, Content: f.Content, Accepted: f.Content})
	case *run.ApprovalDecided:
		if n, ok := s.FindApproval(f.ID); ok {
			s.approval(n).Record(f.Decision)
			s.bring(f.Agents)
		}
	case *run.ApprovalResolved:
		s.applyResolved(f, e.At)
	case *run.ApprovalCommented:
		if n, ok := s.FindApproval(f.ID); ok {
			a := s.approval(n)
			a.Comments = append(a.Comments, gate.Comment{By: e.Actor.Key(), Text: f.Text, At: e.At})
		}
	case *run.ApprovalReminder:
		s.pass(f.ID, gate.Reminds, "", e.At)
	case *run.ApprovalEscalated:
		s.pass(f.ID, gate.Escalates, f.To, e.At)
	case *run.ApprovalTimedOut:
		s.pass(f.ID, gate.TimesOut, "", e.At)
	case *run.ApprovalPaused:
		s.pass(f.ID, gate.Pauses, "", e.At)
	case *run.GatePassed:
		p := gate.Place{}
		if s.StartPlace != nil {
			p = *s.StartPlace
		}
		p.Passed = true
		s.StartPlace = &p
	}
}

func (s *State) addApproval(a *gate.Approval, spot run.Spot) int {
	s.Approvals = append(s.Approvals, a)
	s.Spots = append(s.Spots, spot)
	return len(s.Approvals) - 1
}

func (s *State) pass(id string, what gate.TimedEvent, to string, at time.Time) {
	if n, ok := s.FindApproval(id); ok {
		s.approval(n).Pass(what, to, at)
	}
}

// addAsk records a question at its place, replacing an earlier one for the same want.
func (s *State) addAsk(spot run.Spot, action *gate.Action, ask gate.Ask) {
	p := gate.Place{Content: ask.Content}
	if spot.At == run.AtBefore {
		p.Implementation = action.Implementation
	}
	if old := s.PlaceAt(spot); old != nil {
		p.Changed = old.Changed
		p.Asks = slices.DeleteFunc(slices.Clone(old.Asks), func(a gate.Ask) bool { return a.Want == ask.Want })
	}
	p.Asks = append(p.Asks, ask)
	s.setPlace(spot, &p)
}

// setPlace stores a place and makes the work there wait.
func (s *State) setPlace(spot run.Spot, p *gate.Place) {
	switch spot.At {
	case run.AtStart:
		s.StartPlace = p
		return
	case run.AtEnd:
		s.EndPlace = p
		return
	case run.AtLayer:
		s.Point.Human = p
		return
	case run.AtReplan:
		if r := s.replan(spot); r != nil {
			r.Place = p
		}
		return
	}
	i, _ := s.plan.Step(spot.Step)
	k := spot.Element()
	switch {
	case spot.At == run.AtLimit:
		s.loop(i, max(k, 0)).Limit = p
	case spot.At == run.AtCall:
		if c := s.loop(i, max(k, 0)).Call(spot.Call); c != nil {
			c.Place = p
			switch c.Status {
			case loop.Asked:
				c.Status = loop.Held
			case loop.Backoff: // people are asked before the retry
				c.Status, c.RetryAt, c.Tried = loop.Held, time.Time{}, c.Try
			}
		}
	case k >= 0 && spot.At == run.AtBefore:
		s.recall(i, k)
		t := s.task(i, k)
		t.Before, t.Status = p, TaskHeld
		s.step(i).skipBegun()
	case k >= 0:
		t := s.task(i, k)
		t.After, t.Status = p, TaskReview
	case spot.At == run.AtBefore:
		st := s.step(i)
		st.Before = p
		if !s.IsMap(i) {
			s.recall(i, 0)
		}
		if !s.IsMap(i) || st.Status != run.RunningStep { // elements at work continue
			st.Status = run.WaitingStep
		}
	default:
		st := s.step(i)
		st.After, st.Status = p, run.WaitingStep
	}
}

func (s *State) applyResolved(f *run.ApprovalResolved, at time.Time) {
	n, ok := s.FindApproval(f.ID)
	if !ok {
		return
	}
	a := s.approval(n)
	a.Settle(f.Outcome, at)
	*a = *slim(a)
	if !s.isDraft {
		s.OpenApproval = slices.DeleteFunc(s.OpenApproval, func(o int) bool { return o == n })
	}
	old := s.PlaceAt(f.Spot)
	if old == nil {
		return
	}
	p := *old
	p.Asks = slices.Clone(old.Asks)
	for k := range p.Asks {
		if p.Asks[k].Approval == n || mutant.Is(mutant.ByPosition) && p.Asks[k].Pending {
			p.Asks[k].Pending, p.Asks[k].Accepted = false, f.Content
			break
		}
	}
	if f.Outcome.Proposed != nil {
		s.propose(f.Spot, f.Outcome.Proposed)
		p.Content = f.Content
	}
	s.setPlace(f.Spot, &p)
}

// slim drops data that is not needed after an approval: it stays in the log. A rejected or unanswered
// proposal may have to be shown again.
func slim(a *gate.Approval) *gate.Approval {
	if a.Outcome == nil || !a.Outcome.Positive() {
		return a
	}
	a.Proposed, a.Current, a.Show, a.SoFar, a.InputSchema, a.Action.ArgsSchema = nil, nil, nil, "", nil, nil
	o := *a.Outcome
	o.Proposed = nil
	a.Outcome = &o
	return a
}

// propose replaces a proposal with the version that people edited.
func (s *State) propose(spot run.Spot, v json.RawMessage) {
	i, _ := s.plan.Step(spot.Step)
	k := spot.Element()
	switch spot.At {
	case run.AtStart:
		s.Input = v
	case run.AtEnd:
		s.Output = v
	case run.AtBefore:
		same := value.Equal(s.ProposalAt(spot), v)
		if k >= 0 {
			t := s.task(i, k)
			if t.Input = v; t.Try > 0 && !same {
				st := s.step(i)
				st.Rev++
				*t = Task{Status: t.Status, Rev: st.Rev, Before: t.Before, Input: v, Guidance: t.Guidance, own: t.own}
			}
			return
		}
		if !same {
			s.startOver(i)
		}
		st := s.step(i)
		st.Input, st.Patches, st.Given, st.Programmed = v, nil, nil, false // a person wrote all of it
	case run.AtAfter:
		if k < 0 && s.IsMap(i) {
			s.step(i).Output = v
			return
		}
		t := s.task(i, max(k, 0))
		r := run.Result{}
		if t.Result != nil {
			r = *t.Result
		}
		r.Output = v
		t.Result = &r
	case run.AtCall:
		if c := s.loop(i, max(k, 0)).Call(spot.Call); c != nil {
			sure := 1.0
			c.Call.Args, c.Call.Confidence = v, &sure // a person wrote it
		}
	}
}
