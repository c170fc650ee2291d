package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// explain turns the validator's tree of errors into a flat list for people: sorted by path, without
// duplicates, the first hundred.
func explain(doc any, err *jsonschema.ValidationError) []fault.Problem {
	e := explainer{doc: doc}
	e.add(err)
	e.trim()
	return e.problems
}

type explainer struct {
	doc      any
	problems []fault.Problem
}

func (e *explainer) report(path []string, format string, args ...any) {
	p := fault.Problem{Path: value.Path(path).Pointer(), Message: fmt.Sprintf(format, args...)}
	// The validator walks objects in random order. Keeping the smallest problems instead of the first makes
	// the result deterministic.
	if e.problems = append(e.problems, p); len(e.problems) >= 20*problemsMax {
		e.trim()
	}
}

func (e *explainer) trim() {
	slices.SortFunc(e.problems, func(a, b fault.Problem) int {
		return cmp.Or(comparePaths(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	e.problems = slices.Compact(e.problems)
	e.problems = e.problems[:min(len(e.problems), problemsMax)]
}

// comparePaths orders JSON pointers, item 2 before item 10.
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		x, restA := segment(a)
		y, restB := segment(b)
		order := strings.Compare(x, y)
		if order != 0 && isIndex(x) && isIndex(y) {
			order = cmp.Or(cmp.Compare(len(x), len(y)), order)
		}
		if order != 0 {
			return order
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// segment splits "/a/b" into "a" and "/b".
func segment(pointer string) (string, string) {
	if i := strings.IndexByte(pointer[1:], '/'); i >= 0 {
		return pointer[1 : 1+i], pointer[1+i:]
	}
	return pointer[1:], ""
}

func isIndex(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (e *explainer) add(err *jsonschema.ValidationError) {
	path := err.InstanceLocation
	switch k := err.ErrorKind.(type) {
	case nil:
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, c := range err.Causes {
			e.add(c)
		}
	case *kind.AnyOf:
		e.alternatives(path, err.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			e.report(path, "%s fits forms %d and %d of those that exclude each other; expected exactly one", e.got(path),
				k.Subschemas[0]+1, k.Subschemas[1]+1)
			return
		}
		e.alternatives(path, err.Causes)
	case *kind.Required:
		for _, name := range k.Missing {
			e.report(path, "the property %s is missing", quoted(name))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			e.report(append(slices.Clone(path), name), "the property %s is not allowed here", quoted(name))
		}
	case *kind.PropertyNames:
		why := e.within(err.Causes, k.Property)
		e.report(path, "the property name %s is not allowed: %s", quoted(k.Property), why)
	default:
		e.report(path, "%s", e.sentence(path, k))
	}
}

// within explains errors about a value other than the document.
func (e *explainer) within(causes []*jsonschema.ValidationError, v any) string {
	inner := explainer{doc: v}
	for _, c := range causes {
		inner.add(c)
	}
	inner.trim()
	return summary(inner.problems)
}

func summary(problems []fault.Problem) string {
	var said []string
	for _, p := range problems {
		said = append(said, p.String())
	}
	if len(said) > 3 {
		said = append(said[:3], "…")
	}
	return strings.Join(said, ", ")
}

// alternatives explains a value that matches none of several alternatives. If only one of them is of the
// right kind, it was the intended one and its problems are reported; otherwise each states why it does not
// match.
func (e *explainer) alternatives(path []string, branches []*jsonschema.ValidationError) {
	var meant []*jsonschema.ValidationError
	var reasons []string
	var types []string
	for _, b := range branches {
		if want := wrongKind(b, len(path)); want != nil {
			types = append(types, want...)
		} else {
			meant = append(meant, b)
		}
	}
	switch {
	case len(meant) == 1:
		e.add(meant[0])
		return
	case len(meant) == 0 && !slices.Contains(types, ""):
		slices.Sort(types)
		e.report(path, "expected %s, got %s", typeNames(slices.Compact(types)), e.got(path))
		return
	}
	for i, b := range branches {
		if i == 5 {
			reasons = append(reasons, "…")
			break
		}
		one := explainer{doc: e.doc}
		one.add(b)
		one.trim()
		reasons = append(reasons, fmt.Sprintf("(%d) %s", i+1, summary(one.problems)))
	}
	e.report(path, "fits none of %d forms: %s", len(branches), strings.Join(reasons, "; "))
}

// wrongKind detects an alternative that the value does not even resemble: another type, constant or enum at
// this very place. It returns the expected types, or "" if the mismatch is not one of types.
func wrongKind(err *jsonschema.ValidationError, depth int) []string {
	if len(err.InstanceLocation) != depth {
		return discriminated(err, depth)
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		return slices.Clone(k.Want)
	case *kind.Const, *kind.Enum:
		return []string{""}
	case *kind.Reference, *kind.Group, *kind.AllOf:
		for _, c := range err.Causes {
			if want := wrongKind(c, depth); want != nil {
				return want
			}
		}
	}
	return nil
}

// discriminated tells alternatives apart by a constant in one of their members, as in {"kind": {"const":
// "card"}}.
func discriminated(err *jsonschema.ValidationError, depth int) []string {
	if _, ok := err.ErrorKind.(*kind.Const); ok && len(err.InstanceLocation) == depth+1 {
		return []string{""}
	}
	return nil
}

func (e *explainer) got(path []string) string { return show(lookup(e.doc, path)) }

// show quotes a value if it is short, and describes it otherwise.
func show(v any) string {
	switch v := v.(type) {
	case string:
		if n := utf8.RuneCountInString(v); n > shownMax-2 {
			return fmt.Sprintf("a string of %d characters", n)
		}
		return quoted(v)
	case map[string]any:
		return describe(v, fmt.Sprintf("an object with %d properties", len(v)))
	case []any:
		return describe(v, fmt.Sprintf("an array of %d items", len(v)))
	case json.Number:
		if len(v) > shownMax {
			return fmt.Sprintf("a number of %d digits", len(v))
		}
		return string(v)
	}
	return fmt.Sprint(plain(v))
}

func plain(v any) any {
	if v == nil {
		return "null"
	}
	return v
}

// describe quotes a container if it is small.
func describe(v any, otherwise string) string {
	if countUpTo(v, shownMax) >= shownMax/2 {
		return otherwise
	}
	text, err := value.Marshal(v)
	if err != nil || len(text) > shownMax {
		return otherwise
	}
	return string(text)
}

// countUpTo counts values, but stops soon after limit.
func countUpTo(v any, limit int) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			if n >= limit {
				break
			}
			n += countUpTo(c, limit-n)
		}
	case []any:
		for _, c := range v {
			if n >= limit {
				break
			}
			n += countUpTo(c, limit-n)
		}
	case string:
		return 1 + len(v)/(2*shownMax)*limit
	}
	return n
}

func quoted(s string) string { return string(value.Quote(short(s))) }

// short truncates a long text.
func short(s string) string {
	if utf8.RuneCountInString(s) <= shownMax-2 {
		return s
	}
	r := []rune(s[:min(len(s), 4*shownMax)])
	return string(r[:min(len(r), shownMax-3)]) + "…"
}
