package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
)

// loopNamed returns the loop that a fact is about, for writing.
func (s *State) loopNamed(step string, index *int) *Loop {
	i, _ := s.plan.Step(step)
	return s.loop(i, max(indexOf(index), 0))
}

func (s *State) applyLoop(e Event) {
	switch f := e.Fact.(type) {
	case *TurnStarted:
		s.loopNamed(f.Step, f.Index).beginTurn(f)
	case *TurnCompleted:
		s.loopNamed(f.Step, f.Index).endTurn(f)
		s.Usage = s.Usage.Add(f.Turn.Usage)
		if f.Turn.Text != "" {
			s.Thread = append(s.Thread, Message{From: Actor{Kind: Agent, Name: f.Agent}, Text: f.Turn.Text, At: e.At})
		}
	case *TurnRetrying:
		s.loopNamed(f.Step, f.Index).failTurn(f, e.At)
		s.Usage = s.Usage.Add(f.Error.Usage)
	case *NoteAdded:
		l := s.loopNamed(f.Step, f.Index)
		l.note(f.Text)
		if f.Mend {
			l.Mends++
		}
	case *HandedOff:
		s.loopNamed(f.Step, f.Index).handOver(f)
	case *LimitWarning:
		l := s.loopNamed(f.Step, f.Index)
		l.Warned = append(slices.Clip(l.Warned), f.Limit)
	case *LimitGranted:
		s.loopNamed(f.Step, f.Index).grant(f.More)
	case *LimitRaised:
		i, _ := s.plan.Step(f.Step)
		st := s.step(i)
		st.Raised = st.Raised.plus(f.Limit, f.To-f.From)
	default:
		s.applyCall(e)
	}
}

func (s *State) applyCall(e Event) {
	switch f := e.Fact.(type) {
	case *CallRequested:
		s.loopNamed(f.Step, f.Index).requestCall(f)
	case *CallStarted:
		s.count(f.Counted, e.At, f.Try)
		s.loopNamed(f.Step, f.Index).startCall(f, s.callContent(f.Step, f.Index, f.No))
	case *CallRebound:
		s.uncount(f.Act)
		s.loopNamed(f.Step, f.Index).rebindCall(f, s.callContent(f.Step, f.Index, f.No))
	case *CallArgsChanged:
		if c := s.loopNamed(f.Step, f.Index).call(f.No); c != nil {
			c.Call.Args, c.Place, c.Status, c.Repeats = f.Args, nil, CallAsked, false
		}
	case *CallRetrying:
		if c := s.loopNamed(f.Step, f.Index).call(f.No); c != nil {
			c.Status, c.RetryAt, c.Deadline = CallBackoff, f.RetryAt, time.Time{}
			s.Usage = s.Usage.Add(f.Error.Usage)
		}
	case *CallInputNeeded:
		s.loopNamed(f.Step, f.Index).needInput(f)
		s.Usage = s.Usage.Add(f.Usage)
	case *CallCompleted:
		l := s.loopNamed(f.Step, f.Index)
		c := l.call(f.No)
		if c == nil {
			return
		}
		s.Usage = s.Usage.Add(f.Result.Usage)
		l.completeCall(c, f, s.callContent(f.Step, f.Index, f.No))
		if changed := l.changed(c); changed != "" {
			l.note(changed + s.whyChanged(c))
		}
	}
}

// callContent is the digest of what is proposed with a call, when it is asked for.
func (s *State) callContent(step string, index *int, no int) func() string {
	return func() string { return s.contentAt(Spot{At: AtCall, Step: step, Index: index, Call: no}) }
}

// whyChanged is who changed a call, and what they said about it.
func (s *State) whyChanged(c *CallState) string {
	if c.Place == nil {
		return ""
	}
	why := ""
	for _, ask := range c.Place.Asks {
		if ask.Approval >= len(s.Approvals) {
			continue
		}
		for _, d := range s.Approvals[ask.Approval].Decisions {
			switch {
			case d.Act != gate.Modify:
			case d.Comment == "":
				why += "\nIt was " + d.By + " who changed them."
			default:
				why += "\n" + d.By + " says why: " + phrase.ClipBytes(d.Comment, 2_000)
			}
		}
	}
	return why
}

func (s *State) applyPlan(e Event) {
	switch f := e.Fact.(type) {
	case *ConsultStarted:
		s.Point.Asking, s.Point.No, s.Point.Deadline, s.Point.Failed = true, f.N, f.Deadline, f.Failed
	case *ConsultAnswered:
		if s.Point.Failed == "" {
			s.Point.Consulted = s.Point.Open + 1
		}
		s.Point.Asking, s.Point.Deadline, s.Point.Failed = false, time.Time{}, ""
		s.Advice = append(s.Advice, f.Advice)
		s.Usage = s.Usage.Add(f.Advice.Usage)
	case *PointPassed:
		s.Point.Open, s.Point.Human = f.Layer, nil
	case *ReplanRequested:
		s.ReplanNo = f.N
		s.Replans = append(slices.Clip(s.Replans), OpenReplan{f.N, f.Requirement, f.Deadline})
	case *ReplanAnswered:
		s.Replans = slices.DeleteFunc(slices.Clone(s.Replans), func(r OpenReplan) bool { return r.N == f.N })
	case *PlanChanged:
		next, _, err := s.plan.Inject(f.Steps, f.Agents, nil, nil)
		if err != nil {
			return // Handle tried it on this very plan; a log that says otherwise is another plan's
		}
		s.plan = next
		s.PlanChanges = append(slices.Clip(s.PlanChanges), f)
		s.EndPlace, s.Output = nil, nil
		if !f.AtPoint {
			s.Point.Human = nil
		}
		s.layOut()
	}
}
