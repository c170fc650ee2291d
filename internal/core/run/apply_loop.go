package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// loopNamed returns the loop that a fact is about, for writing.
func (s *State) loopNamed(step string, index *int) *Loop {
	i, _ := s.plan.Step(step)
	return s.loop(i, max(indexOf(index), 0))
}

func (s *State) applyLoop(e Event) {
	switch f := e.Fact.(type) {
	case *TurnStarted:
		l := s.loopNamed(f.Step, f.Index)
		l.Thinking, l.Turn, l.Try, l.Deadline, l.RetryAt = true, f.Turn, f.Try, f.Deadline, time.Time{}
		if f.Try == 1 {
			l.Calls = nil
			// Messages are taken by a new turn only: tries of one turn are one piece of work.
			for _, m := range l.Inbox {
				l.Entries = append(l.Entries, m.entry())
			}
			l.Inbox = nil
		}
	case *TurnCompleted:
		l := s.loopNamed(f.Step, f.Index)
		l.Thinking, l.Deadline, l.Tried, l.Busy, l.BusySince = false, time.Time{}, 0, 0, time.Time{}
		l.Turns++
		l.Usage = l.Usage.Add(f.Turn.Usage)
		s.Usage = s.Usage.Add(f.Turn.Usage)
		said := Entry{Role: "assistant", Name: f.Agent, Text: f.Turn.Text}
		if said.Text == "" {
			said.Output = f.Turn.Output // it must see what it answered when it is asked again
		}
		l.Entries = append(l.Entries, said)
		if f.Turn.Text != "" {
			s.Thread = append(s.Thread, Message{From: Actor{Kind: Agent, Name: f.Agent}, Text: f.Turn.Text, At: e.At})
		}
	case *TurnRetrying:
		l := s.loopNamed(f.Step, f.Index)
		l.Thinking, l.Deadline, l.RetryAt = false, time.Time{}, f.RetryAt
		if f.Error.Busy {
			l.Busy++
			if l.BusySince.IsZero() {
				l.BusySince = e.At
			}
		}
		l.Usage = l.Usage.Add(f.Error.Usage)
		s.Usage = s.Usage.Add(f.Error.Usage)
	case *NoteAdded:
		l := s.loopNamed(f.Step, f.Index)
		l.Entries = append(l.Entries, Entry{Role: "note", Text: f.Text})
		if f.Mend {
			l.Mends++
		}
	case *HandedOff:
		l := s.loopNamed(f.Step, f.Index)
		if !slices.Contains(l.Under, f.From) {
			l.Under = append(slices.Clip(l.Under), f.From)
		}
		l.Agent = f.To
	case *LimitWarning:
		l := s.loopNamed(f.Step, f.Index)
		l.Warned = append(slices.Clip(l.Warned), f.Limit)
	case *LimitGranted:
		l := s.loopNamed(f.Step, f.Index)
		l.Limit = nil
		l.Granted.Duration += f.More.Duration
		l.Granted.CostUSD = l.Granted.CostUSD.Add(f.More.CostUSD)
		l.Granted.Iterations += f.More.Iterations
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
		l := s.loopNamed(f.Step, f.Index)
		l.CallNo = f.No
		l.Calls = append(slices.Clip(l.Calls),
			&CallState{No: f.No, Agent: l.Agent, Under: l.Under, Call: f.Call, Status: CallAsked})
		last := l.Entries[len(l.Entries)-1]
		last.Calls = append(slices.Clip(last.Calls), CallRef{f.Call.ID, f.Call.Tool, f.Call.Args})
		l.Entries = append(l.Entries[:len(l.Entries)-1:len(l.Entries)-1], last)
	case *CallStarted:
		s.count(f.Counted, e.At, f.Try)
		l := s.loopNamed(f.Step, f.Index)
		if c := l.call(f.No); c != nil {
			if c.Try == 0 && len(l.Repeatable) > 0 { // one yes, one call at a time
				content := s.contentAt(Spot{At: AtCall, Step: f.Step, Index: f.Index, Call: f.No})
				c.Repeats = slices.Contains(l.Repeatable, content)
				l.useUp(content)
			}
			c.Status, c.Try, c.Deadline, c.RetryAt = CallRunning, f.Try, f.Deadline, time.Time{}
		}
	case *CallRebound:
		s.applyCallRebound(f)
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
		l := s.loopNamed(f.Step, f.Index)
		l.Usage = l.Usage.Add(f.Usage)
		s.Usage = s.Usage.Add(f.Usage)
		if c := l.call(f.No); c != nil {
			c.Status, c.Deadline, c.RetryAt, c.Tried = CallAsked, time.Time{}, time.Time{}, c.Try
			c.Input, c.Round = &f.Input, f.Round
		}
	case *CallCompleted:
		s.applyCallCompleted(f)
	}
}

func (s *State) applyCallCompleted(f *CallCompleted) {
	i, _ := s.plan.Step(f.Step)
	k := max(indexOf(f.Index), 0)
	l := s.loop(i, k)
	c := l.call(f.No)
	if c == nil {
		return
	}
	l.Usage = l.Usage.Add(f.Result.Usage)
	s.Usage = s.Usage.Add(f.Result.Usage)
	approved := c.approved()
	if c.Try > 0 && !f.Denied && (approved || c.Repeats || len(l.Repeatable) > 0) {
		content := s.contentAt(Spot{At: AtCall, Step: f.Step, Index: f.Index, Call: f.No})
		switch {
		case f.Result.Error == "":
			l.useUp(content)
		case (approved || c.Repeats) && !slices.Contains(l.Repeatable, content):
			l.Repeatable = append(slices.Clip(l.Repeatable), content)
		}
	}
	c.Status, c.Deadline, c.RetryAt = CallDone, time.Time{}, time.Time{}
	l.Entries = append(l.Entries, Entry{
		Role: "tool", Name: c.Call.Tool, CallID: f.ID, Text: f.Result.Error, Output: f.Result.Output,
		Failed: f.Result.Error != "",
	})
	if changed := callChange(l, c); changed != "" {
		l.Entries = append(l.Entries, Entry{Role: "note", Text: changed + s.whyChanged(c)})
	}
}

// useUp takes a yes back: it was good for one call.
func (l *Loop) useUp(content string) {
	if !mutant.Is(mutant.ChangedArgsPass) {
		l.Repeatable = slices.DeleteFunc(slices.Clone(l.Repeatable), func(r string) bool { return r == content })
	}
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

// callChange tells the model when people changed its arguments.
func callChange(l *Loop, c *CallState) string {
	for n := len(l.Entries) - 1; n >= 0; n-- {
		for _, ref := range l.Entries[n].Calls {
			if ref.ID == c.Call.ID {
				if value.Equal(ref.Args, c.Call.Args) {
					return ""
				}
				return "The arguments of call " + c.Call.ID + " were changed by people before it ran: " +
					phrase.ClipBytes(string(c.Call.Args), 2_000)
			}
		}
	}
	return ""
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
