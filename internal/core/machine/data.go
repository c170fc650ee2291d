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

// The data a step sees: the run's input, the outputs of the steps before it, and the context, which is all of
// these merged in plan order. None of this depends on the order in which steps finished.

// Scope defines the names available to the expressions and mappings of one step or gate.
type Scope struct {
	s       *State
	step    int // -1: the whole run
	index   int // element of a map, -1 otherwise
	item    json.RawMessage
	Subject json.RawMessage // bare names are its fields
	words   map[string]json.RawMessage
}

// ScopeAt returns the scope of step i (element index, or -1); i = -1 is the whole run.
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

// isBefore reports whether step a always ends before step b starts. Most names in a definition refer to a
// direct need, which is found without a search.
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
		v, _, ok := c.s.contextFind(c.step, p[1])
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

// assign builds an object from a mapping; missing lists the targets whose source does not exist.
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

// InputOf returns the input of step i (element index, or -1).
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

// ItemsOf lists the items of a map: the elements of the list, or, if people changed the inputs at a gate
// before the map, those inputs.
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
		st.items = items // fixed once the map has begun; splitting a long list every time is expensive
	}
	return items
}

func patched(v json.RawMessage, patches []json.RawMessage) json.RawMessage {
	for _, p := range patches {
		v = value.MergePatch(v, p)
	}
	return v
}

// RunOutput is the run's output as of now.
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

// Merged is the current context: the input and all outputs so far.
func (s *State) Merged() json.RawMessage { return s.contextFor(-1, true) }
