package machine

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// The context is what a step sees of the run: the input, the answers at the start, and for each step before
// it, in plan order, the answers before the step, its output and the answers after it. Later values replace
// earlier ones. A fork's edits replace them all, except for outputs and answers since the fork. The name of a gate
// stands for the answer at that gate: no input and no output can put anything else there.

// given marks data that no step returned: the run's input, a fork's edits and answers at gates.
const given = -1

// part is a part of the context: a document, or the answer at a gate.
type part struct {
	plan  *plan.Plan
	gate  string
	raw   json.RawMessage
	from  int  // the step that returned it, or given
	fresh bool // not copied by a fork
}

func (p part) get(key string) (json.RawMessage, bool) {
	switch {
	case p.gate != "":
		return p.raw, p.gate == key
	case p.answers(key) || value.KindOf(p.raw) != value.KindObject:
		return nil, false
	}
	return value.Get(p.raw, key)
}

// answers reports whether a key stands for the answer at a gate.
func (p part) answers(key string) bool {
	_, ok := p.plan.GateByID(key)
	return ok && !mutant.Is(mutant.AnswersForged)
}

func (p part) document() json.RawMessage {
	if p.gate != "" {
		return value.Object(value.Member{Key: p.gate, Value: p.raw})
	}
	var left []value.Member
	forged := false
	if len(p.plan.Gates) > 0 {
		for key, v := range value.Members(p.raw) {
			if p.answers(key) {
				forged = true
			} else {
				left = append(left, value.Member{Key: key, Value: v})
			}
		}
	}
	if !forged {
		return p.raw
	}
	return value.Object(left...)
}

// parts yields what step i may see, newest first, without a fork's edits; i = -1 is the end of the run. The
// answers at the start are part of the context, but not of the input of steps that take the whole context.
func (s *State) parts(i int, withStart bool) iter.Seq[part] {
	return func(yield func(part) bool) {
		before := s.plan.Order()
		if i >= 0 {
			before = s.plan.Ancestors(i)
		}
		for _, a := range slices.Backward(before) {
			if !s.stepParts(a, yield) {
				return
			}
		}
		if withStart && !s.answersAt(s.plan.Start, yield) {
			return
		}
		yield(part{plan: s.plan, raw: s.Input, from: given})
	}
}

func (s *State) stepParts(a int, yield func(part) bool) bool {
	n, st := &s.plan.Nodes[a], s.Steps[a]
	if n.Human >= 0 && !s.answersAt([]int{n.Human}, yield) {
		return false
	}
	if !s.answersAt(n.After, yield) {
		return false
	}
	if st.Status == run.DoneStep && !yield(part{plan: s.plan, raw: st.Output, from: a, fresh: !st.Copied}) {
		return false
	}
	return s.answersAt(n.Before, yield)
}

func (s *State) answersAt(gates []int, yield func(part) bool) bool {
	for _, g := range slices.Backward(gates) {
		id := s.plan.Gates[g].Gate.ID
		if a, ok := s.answer(id); ok && !yield(part{plan: s.plan, gate: id, raw: a.Value, from: given, fresh: !a.Copied}) {
			return false
		}
	}
	return true
}

// answer is the latest answer at a gate.
func (s *State) answer(id string) (GateAnswer, bool) {
	for _, a := range slices.Backward(s.Answers) {
		if a.Gate == id {
			return a, true
		}
	}
	return GateAnswer{}, false
}

// contextFor merges the data that step i may see.
func (s *State) contextFor(i int, withStart bool) json.RawMessage {
	parts := slices.Collect(s.parts(i, withStart))
	documents := make([]json.RawMessage, 0, len(parts)+1)
	for _, p := range slices.Backward(parts) {
		documents = append(documents, p.document())
	}
	if s.Context != nil {
		documents = append(documents, s.editsLeft(parts))
	}
	return value.Merge(documents...)
}

// isEdit reports whether step i finds a fork's edit under a key of the context.
func (s *State) isEdit(i int, key string) bool {
	_, ok := value.Get(s.Context, key)
	return ok && !replaced(s.parts(i, true), key)
}

// contextFind is contextFor(i, true)[key] without merging everything, with the step
// that the value comes from, or given.
func (s *State) contextFind(i int, key string) (v json.RawMessage, from int, ok bool) {
	if edit, ok := value.Get(s.Context, key); ok && !replaced(s.parts(i, true), key) {
		return edit, given, true
	}
	for p := range s.parts(i, true) {
		if v, ok := p.get(key); ok {
			return v, p.from, true
		}
	}
	return nil, given, false
}

// editsLeft returns a fork's edits of the context that have not been replaced.
func (s *State) editsLeft(parts []part) json.RawMessage {
	var left []value.Member
	for key, v := range value.Members(s.Context) {
		if !replaced(slices.Values(parts), key) {
			left = append(left, value.Member{Key: key, Value: v})
		}
	}
	return value.Object(left...)
}

// replaced reports whether a fork's edit was replaced since the fork.
func replaced(parts iter.Seq[part], key string) bool {
	for p := range parts {
		if _, ok := p.get(key); ok && p.fresh {
			return true
		}
	}
	return false
}

// copied records which results and answers came with a fork. Earlier edits that they replaced stay replaced.
func (s *State) copied() {
	if s.Context != nil {
		s.Context = s.editsLeft(slices.Collect(s.parts(-1, true)))
	}
	for i, st := range s.Steps {
		if st.Status == run.DoneStep && !st.Copied {
			s.step(i).Copied = true
		}
	}
	s.Answers = slices.Clone(s.Answers) // a draft shares them
	for n := range s.Answers {
		s.Answers[n].Copied = true
	}
}
