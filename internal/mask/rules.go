package mask

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Marker replaces masked values.
const Marker = "•••"

// Root identifies a document of a run. Places that begin with a root apply to that document, and to those that may
// contain a copy of it.
type Root string

const (
	Input   Root = "input"   // of the run
	Output  Root = "output"  // of the run
	Context Root = "context" // the run's data so far
	Other   Root = ""        // anything that may contain copies
)

// StepInput and StepOutput are the input and output of a step.
func StepInput(step string) Root  { return Root("steps." + strings.ToLower(step) + ".input") }
func StepOutput(step string) Root { return Root("steps." + strings.ToLower(step) + ".output") }

// exact reports whether only rules about this document apply to it.
func (r Root) exact() bool {
	return r == Input || strings.HasPrefix(string(r), "steps.") && strings.HasSuffix(string(r), ".output")
}

// Rules define which places are sensitive. The zero value: none.
type Rules struct {
	names  map[string]bool // of fields, at any depth
	tails  [][]string      // fields within fields, at any depth
	rooted []place
}

// place is a field of one document.
type place struct {
	root Root
	path []string // empty: the whole document
}

// every matches every name, where a schema has one rule for all members.
const every = "*"

// rulesMax limits how many places a list may name.
const rulesMax = 1000

// Parse parses places: the name of a field (iban), nested fields (customer.email), or a place in one document of a run
// (input.customer.email, steps.lookup.output.iban, output.total, context.x). Case is ignored, and lists are searched.
func Parse(texts ...string) (*Rules, error) {
	if len(texts) > rulesMax {
		return nil, fault.Newf(fault.Invalid, "%d sensitive fields are configured; the maximum is %d", len(texts), rulesMax)
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

// rootOf splits a path into its document and the path inside.
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

// Join combines rules.
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

// Anywhere are rules about documents of another run, whose values may be anywhere in this one: the path inside counts,
// not the document. A document that is sensitive as a whole has no path, so it is left out.
func (r *Rules) Anywhere() *Rules {
	out := Join(&Rules{names: r.names, tails: r.tails})
	for _, p := range r.rooted {
		if len(p.path) > 0 {
			out.add(place{Other, p.path})
		}
	}
	return out
}

// hides reports whether a place is sensitive. The path is in lower case and without indexes.
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

// HidesField reports whether a field is sensitive in a document that may contain copies.
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

// Collect adds the values at the sensitive places of a document to values.
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
			return // masked as a whole
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
