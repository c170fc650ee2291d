package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

const (
	fitsDepthMax = 32
	fitsStepsMax = 50_000 // schemas visited; those beyond are assumed to match
)

// Fits explains why a value of the schema from can never match the schema to, before any value exists: one
// step's result passed to the next step's input. It reports only certain problems. A property that may be
// missing, a type that is not declared, a pattern: all of these may still match, and are left to Validate.
//
// The path of a problem is where the value would be, as in Validate.
func Fits(from, to json.RawMessage) []fault.Problem {
	if len(from) > sizeMax || len(to) > sizeMax {
		return nil
	}
	f, bad := decode(from, schemaWeightMax)
	if len(bad) > 0 {
		return nil
	}
	t, bad := decode(to, schemaWeightMax)
	if len(bad) > 0 {
		return nil
	}
	if relocated(f) || relocated(t) {
		return nil
	}
	m := matcher{from: f, to: t, left: fitsStepsMax}
	m.match(f, t, nil)
	slices.SortStableFunc(m.problems, func(a, b fault.Problem) int { return comparePaths(a.Path, b.Path) })
	return m.problems[:min(len(m.problems), problemsMax)]
}

// relocated reports whether a part of the schema has an $id, which changes the meaning of references in it.
func relocated(doc any) bool {
	return !visit(doc, nil, func(v map[string]any, path []string) bool {
		_, ok := v["$id"].(string)
		return !ok || len(path) == 0
	})
}

type matcher struct {
	from, to any // the roots, for references
	left     int
	problems []fault.Problem
}

func (m *matcher) report(path []string, format string, args ...any) {
	m.problems = append(m.problems, fault.Problem{Path: value.Path(path).Pointer(), Message: fmt.Sprintf(format, args...)})
}

// match compares one position of the value.
func (m *matcher) match(from, to any, path []string) {
	if m.left <= 0 || len(path) > fitsDepthMax {
		return
	}
	given, wanted := m.conjuncts(nil, m.from, from, 0), m.conjuncts(nil, m.to, to, 0)
	have, want := m.kindsOf(m.from, given, 0), m.kindsOf(m.to, wanted, 0)
	if have == 0 || want == 0 {
		return // one of the schemas contradicts itself
	}
	if have&want == 0 {
		m.report(path, "expected %s, but it is always %s", want, have)
		return
	}
	if have, want := choices(given), choices(wanted); have != nil && want != nil && !overlap(have, want) {
		m.report(path, "expected %s, but it is always %s", oneOf(want), oneOf(have))
		return
	}
	if have&want == kindObject {
		m.members(given, wanted, path)
	}
}

// members compares objects: only an object can match, so one side must not exclude what the other requires.
func (m *matcher) members(given, wanted []map[string]any, path []string) {
	always, needed := required(given), required(wanted)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(always, needed)))) {
		at := append(slices.Clone(path), name)
		switch {
		case slices.Contains(needed, name) && excluded(given, name):
			m.report(at, "the property %s is required, but it is never there", quoted(name))
			continue
		case slices.Contains(always, name) && excluded(wanted, name):
			m.report(at, "the property %s is not allowed, but it is always there", quoted(name))
			continue
		}
		have, want := declared(given, name), declared(wanted, name)
		if have != nil && want != nil {
			m.match(have, want, at)
		}
	}
}

// conjuncts adds the schemas that all apply at once: the schema itself, or its reference, and its allOf. A
// boolean schema is ignored.
func (m *matcher) conjuncts(out []map[string]any, root, schema any, depth int) []map[string]any {
	obj, ok := schema.(map[string]any)
	if !ok || depth > fitsDepthMax || m.left <= 0 {
		return out
	}
	m.left--
	if _, ok := obj["$ref"]; ok {
		// Before 2019-09 a reference disables its siblings.
		return m.conjuncts(out, root, resolve(root, obj), depth+1)
	}
	out = append(out, obj)
	all, _ := obj["allOf"].([]any)
	for _, sub := range all {
		out = m.conjuncts(out, root, sub, depth+1)
	}
	return out
}

// resolve follows a reference into the same document.
func resolve(root any, obj map[string]any) any {
	ref, _ := obj["$ref"].(string)
	frag, ok := strings.CutPrefix(ref, "#")
	if !ok || frag != "" && frag[0] != '/' {
		return nil
	}
	return at(root, unescapeURL(frag))
}

// kinds is a set of JSON types. A number that is an integer is both, so the two
// overlap.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBool
	kindInteger
	kindFraction
	kindString
	kindArray
	kindObject

	kindNumber = kindInteger | kindFraction
	kindAny    = kindObject<<1 - 1
)

var kindNames = []struct {
	name string
	kind kinds
}{
	{"null", kindNull}, {"boolean", kindBool}, {"number", kindNumber}, {"integer", kindInteger},
	{"string", kindString}, {"array", kindArray}, {"object", kindObject},
}

func (k kinds) String() string {
	var names []string
	for _, n := range kindNames {
		if k&n.kind == n.kind {
			names = append(names, n.name)
			k &^= n.kind
		}
	}
	return typeNames(names)
}

// kindsOf intersects the types of all schemas.
func (m *matcher) kindsOf(root any, all []map[string]any, depth int) kinds {
	set := kindAny
	for _, obj := range all {
		set &= typeKinds(obj["type"]) & choiceKinds(obj)
		for _, kw := range []string{"anyOf", "oneOf"} {
			branches, ok := obj[kw].([]any)
			if !ok || len(branches) == 0 || depth > fitsDepthMax {
				continue
			}
			var either kinds
			for _, b := range branches {
				if m.left <= 0 {
					return kindAny
				}
				either |= m.kindsOf(root, m.conjuncts(nil, root, b, depth+1), depth+1)
			}
			set &= either
		}
	}
	return set
}

func typeKinds(t any) kinds {
	list, ok := t.([]any)
	if !ok {
		list = []any{t}
	}
	var set kinds
	for _, t := range list {
		for _, n := range kindNames {
			if n.name == t {
				set |= n.kind
			}
		}
	}
	if set == 0 {
		return kindAny // nothing declared, or nothing known
	}
	return set
}

func choiceKinds(obj map[string]any) kinds {
	list := choices([]map[string]any{obj})
	if list == nil {
		return kindAny
	}
	var set kinds
	for _, v := range list {
		switch v.(type) {
		case nil:
			set |= kindNull
		case bool:
			set |= kindBool
		case json.Number:
			set |= kindNumber
		case string:
			set |= kindString
		case []any:
			set |= kindArray
		case map[string]any:
			set |= kindObject
		}
	}
	return set
}

// choices returns the only possible values, or nil if they are not listed.
func choices(all []map[string]any) []any {
	for _, obj := range all {
		if c, ok := obj["const"]; ok {
			return []any{c}
		}
		if e, ok := obj["enum"].([]any); ok && len(e) > 0 {
			return e
		}
	}
	return nil
}

func overlap(a, b []any) bool {
	if len(a)*len(b) > 100_000 {
		return true
	}
	for _, x := range a {
		for _, y := range b {
			if same(x, y) {
				return true
			}
		}
	}
	return false
}

// same compares as JSON Schema does: 1 and 1.0 are equal.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okX := rational(string(a))
		y, okY := rational(string(b))
		return !okX || !okY || x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

// required lists the properties present in every such object.
func required(all []map[string]any) (names []string) {
	for _, obj := range all {
		list, _ := obj["required"].([]any)
		for _, n := range list {
			if n, ok := n.(string); ok {
				names = append(names, n)
			}
		}
	}
	return names
}

// excluded reports whether one of the schemas is closed and lacks the property.
func excluded(all []map[string]any, name string) bool {
	for _, obj := range all {
		props, _ := obj["properties"].(map[string]any)
		if p, ok := props[name]; ok {
			if p == false {
				return true
			}
			continue
		}
		patterns, _ := obj["patternProperties"].(map[string]any)
		if obj["additionalProperties"] == false && len(patterns) == 0 {
			return true
		}
	}
	return false
}

// declared combines the schemas of one property.
func declared(all []map[string]any, name string) any {
	var parts []any
	for _, obj := range all {
		props, _ := obj["properties"].(map[string]any)
		if p, ok := props[name]; ok {
			parts = append(parts, p)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return map[string]any{"allOf": parts}
}
