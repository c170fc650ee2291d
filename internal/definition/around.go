package definition

import (
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
)

// Surroundings are the documents that others are checked against one by one. Names are gathered once, so the
// cost of checking many documents is proportional to their number. Not safe for concurrent use.
type Surroundings struct{ c checker }

// Around gathers what documents may refer to. The set is not changed.
func Around(known *Set) *Surroundings {
	own := *known
	own.Agents, own.Tools = maps.Clone(known.Agents), maps.Clone(known.Tools)
	s := &Surroundings{checker{set: NewSet(), known: &own}}
	s.c.gather()
	return s
}

// Check lists the problems of a document that would replace the one of its name.
func (s *Surroundings) Check(d Document) []Problem {
	k, name := d.Ident()
	back := s.Swap(k, name, d)
	defer back()
	c := s.c
	c.problems, c.looked = nil, 0
	c.document(d)
	return arrange(c.problems)
}

// Swap replaces the document of a kind and name, nil: removes it, until the returned function is called. Undo the
// newest swap first.
func (s *Surroundings) Swap(k Kind, name string, d Document) (back func()) {
	c := &s.c
	switch k {
	case KindWorkflow:
		w, _ := d.(*Workflow)
		return swap(c.workflows, name, d != nil, func() plan.Workflow { return w.Workflow })
	case KindAgent:
		a, _ := d.(*Agent)
		document := swap(c.known.Agents, name, d != nil, func() *Agent { return a })
		agent := swap(c.agents, name, d != nil, func() plan.Agent { return a.Agent })
		return func() { agent(); document() }
	case KindRole:
		r, _ := d.(*Role)
		return swap(c.roles, name, d != nil, func() *Role { return r })
	case KindTool:
		t, _ := d.(*Tool)
		document, names := swap(c.known.Tools, name, d != nil, func() *Tool { return t }), c.tools
		c.tools = listed(names, name, d != nil)
		return func() { c.tools = names; document() }
	case KindMCPServer:
		names := c.servers
		c.servers = listed(names, name, d != nil)
		return func() { c.servers = names }
	}
	return func() {}
}

// swap sets or deletes a member until the returned function is called.
func swap[V any](in map[string]V, name string, set bool, to func() V) (back func()) {
	old, had := in[name]
	if set {
		in[name] = to()
	} else {
		delete(in, name)
	}
	return func() {
		if had {
			in[name] = old
		} else {
			delete(in, name)
		}
	}
}

// listed is a sorted list with a name added or removed.
func listed(names []string, name string, in bool) []string {
	at, found := slices.BinarySearch(names, name)
	switch {
	case in && !found:
		return slices.Insert(slices.Clone(names), at, name)
	case !in && found:
		return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
	}
	return names
}
