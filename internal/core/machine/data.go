package machine

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// What a step sees: the run's input, the outputs of the steps before it, and
// the context, which is all of these merged in plan order. Nothing here depends
// on the order in which things finished.

// contextFor merges what step i may see; i = -1 stands for the end of the run.
// The start gate's answer is part of the context, but not of the input of
// steps that take the context whole.
func (s *State) contextFor(i int, withStart bool) json.RawMessage {
	var before []int
	if i < 0 {
		before = s.plan.Order()
	} else {
		before = s.plan.Ancestors(i)
	}
	parts := make([]json.RawMessage, 0, len(before)+2)
	parts = append(parts, s.Input)
	if withStart {
		parts = s.appendAnswers(parts, s.plan.Start)
	}
	for _, a := range before {
		n := &s.plan.Nodes[a]
		parts = s.appendAnswers(parts, n.Before)
		if s.Steps[a].Status == run.DoneStep {
			parts = append(parts, s.Steps[a].Output)
		}
		parts = s.appendAnswers(parts, n.After)
		if n.Human >= 0 {
			parts = s.appendAnswers(parts, []int{n.Human})
		}
	}
	if s.Context != nil {
		parts = append(parts, s.editsLeft(before))
	}
	merged := value.Merge(parts...)
	if value.KindOf(merged) != value.KindObject {
		return json.RawMessage("{}")
	}
	return merged
}

func (s *State) appendAnswers(parts []json.RawMessage, gates []int) []json.RawMessage {
	for _, g := range gates {
		id := s.plan.Gates[g].Gate.ID
		if v, ok := s.answer(id); ok {
			parts = append(parts, value.Object(value.Member{Key: id, Value: v}))
		}
	}
	return parts
}

// answer is the newest answer given at a gate.
func (s *State) answer(id string) (json.RawMessage, bool) {
	for n := len(s.Answers) - 1; n >= 0; n-- {
		if s.Answers[n].Gate == id {
			return s.Answers[n].Value, true
		}
	}
	return nil, false
}

// Scope is what expressions and mappings of one step or gate can name.
type Scope struct {
	s       *State
	step    int // -1: the whole run
	index   int // element of a map, -1 otherwise
	item    json.RawMessage
	Subject json.RawMessage // bare names are its fields
	words   map[string]json.RawMessage
}

// ScopeAt is what step i (element index, or -1) can name; i = -1 stands for the
// whole run.
func (s *State) ScopeAt(i, index int, subject json.RawMessage) *Scope {
	return &Scope{s: s, step: i, index: index, Subject: subject}
}

// root resolves a first name.
func (c *Scope) root(name string) (json.RawMessage, bool) {
	switch name {
	case "input":
		return c.s.Input, c.s.Input != nil
	case "context":
		return c.s.contextFor(c.step, true), true
	case "item":
		if c.index >= 0 {
			return c.item, c.item != nil
		}
	case "index":
		if c.index >= 0 {
			return json.RawMessage(strconv.Itoa(c.index)), true
		}
	}
	if v, ok := c.words[name]; ok {
		return v, true
	}
	if n, ok := c.s.plan.Step(name); ok {
		visible := c.step < 0 || n != c.step && c.s.isBefore(n, c.step)
		if visible && c.s.Steps[n].Status == run.DoneStep {
			return c.s.Steps[n].Output, true
		}
		if n != c.step {
			return nil, false
		}
	}
	if c.Subject != nil {
		return value.Get(c.Subject, name)
	}
	return nil, false
}

// isBefore reports whether step a always ends before step b starts. Most names
// in a definition mean a direct need, which is found without a search.
func (s *State) isBefore(a, b int) bool {
	if _, direct := slices.BinarySearch(s.plan.Nodes[b].Needs, a); direct {
		return true
	}
	return s.plan.IsAncestor(a, b)
}

// Look is root for expressions.
func (c *Scope) Look() expr.Lookup { return c.root }

// Path resolves a whole path; context.KEY is found without merging everything.
func (c *Scope) Path(p value.Path) (json.RawMessage, bool) {
	if len(p) == 0 {
		return nil, false
	}
	if p[0] == "context" && len(p) > 1 {
		v, ok := c.s.contextKey(c.step, p[1])
		if !ok {
			return nil, false
		}
		return value.Get(v, p[2:]...)
	}
	v, ok := c.root(p[0])
	if !ok {
		return nil, false
	}
	return value.Get(v, p[1:]...)
}

// given stands for what was not put out by a step: the run's input, a fork's
// edits and what people said at gates.
const given = -1

// contextKey is contextFor(i)[key], looking at the newest part first.
func (s *State) contextKey(i int, key string) (json.RawMessage, bool) {
	v, _, ok := s.contextFind(i, key)
	return v, ok
}

// contextFind is contextKey with the step that the value comes from, or given.
func (s *State) contextFind(i int, key string) (v json.RawMessage, from int, ok bool) {
	before := s.plan.Order()
	if i >= 0 {
		before = s.plan.Ancestors(i)
	}
	for _, a := range slices.Backward(before) {
		n := &s.plan.Nodes[a]
		for _, gates := range [][]int{n.After, n.Before} {
			if s.hasGate(gates, key) {
				if v, ok := s.answer(key); ok {
					return v, given, true
				}
			}
		}
		if n.Human >= 0 && s.plan.Gates[n.Human].Gate.ID == key {
			if v, ok := s.answer(key); ok {
				return v, given, true
			}
		}
		if s.Steps[a].Status == run.DoneStep {
			if v, ok := value.Get(s.Steps[a].Output, key); ok && value.KindOf(s.Steps[a].Output) == value.KindObject {
				if edit, ok := value.Get(s.Context, key); ok && s.Steps[a].Copied && value.KindOf(s.Context) == value.KindObject {
					return edit, given, true // a fork's edits win over the results that it copied
				}
				return v, a, true
			}
		}
	}
	if s.hasGate(s.plan.Start, key) {
		if v, ok := s.answer(key); ok {
			return v, given, true
		}
	}
	for _, part := range []json.RawMessage{s.Context, s.Input} {
		if value.KindOf(part) == value.KindObject {
			if v, ok := value.Get(part, key); ok {
				return v, given, true
			}
		}
	}
	return nil, given, false
}

func (s *State) hasGate(gates []int, id string) bool {
	return slices.ContainsFunc(gates, func(g int) bool { return s.plan.Gates[g].Gate.ID == id })
}

// assign builds an object from a mapping; missing lists the targets whose
// source is not there.
func (c *Scope) assign(with []plan.Assign) (obj json.RawMessage, missing []plan.Assign) {
	members := make([]value.Member, 0, len(with))
	for _, w := range with {
		v := w.Source.Literal
		if v == nil {
			var ok bool
			if v, ok = c.Path(w.Source.Path); !ok {
				missing = append(missing, w)
				continue
			}
		}
		members = append(members, value.Member{Key: w.Target, Value: v})
	}
	return value.Object(members...), missing
}

// InputOf is what step i (element index, or -1) is to work on.
func (s *State) InputOf(i, index int) (json.RawMessage, []plan.Assign) {
	st, n := s.Steps[i], &s.plan.Nodes[i]
	if index >= 0 {
		if index < len(st.Tasks) && st.Tasks[index].Input != nil {
			return st.Tasks[index].Input, nil
		}
		items := s.ItemsOf(i)
		if index >= len(items) {
			return json.RawMessage("null"), nil
		}
		if st.Input != nil {
			return items[index], nil
		}
		return s.elementInput(i, index, items[index])
	}
	if st.Input != nil {
		return patched(st.Input, st.Patches), nil
	}
	if n.With == nil {
		return patched(s.contextFor(i, false), st.Patches), nil
	}
	sc := Scope{s: s, step: i, index: -1}
	in, missing := sc.assign(n.With)
	return patched(in, st.Patches), missing
}

func (s *State) elementInput(i, index int, item json.RawMessage) (json.RawMessage, []plan.Assign) {
	n := &s.plan.Nodes[i]
	if n.With == nil {
		return patched(value.Merge(s.contextFor(i, false), value.Object(
			value.Member{Key: "item", Value: item},
			value.Member{Key: "index", Value: json.RawMessage(strconv.Itoa(index))},
		)), s.Steps[i].Patches), nil
	}
	sc := Scope{s: s, step: i, index: index, item: item}
	in, missing := sc.assign(n.With)
	return patched(in, s.Steps[i].Patches), missing
}

// ItemsOf lists what a map works on: the elements of the list, or, where people
// changed the inputs at a gate before the map, those inputs.
func (s *State) ItemsOf(i int) []json.RawMessage {
	st := s.Steps[i]
	if st.items != nil {
		return st.items
	}
	list := st.Input
	if list == nil {
		sc := Scope{s: s, step: i, index: -1}
		list, _ = sc.Path(s.plan.Nodes[i].Each)
	}
	items := value.Elements(list)
	if len(st.Tasks) > 0 {
		st.items = items // settled once the map has begun; splitting a long list each time is dear
	}
	return items
}

func patched(v json.RawMessage, patches []json.RawMessage) json.RawMessage {
	for _, p := range patches {
		v = value.MergePatch(v, p)
	}
	return v
}

// RunOutput is the run's output as it would be now.
func (s *State) RunOutput() (json.RawMessage, []plan.Assign) {
	if s.plan.Output != nil {
		sc := Scope{s: s, step: -1, index: -1}
		return sc.assign(s.plan.Output)
	}
	last := s.plan.Last()
	if len(last) == 1 {
		if out := s.Steps[last[0]].Output; s.Steps[last[0]].Status == run.DoneStep {
			return out, nil
		}
		return json.RawMessage("null"), nil
	}
	var members []value.Member
	for _, i := range last {
		if s.Steps[i].Status == run.DoneStep {
			members = append(members, value.Member{Key: s.plan.Nodes[i].Step.ID, Value: s.Steps[i].Output})
		}
	}
	return value.Object(members...), nil
}

// Merged is the context as it stands: the input and all that was put out so far.
func (s *State) Merged() json.RawMessage { return s.contextFor(-1, true) }
