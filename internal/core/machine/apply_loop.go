package machine

import (
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// loopNamed returns the loop that a fact refers to, for writing.
func (s *State) loopNamed(step string, index *int) *loop.State {
	i, _ := s.plan.Step(step)
	return s.loop(i, max(indexOf(index), 0))
}

func (s *State) applyLoop(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.TurnStarted:
		s.loopNamed(f.Step, f.Index).BeginTurn(f)
	case *run.TurnCompleted:
		s.loopNamed(f.Step, f.Index).EndTurn(f)
		s.Usage = s.Usage.Add(f.Turn.Usage)
		if f.Turn.Text != "" {
			by := run.Actor{Kind: run.Agent, Name: f.Agent}
			s.Thread = append(s.Thread, run.Message{From: by, Text: f.Turn.Text, At: e.At})
		}
	case *run.TurnRetrying:
		s.loopNamed(f.Step, f.Index).FailTurn(f, e.At)
		s.Usage = s.Usage.Add(f.Error.Usage)
	case *run.NoteAdded:
		l := s.loopNamed(f.Step, f.Index)
		l.Note(f.Text)
		if f.Mend {
			l.Mends++
		}
	case *run.HandedOff:
		s.loopNamed(f.Step, f.Index).HandOver(f)
	case *run.LimitWarning:
		l := s.loopNamed(f.Step, f.Index)
		l.Warned = append(slices.Clip(l.Warned), f.Limit)
	case *run.LimitGranted:
		s.loopNamed(f.Step, f.Index).Grant(f.More)
	case *run.LimitRaised:
		i, _ := s.plan.Step(f.Step)
		st := s.step(i)
		st.Raised = st.Raised.Plus(f.Limit, f.To-f.From)
	default:
		s.applyCall(e)
	}
}

func (s *State) applyCall(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.CallRequested:
		s.loopNamed(f.Step, f.Index).RequestCall(f)
	case *run.CallStarted:
		s.count(f.Counted, e.At, f.Try)
		s.loopNamed(f.Step, f.Index).StartCall(f, s.callContent(f.Step, f.Index, f.No))
	case *run.CallRebound:
		s.uncount(f.Act)
		s.loopNamed(f.Step, f.Index).RebindCall(f, s.callContent(f.Step, f.Index, f.No))
	case *run.CallArgsChanged:
		if c := s.loopNamed(f.Step, f.Index).Call(f.No); c != nil {
			c.Call.Args, c.Place, c.Status, c.Repeats = f.Args, nil, loop.Asked, false
			if e.Actor.Kind != run.Person && !mutant.Is(mutant.ProgramsAreSure) {
				c.Call.Confidence = nil // the agent meant other arguments
			}
		}
	case *run.CallRetrying:
		if c := s.loopNamed(f.Step, f.Index).Call(f.No); c != nil {
			c.Status, c.RetryAt, c.Deadline = loop.Backoff, f.RetryAt, time.Time{}
			s.Usage = s.Usage.Add(f.Error.Usage)
		}
	case *run.CallInputNeeded:
		s.loopNamed(f.Step, f.Index).NeedInput(f)
		s.Usage = s.Usage.Add(f.Usage)
	case *run.CallCompleted:
		l := s.loopNamed(f.Step, f.Index)
		c := l.Call(f.No)
		if c == nil {
			return
		}
		s.Usage = s.Usage.Add(f.Result.Usage)
		l.CompleteCall(c, f, s.callContent(f.Step, f.Index, f.No))
		if f.Result.Error == "" && !f.Denied && !f.DryRun {
			s.useTool(f.Step, c.Call.Tool)
		}
		if changed := l.Changed(c); changed != "" {
			l.Note(changed + s.whyChanged(c))
		}
	}
}

// callContent is the digest of a proposed call, at the time it is requested.
func (s *State) callContent(step string, index *int, no int) func() string {
	return func() string { return s.ContentAt(run.Spot{At: run.AtCall, Step: step, Index: index, Call: no}) }
}

// whyChanged returns who changed a call, and their comment.
func (s *State) whyChanged(c *loop.Call) string {
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
				why += "\n" + d.By + " gave this reason: " + phrase.ClipBytes(d.Comment, 2_000)
			}
		}
	}
	return why
}

func (s *State) closeReplan(n int) {
	s.Replans = slices.DeleteFunc(slices.Clone(s.Replans), func(r OpenReplan) bool { return r.N == n })
}

func (s *State) applyPlan(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.ConsultStarted, *run.ConsultRetrying, *run.ConsultRead, *run.ConsultAnswered:
		s.applyConsult(e)
	case *run.PointPassed:
		s.Point.Open, s.Point.Human, s.Point.Ask, s.Point.Summary = f.Layer, nil, nil, ""
	case *run.ReplanRequested:
		s.ReplanNo = f.N
		s.Replans = append(slices.Clip(s.Replans), OpenReplan{N: f.N, Requirement: f.Requirement, Deadline: f.Deadline,
			Failed: f.Failed})
	case *run.ReplanAnswered:
		if f.Proposed == nil {
			s.closeReplan(f.N)
		} else if r := s.replan(run.Spot{At: run.AtReplan, Replan: f.N}); r != nil {
			r.Found = f.Proposed
		}
	case *run.ReplanSettled:
		if !f.Accepted {
			s.decline(f.N, e.Actor)
		}
		s.closeReplan(f.N)
	case *run.PlanChanged:
		next, _, err := s.plan.Inject(f.Steps, f.Agents, nil, nil)
		if err != nil {
			return // Handle tried it on this very plan; if the log disagrees, it belongs to another plan
		}
		s.plan = next
		s.PlanChanges = append(slices.Clip(s.PlanChanges), f)
		s.EndPlace, s.Output = nil, nil
		if !f.AtPoint {
			s.Point.Human = nil
		}
		s.layOut()
		if e.Actor.Kind != run.Person {
			s.programmed(f.Added)
		}
	}
}

// applyConsult updates the consultation of the planning agent.
func (s *State) applyConsult(e run.Event) {
	p := &s.Point
	switch f := e.Fact.(type) {
	case *run.ConsultStarted:
		if f.Try > 1 {
			p.Try, p.RetryAt = f.Try, time.Time{}
			return
		}
		p.Asking, p.No, p.Deadline, p.Failed = true, f.N, f.Deadline, f.Failed
		p.Agent, p.For, p.Try, p.Turn, p.Entries, p.RetryAt = f.Agent, f.For, 1, 0, nil, time.Time{}
		if f.For == run.ForSummary {
			p.Summed = p.Open + 1
		}
	case *run.ConsultRetrying:
		s.spend(f.Error.Usage)
		if p.RetryAt = f.RetryAt; f.RetryAt.IsZero() {
			p.Try++
		}
		if f.Said != "" {
			p.Entries = append(slices.Clip(p.Entries), run.Entry{Role: "assistant", Name: s.Adviser(), Text: f.Said},
				run.Entry{Role: "note", Text: "That answer cannot be used: " + f.Error.Message})
		}
	case *run.ConsultRead:
		s.spend(f.Usage)
		said := run.Entry{Role: "assistant", Name: s.Adviser(), Text: f.Text}
		var read []run.Entry
		for _, c := range f.Reads {
			said.Calls = append(said.Calls, run.CallRef{ID: c.ID, Tool: c.Tool, Args: c.Args})
			read = append(read, run.Entry{Role: "tool", Name: c.Tool, CallID: c.ID, Output: c.Output})
		}
		p.Entries = append(append(slices.Clip(p.Entries), said), read...)
		p.Turn, p.Try = p.Turn+1, 1
	case *run.ConsultAnswered:
		s.endConsult(f, e)
	}
}

// spend adds what a consultation cost.
func (s *State) spend(u run.Usage) {
	s.Usage = s.Usage.Add(u)
	used := maps.Clone(s.Point.Used)
	if used == nil {
		used = map[string]run.Usage{}
	}
	used[s.Adviser()] = used[s.Adviser()].Add(u)
	s.Point.Used = used
}

func (s *State) endConsult(f *run.ConsultAnswered, e run.Event) {
	p := &s.Point
	s.spend(f.Advice.Usage)
	agent, summary, failed := s.Adviser(), p.For == run.ForSummary, p.Failed
	p.Asking, p.Deadline, p.Failed, p.Entries, p.RetryAt, p.For = false, time.Time{}, "", nil, time.Time{}, ""
	if summary {
		p.Summary = f.Summary
		return
	}
	if failed == "" {
		p.Consulted = p.Open + 1
	}
	s.Advice = append(slices.Clip(s.Advice), Advised{Agent: agent, Failed: failed, Layer: p.Open, Fallback: f.Fallback,
		At: e.At, AdviceRaw: f.Advice})
	if f.Advice.Action == run.AdviceAsk {
		p.Ask = &PointAsk{Failed: failed, Why: f.Advice.Reasoning}
		if !f.Fallback {
			p.Ask.By = agent
		}
	}
	if f.Fallback || f.Advice.Reasoning == "" && f.Advice.Requirement == "" {
		return
	}
	text := f.Advice.Action
	for _, more := range []string{f.Advice.Requirement, f.Advice.Reasoning} {
		if more != "" {
			text += ": " + more
		}
	}
	from := run.Actor{Kind: run.Agent, Name: agent}
	s.Thread = append(slices.Clip(s.Thread), run.Message{From: from, Text: text, At: e.At})
}

// programmed marks the steps among those that a program added to which it gave values of its own.
func (s *State) programmed(added []string) {
	for _, id := range added {
		i, ok := s.plan.Step(id)
		if !ok {
			continue
		}
		if slices.ContainsFunc(s.plan.Nodes[i].With, func(w plan.Assign) bool { return w.Source.Literal != nil }) {
			s.step(i).Programmed = true
		}
	}
}
