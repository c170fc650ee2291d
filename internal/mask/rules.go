package mask

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Marker stands for what is hidden.
const Marker = "•••"

// Root says which document of a run something is. Places that begin with a root
// are looked for in that document, and in those that may hold a copy of it.
type Root string

const (
	Input   Root = "input"   // of the run
	Output  Root = "output"  // of the run
	Context Root = "context" // what a run knows so far
	Other   Root = ""        // anything that may hold a copy of something else
)

// StepInput and StepOutput are what a step got and gave.
func StepInput(step string) Root  { return Root("steps." + strings.ToLower(step) + ".input") }
func StepOutput(step string) Root { return Root("steps." + strings.ToLower(step) + ".output") }

// exact reports whether only rules about this very document hold for it.
func (r Root) exact() bool {
	return r == Input || strings.HasPrefix(string(r), "steps.") && strings.HasSuffix(string(r), ".output")
}

// Rules say which places are sensitive. The zero value says: none.
type Rules struct {
	names  map[string]bool // of fields, at any depth
	tails  [][]string      // fields within fields, at any depth
	rooted []place
}

// place is a field of one document.
type place struct {
	root Root
	path []string // empty: all of it
}

// every stands for every name, where a schema has one rule for all members.
const every = "*"

// rulesMax bounds how many places a list may name.
const rulesMax = 1000

// Parse reads places as people write them: the name of a field (iban), fields
// within fields (customer.email), or a place in one document of a run
// (input.customer.email, steps.lookup.output.iban, output.total, context.x).
// Upper and lower case are the same, and lists are looked through.
func Parse(texts ...string) (*Rules, error) {
	if len(texts) > rulesMax {
		return nil, fault.Newf(fault.Invalid, "%d places are more than %d", len(texts), rulesMax)
	}
	r := &Rules{}
	for _, text := range texts {
		path, err := value.ParsePath(text)
		if err != nil {
			return nil, err
		}
		path = slices.DeleteFunc(path, isIndex)
		if len(path) == 0 {
			return nil, fault.New(fault.Invalid, "a sensitive field has no name",
				"write a name such as iban, or a path such as customer.email")
		}
		for i := range path {
			path[i] = strings.ToLower(path[i])
		}
		r.add(rootOf(path))
	}
	return r, nil
}

func isIndex(seg string) bool {
	return seg != "" && strings.Trim(seg, "0123456789") == ""
}

// rootOf splits a path into the document it is about and the way inside.
func rootOf(path []string) place {
	switch Root(path[0]) {
	case Input, Output, Context:
		return place{Root(path[0]), path[1:]}
	case "steps":
		switch {
		case len(path) >= 3 && path[2] == "output":
			return place{StepOutput(path[1]), path[3:]}
		case len(path) >= 3 && path[2] == "input":
			return place{StepInput(path[1]), path[3:]}
		case len(path) == 2:
			return place{StepOutput(path[1]), nil}
		}
	}
	return place{Other, path}
}

func (r *Rules) add(p place) {
	switch {
	case p.root != Other:
		r.rooted = append(r.rooted, p)
	case len(p.path) == 1:
		if r.names == nil {
			r.names = map[string]bool{}
		}
		r.names[p.path[0]] = true
	default:
		r.tails = append(r.tails, p.path)
	}
}

// Empty reports whether nothing is sensitive.
func (r *Rules) Empty() bool {
	return r == nil || len(r.names) == 0 && len(r.tails) == 0 && len(r.rooted) == 0
}

// Join is all that any of some rules say.
func Join(all ...*Rules) *Rules {
	out := &Rules{}
	for _, r := range all {
		if r == nil {
			continue
		}
		for name := range r.names {
			out.add(place{Other, []string{name}})
		}
		out.tails = append(out.tails, r.tails...)
		out.rooted = append(out.rooted, r.rooted...)
	}
	return out
}

// Anywhere are rules about documents of another run, whose values may be
// anywhere in this one: the way inside counts, and not which document it was.
// A document that is sensitive as a whole says nothing about places, so it stays out.
func (r *Rules) Anywhere() *Rules {
	out := Join(&Rules{names: r.names, tails: r.tails})
	for _, p := range r.rooted {
		if len(p.path) > 0 {
			out.add(place{Other, p.path})
		}
	}
	return out
}

// hides reports whether a place is sensitive. The path is in lower case and
// without indexes.
func (r *Rules) hides(root Root, path []string) bool {
	if n := len(path); n > 0 {
		if r.names[path[n-1]] || r.names[every] {
			return true
		}
		for _, tail := range r.tails {
			if len(tail) <= n && fits(tail, path[n-len(tail):]) {
				return true
			}
		}
	}
	for _, p := range r.rooted {
		if (p.root == root || !root.exact()) && fits(p.path, path) {
			return true
		}
	}
	return false
}

// HidesField reports whether a field of a document that may hold a copy of
// anything is sensitive.
func (r *Rules) HidesField(path ...string) bool {
	if r.Empty() {
		return false
	}
	lower := make([]string, len(path))
	for i := range path {
		lower[i] = strings.ToLower(path[i])
	}
	return r.hides(Other, lower)
}

func fits(pattern, path []string) bool {
	return slices.EqualFunc(pattern, path, func(want, got string) bool { return want == every || want == got })
}

// Collect adds what the sensitive places of a document hold to values.
func (r *Rules) Collect(root Root, doc json.RawMessage, values *Values) {
	if r.Empty() || len(doc) == 0 {
		return
	}
	collect(r, root, nil, doc, r.hides(root, nil), values, 0)
}

func collect(r *Rules, root Root, path []string, v json.RawMessage, inside bool, values *Values, depth int) {
	switch value.KindOf(v) {
	case value.KindObject:
		if depth >= depthMax {
			return // it is hidden as a whole
		}
		for key, m := range value.Members(v) {
			at := append(path, strings.ToLower(key))
			collect(r, root, at, m, inside || r.hides(root, at), values, depth+1)
		}
	case value.KindArray:
		if depth >= depthMax {
			return
		}
		for _, e := range value.Elements(v) {
			collect(r, root, path, e, inside, values, depth+1)
		}
	case value.Null:
	default:
		if inside {
			values.add(v)
		}
	}
}
