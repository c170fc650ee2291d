package definition

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/definition/tree"
)

// partial is a document without the parts of it that could not be read. It is
// never used for anything but to find what else is wrong, so that people see
// everything at once.
type partial struct {
	doc   Document
	holes []string // paths of the mappings that lack something
}

// partly keeps what is left of a document, if that is enough to judge the rest.
func (s *Set) partly(place Place, k Kind, problems []Problem) {
	var p partial
	drop := map[*tree.Node]bool{}
	for _, problem := range Errors(problems) {
		spot := place.root.Find(problem.Path)
		if !spot.Exact || spot.Member == nil {
			return
		}
		for _, m := range place.root.Members {
			if m.Value == spot.Member && (m.Key == string(k) || m.Key == "kind" && k != KindWorkflow) {
				return // what it is or who it is
			}
		}
		if strings.HasSuffix(problem.Path, ".id") {
			return // others refer to it
		}
		drop[spot.Member] = true
		p.holes = append(p.holes, spot.Inside)
	}
	place.root = without(place.root, drop)
	doc, more := decode(place, k)
	if doc == nil || len(Errors(more)) > 0 {
		return
	}
	p.doc = doc
	s.partial = append(s.partial, p)
}

// without copies a tree but for some members. Lists keep their length, so that
// paths stay the same.
func without(n *tree.Node, drop map[*tree.Node]bool) *tree.Node {
	if n.Kind == tree.List {
		return mapItems(n, func(_ int, item *tree.Node) *tree.Node { return without(item, drop) })
	}
	out := mapMembers(n, func(m tree.Member) *tree.Node {
		if drop[m.Value] {
			return m.Value
		}
		return without(m.Value, drop)
	})
	if slices.ContainsFunc(out.Members, func(m tree.Member) bool { return drop[m.Value] }) {
		out = new(*out)
		out.Members = slices.DeleteFunc(slices.Clone(out.Members), func(m tree.Member) bool { return drop[m.Value] })
	}
	return out
}

// certain leaves out warnings and what may be wrong only because something is
// missing: everything inside a mapping that lacks something, and at the top
// what is not there.
func (p partial) certain(problems []Problem) []Problem {
	root := p.doc.Where().root
	return slices.DeleteFunc(Errors(problems), func(problem Problem) bool {
		return slices.ContainsFunc(p.holes, func(hole string) bool {
			if hole == "" {
				return !strings.ContainsAny(problem.Path, ".[") && !root.Find(problem.Path).Exact
			}
			rest, inside := strings.CutPrefix(problem.Path, hole)
			return inside && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
}
