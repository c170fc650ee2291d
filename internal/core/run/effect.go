package run

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
)

// Effect is something that should be going on in the world for the run right
// now. The same key means the same obligation, for ever.
type Effect struct {
	Key Key
	Do  Effort
}

// Effort is what to do: one of the types below.
type Effort interface{ effort() }

type (
	// Invoke runs an agent.
	Invoke struct {
		Step, Agent string
		Index, Try  int // Index is -1 outside a map
		Deadline    time.Time
		Guidance    []string
		Approved    []gate.Implementation // only this may do it; empty: whatever is in force
		Messages    []Message             // from other agents, oldest first
	}
	// Think asks a model for its next turn.
	Think struct {
		Step, Agent string
		Index       int
		Turn, Try   int
		Deadline    time.Time
		Guidance    []string
		Entries     []Entry               // all that was said and done, oldest first
		Approved    []gate.Implementation // of the first turn, as in Invoke
	}
	// CallTool runs a tool.
	CallTool struct {
		Step, Agent string
		Index, Try  int
		Call        Call
		Deadline    time.Time
		Answer      json.RawMessage // what people said to what the tool asked last
		State       json.RawMessage // what the tool gave along with its question
	}
	// StartRun starts a sub-run; starting it twice is starting it once.
	StartRun struct {
		Run, Workflow string
		Step          string
		Index         int
		Approved      []gate.Implementation // as in Invoke
	}
	// CancelRun tells a sub-run that nobody waits for it.
	CancelRun struct{ Run string }
	// Advise asks the agent in the loop.
	Advise struct {
		Agent, Failed string
		Summary       string
		Deadline      time.Time
	}
	// FindSteps looks for steps that meet a requirement.
	FindSteps struct {
		Requirement string
		Deadline    time.Time
	}
	// Wake wants a Tick at that time.
	Wake struct{ At time.Time }
)

// Entry is one line of what the model sees.
type Entry struct {
	Role   string          `json:"role"` // user | assistant | tool | note | agent
	Name   string          `json:"name,omitempty"`
	Text   string          `json:"text,omitempty"`
	Calls  []CallRef       `json:"calls,omitempty"`
	CallID string          `json:"call_id,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// CallRef is a call as the model wrote it.
type CallRef struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

func (Invoke) effort()    {}
func (Think) effort()     {}
func (CallTool) effort()  {}
func (StartRun) effort()  {}
func (CancelRun) effort() {}
func (Advise) effort()    {}
func (FindSteps) effort() {}
func (Wake) effort()      {}

// Effects lists what is owed to the world, in plan order, derived from the
// state alone: after a crash the answer is the same.
func (s *State) Effects() []Effect {
	var out []Effect
	for _, c := range s.Children {
		out = append(out, cancelEffect(c.Key, c.Run))
	}
	if !s.Status.Ended() {
		for _, i := range s.Active {
			if s.Steps[i].Status == RunningStep {
				out = s.stepEffects(out, i)
			}
		}
		if s.Point.Asking {
			out = append(out, Effect{s.consultKey(),
				Advise{s.loops().Agent.Agent, s.Point.Failed, s.Summary(nil), s.Point.Deadline}})
		}
		for _, r := range s.Replans {
			out = append(out, Effect{s.replanKey(r.N), FindSteps{r.Requirement, r.Deadline}})
		}
		if at, ok := s.NextDeadline(); ok {
			out = append(out, Effect{Key{Run: s.ID, Kind: "wake", Index: -1}, Wake{at}})
		}
	}
	if mutant.Is(mutant.EffectsOnce) {
		out = s.unsent(out)
	}
	return out
}

func (s *State) stepEffects(out []Effect, i int) []Effect {
	n := &s.plan.Nodes[i]
	for k, t := range s.Steps[i].Tasks {
		if t.Status != TaskRunning {
			continue
		}
		index := indexOf(s.indexFor(i, k))
		switch {
		case t.Loop != nil:
			out = s.loopEffects(out, i, k)
		case t.Child != "" && s.Cancelling != nil:
			out = append(out, cancelEffect(s.keyOf(i, k), t.Child))
		case t.Child != "":
			out = append(out, Effect{s.keyOf(i, k), StartRun{t.Child, n.Step.Workflow, n.Step.ID, index, s.approvedFor(i, k)}})
		default:
			out = append(out, Effect{s.keyOf(i, k),
				Invoke{n.Step.ID, n.Step.Agent, index, t.Try, t.Deadline, t.Guidance, s.approvedFor(i, k), t.Inbox}})
		}
	}
	return out
}

func cancelEffect(started Key, child string) Effect {
	started.Kind = KeyCancel
	return Effect{started, CancelRun{child}}
}

func (s *State) loopEffects(out []Effect, i, k int) []Effect {
	n, t := &s.plan.Nodes[i], s.Steps[i].Tasks[k]
	l, index := t.Loop, indexOf(s.indexFor(i, k))
	if l.Thinking {
		do := Think{Step: n.Step.ID, Agent: l.Agent, Index: index, Turn: l.Turn, Try: l.Try, Deadline: l.Deadline,
			Guidance: t.Guidance, Entries: l.Entries}
		if l.Turn == 1 {
			do.Approved = s.approvedFor(i, k)
		}
		out = append(out, Effect{s.turnKey(i, k), do})
	}
	for _, c := range l.Calls {
		if c.Status == CallRunning {
			do := CallTool{Step: n.Step.ID, Agent: c.Agent, Index: index, Try: c.Try, Call: c.Call, Deadline: c.Deadline}
			do.Call.Confidence = nil // it was for those who decide
			do.Answer, do.State = s.inputFor(c)
			if mutant.Is(mutant.CallUnbound) {
				do.Call.Spec.Implementation = nil
			}
			out = append(out, Effect{s.callKey(i, k, c), do})
		}
	}
	return out
}

// InputFor is what an Invoke, Think or StartRun works on. It is not part of
// the effect because most effects are looked at far more often than started.
func (s *State) InputFor(step string, index int) json.RawMessage {
	i, ok := s.plan.Step(step)
	if !ok {
		return nil
	}
	in, _ := s.inputOf(i, index)
	return in
}

// moving reports whether anything can happen without people.
func (s *State) moving() bool {
	if s.Point.Asking || len(s.Replans) > 0 {
		return true
	}
	for _, i := range s.Active {
		if s.Steps[i].Status != RunningStep {
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
	return t.Loop.moving()
}

// inFlight reports whether something was started that a cancelled run waits for.
func (s *State) inFlight() bool {
	for _, i := range s.Active {
		if s.Steps[i].Status != RunningStep {
			continue
		}
		for _, t := range s.Steps[i].Tasks {
			if t.Status == TaskRunning && (t.Loop == nil || t.Loop.inFlight()) {
				return true
			}
		}
	}
	return false
}

// markSent and unsent exist for a planted bug: effects that are sent once and
// forgotten, instead of derived from the state.
func (s *State) markSent() {
	if !mutant.Is(mutant.EffectsOnce) {
		return
	}
	s.sent = nil
	sent := map[Key]bool{}
	for _, e := range s.Effects() {
		if _, ok := e.Do.(Wake); !ok {
			sent[e.Key] = true
		}
	}
	s.sent = sent
}

func (s *State) unsent(all []Effect) (out []Effect) {
	for _, e := range all {
		if !s.sent[e.Key] {
			out = append(out, e)
		}
	}
	return out
}
