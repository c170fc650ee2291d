package mask

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

const (
	schemaDepth = 40
	schemaNodes = 20_000
)

// Schema reads which fields of a document are sensitive from its JSON Schema: those with "x-sensitive": true,
// "writeOnly": true or "format": "password".
func Schema(root Root, schema json.RawMessage) *Rules {
	r := &Rules{}
	if len(schema) > 0 && marks(schema) {
		s := schemaWalk{whole: schema, root: root, rules: r, left: schemaNodes}
		s.visit(nil, schema, 0, nil)
	}
	return r
}

// marks is a quick check: most schemas have no such keyword.
func marks(schema json.RawMessage) bool {
	text := string(schema)
	return strings.Contains(text, "x-sensitive") || strings.Contains(text, "writeOnly") ||
		strings.Contains(text, "password")
}

type schemaWalk struct {
	whole json.RawMessage
	root  Root
	rules *Rules
	left  int
}

// Keywords of nested schemas, by their effect on the path.
var (
	sameValue = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items", "additionalItems", "contains",
		"unevaluatedItems", "if", "then", "else", "not"}
	byName     = []string{"properties"}
	anyMember  = []string{"additionalProperties", "unevaluatedProperties"}
	byPattern  = []string{"patternProperties"}
	sameByName = []string{"dependentSchemas"}
)

func (s *schemaWalk) visit(path []string, schema json.RawMessage, depth int, refs []string) {
	if s.left--; s.left < 0 || depth > schemaDepth || value.KindOf(schema) != value.KindObject {
		return
	}
	if sensitive(schema) {
		s.note(path)
		return // everything below it is sensitive
	}
	for key, v := range value.Members(schema) {
		switch {
		case key == "$ref":
			ref, _ := value.Text(v)
			if to, ok := s.resolve(ref); ok && !slices.Contains(refs, ref) {
				s.visit(path, to, depth+1, append(slices.Clip(refs), ref))
			}
		case slices.Contains(sameValue, key):
			if value.KindOf(v) == value.KindArray {
				for _, one := range value.Elements(v) {
					s.visit(path, one, depth+1, refs)
				}
			} else {
				s.visit(path, v, depth+1, refs)
			}
		case slices.Contains(anyMember, key):
			s.visit(append(slices.Clip(path), every), v, depth+1, refs)
		case slices.Contains(byName, key):
			for name, one := range value.Members(v) {
				s.visit(append(slices.Clip(path), strings.ToLower(name)), one, depth+1, refs)
			}
		case slices.Contains(byPattern, key):
			for _, one := range value.Members(v) {
				s.visit(append(slices.Clip(path), every), one, depth+1, refs)
			}
		case slices.Contains(sameByName, key):
			for _, one := range value.Members(v) {
				s.visit(path, one, depth+1, refs)
			}
		}
	}
}

func sensitive(schema json.RawMessage) bool {
	for _, flag := range []string{"x-sensitive", "writeOnly"} {
		if v, _ := value.Get(schema, flag); string(v) == "true" {
			return true
		}
	}
	format, _ := value.Get(schema, "format")
	text, _ := value.Text(format)
	return text == "password"
}

// note adds a place. In documents without a root of their own, only the path inside counts.
func (s *schemaWalk) note(path []string) {
	p := place{s.root, slices.Clone(path)}
	if s.root == Other && len(path) == 0 {
		return
	}
	s.rules.add(p)
}

// resolve resolves a reference within the schema.
func (s *schemaWalk) resolve(ref string) (json.RawMessage, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := s.whole
	for _, seg := range strings.Split(pointer, "/")[1:] {
		seg = strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~")
		if value.KindOf(at) == value.KindArray {
			i, err := strconv.Atoi(seg)
			elements := value.Elements(at)
			if err != nil || i < 0 || i >= len(elements) {
				return nil, false
			}
			at = elements[i]
			continue
		}
		next, ok := value.Get(at, seg)
		if !ok {
			return nil, false
		}
		at = next
	}
	return at, true
}
