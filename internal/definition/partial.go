package definition

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/definition/tree"
)

// partial is a document without the parts that could not be read. It is used only to find further problems, so
// that all are reported at once.
type partial struct {
	doc   Document
	holes []hole
}

// hole is an incomplete mapping: its path, and whether the missing part determines the meaning of the rest.
type hole struct {
	path   string
	shapes bool
}

// shaping are keys that determine the meaning of the other keys of a step or gate: without them, problems of the
// others may not be real.
var shaping = []string{"needs", "each", "at", "kind", "human", "agent", "workflow", "options", "input_schema", "input",
	"output", "trigger", "action", "steps", "gates", "rules"}

// shapes reports whether a problem is about such a key, or a likely typo of one.
func shapes(p Problem) bool {
	key := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	return slices.ContainsFunc(shaping, func(k string) bool {
		return k == key ||
			strings.Contains(p.Message, `mean "`+k+`"`)
	})
}

// partly keeps the rest of a document, if that is enough to judge it.
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
				return // its kind or name
			}
		}
		if strings.HasSuffix(problem.Path, ".id") {
			return // others refer to it
		}
		drop[spot.Member] = true
		p.holes = append(p.holes, hole{spot.Inside, shapes(problem)})
	}
	place.root = without(place.root, drop)
	doc, more := decode(place, k)
	if doc == nil || len(Errors(more)) > 0 {
		return
	}
	p.doc = doc
	s.partial = append(s.partial, p)
}

// without copies a tree except for some members. Lists keep their length, so paths stay the same.
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

// certain removes warnings, and problems that may be caused by missing parts: everything inside an incomplete
// mapping, and missing members at the top.
func (p partial) certain(problems []Problem) []Problem {
	root := p.doc.Where().root
	return slices.DeleteFunc(Errors(problems), func(problem Problem) bool {
		return slices.ContainsFunc(p.holes, func(h hole) bool {
			if h.path == "" {
				return !strings.ContainsAny(problem.Path, ".[") && !root.Find(problem.Path).Exact
			}
			rest, inside := strings.CutPrefix(problem.Path, h.path)
			if !inside || rest != "" && rest[0] != '.' && rest[0] != '[' {
				return false
			}
			return h.shapes || rest == "" || !root.Find(problem.Path).Exact
		})
	})
}
