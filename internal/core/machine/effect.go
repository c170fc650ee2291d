package machine

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// Effects lists the work that should be in progress, in plan order, derived from the state alone: after a
// crash the result is the same.
func (s *State) Effects() []run.Effect {
	var out []run.Effect
	for _, c := range s.Children {
		out = append(out, cancelEffect(c.Key, c.Run))
	}
	if !s.Status.Ended() {
		for _, i := range s.Active {
			if s.Steps[i].Status == run.RunningStep {
				out = s.stepEffects(out, i)
			}
		}
		out = s.aheadEffects(out)
		if p := &s.Point; p.Asking && p.RetryAt.IsZero() {
			out = append(out, run.Effect{Key: s.ConsultKey(), Do: run.Advise{Agent: s.Adviser(), Failed: p.Failed,
				For: p.For, Turn: p.Turn, Try: max(p.Try, 1), Deadline: p.Deadline, Entries: p.Entries}})
		}
		for _, r := range s.Replans {
			if r.Found == nil {
				out = append(out, run.Effect{Key: s.ReplanKey(r.N),
					Do: run.FindSteps{Requirement: r.Requirement, Failed: r.Failed, Deadline: r.Deadline}})
			}
		}
		if at, ok := s.NextDeadline(); ok {
			out = append(out, run.Effect{Key: run.Key{Run: s.ID, Kind: "wake", Index: -1}, Do: run.Wake{At: at}})
		}
	}
	if mutant.Is(mutant.EffectsOnce) {
		out = s.unsent(out)
	}
	return out
}

func (s *State) stepEffects(out []run.Effect, i int) []run.Effect {
	n := &s.plan.Nodes[i]
	for k, t := range s.Steps[i].Tasks {
		if t.Status != TaskRunning {
			continue
		}
		index := indexOf(s.IndexFor(i, k))
		switch {
		case t.Loop != nil:
			out = s.loopEffects(out, i, k)
		case t.Child != "" && s.Cancelling != nil:
			out = append(out, cancelEffect(s.KeyOf(i, k), t.Child))
		case t.Child != "":
			out = append(out, run.Effect{Key: s.KeyOf(i, k), Do: run.StartRun{Run: t.Child, Workflow: n.Step.Workflow,
				Step: n.Step.ID, Index: index, Approved: s.ApprovedFor(i, k)}})
		default:
			out = append(out, run.Effect{Key: s.KeyOf(i, k), Do: run.Invoke{Step: n.Step.ID, Agent: n.Step.Agent,
				Index: index, Try: t.Try, Deadline: t.Deadline, Guidance: t.Guidance, Approved: s.ApprovedFor(i, k),
				Messages: t.Inbox}})
		}
	}
	return out
}

func cancelEffect(started run.Key, child string) run.Effect {
	started.Kind = run.KeyCancel
	return run.Effect{Key: started, Do: run.CancelRun{Run: child}}
}

func (s *State) loopEffects(out []run.Effect, i, k int) []run.Effect {
	n, t := &s.plan.Nodes[i], s.Steps[i].Tasks[k]
	l, index := t.Loop, indexOf(s.IndexFor(i, k))
	if l.Thinking {
		do := run.Think{Step: n.Step.ID, Agent: l.Agent, Index: index, Turn: l.Turn, Try: l.Try, Deadline: l.Deadline,
			Guidance: t.Guidance, Entries: l.Entries}
		if l.Turn == 1 {
			do.Approved = s.ApprovedFor(i, k)
		}
		out = append(out, run.Effect{Key: s.TurnKey(i, k), Do: do})
	}
	for _, c := range l.Calls {
		if c.Status == loop.Running {
			do := run.CallTool{Step: n.Step.ID, Agent: c.Agent, Index: index, Try: c.Try, Call: c.Call,
				Deadline: c.Deadline, Whole: n.CallsTool()}
			do.Call.Confidence = nil // it was for the approvers
			do.Answer, do.State = s.inputFor(c)
			if mutant.Is(mutant.CallUnbound) {
				do.Call.Spec.Implementation = nil
			}
			out = append(out, run.Effect{Key: s.CallKey(i, k, c), Do: do})
		}
	}
	return out
}

// InputFor returns the input of an Invoke, Think or StartRun. It is not part of the effect because most
// effects are listed far more often than started.
func (s *State) InputFor(step string, index int) json.RawMessage {
	i, ok := s.plan.Step(step)
	if !ok {
		return nil
	}
	if a := s.AheadOf(i); a != nil && index < 0 {
		return a.Input
	}
	in, _ := s.InputOf(i, index)
	return in
}

// Moving reports whether anything can happen without people.
func (s *State) Moving() bool {
	if s.Point.Asking || s.Searching() {
		return true
	}
	for _, i := range s.Active {
		if s.Steps[i].Status != run.RunningStep {
			continue
		}
		for _, t := range s.Steps[i].Tasks {
			if t.moving() {
				return true
			}
		}
	}
	return false
}

func (t *Task) moving() bool {
	switch {
	case t.Status == TaskBackoff:
		return true
	case t.Status != TaskRunning:
		return false
	case t.Child != "":
		return !t.ChildWaiting
	case t.Loop == nil:
		return true
	}
	return t.Loop.Moving()
}

// InFlight reports whether a cancelled run still waits for work in progress.
func (s *State) InFlight() bool {
	for _, i := range s.Active {
		if s.Steps[i].Status != run.RunningStep {
			continue
		}
		for _, t := range s.Steps[i].Tasks {
			if t.Status == TaskRunning && (t.Loop == nil || t.Loop.InFlight()) {
				return true
			}
		}
	}
	return false
}

// markSent and unsent exist for a planted bug: effects that are sent once and forgotten, instead of derived
// from the state.
func (s *State) markSent() {
	if !mutant.Is(mutant.EffectsOnce) {
		return
	}
	s.sent = nil
	sent := map[run.Key]bool{}
	for _, e := range s.Effects() {
		if _, ok := e.Do.(run.Wake); !ok {
			sent[e.Key] = true
		}
	}
	s.sent = sent
}

func (s *State) unsent(all []run.Effect) (out []run.Effect) {
	for _, e := range all {
		if !s.sent[e.Key] {
			out = append(out, e)
		}
	}
	return out
}
